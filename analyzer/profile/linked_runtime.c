/* SPDX-License-Identifier: MIT */
/*
 * A program's file, read as far as its table of sections and what the loader is told to load.
 */
#define _POSIX_C_SOURCE 200809L
#include "linked_runtime.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

enum { PATH_BYTES = 4096 };

static bool find_program(const char *word, char path[PATH_BYTES]) {
    const char *folders = strchr(word, '/') ? NULL : getenv("PATH");
    if (!folders)
        return snprintf(path, PATH_BYTES, "%s", word) < PATH_BYTES && access(path, X_OK) == 0;
    while (*folders) {
        const size_t length = strcspn(folders, ":");
        const int size = snprintf(path, PATH_BYTES, "%.*s/%s", (int)length, folders, word);
        if (length > 0 && size < PATH_BYTES && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* A file's bytes and its sections, all inside it. */
typedef struct elf_file {
    const char *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned count;
    const Elf64_Shdr *names;
} elf_file;

static bool is_inside(const elf_file *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset;
}

static bool read_sections(elf_file *file) {
    const Elf64_Ehdr *header = (const void *)file->bytes;
    if (file->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
        header->e_shoff % 8 != 0 ||
        !is_inside(file, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)) ||
        header->e_shstrndx >= header->e_shnum)
        return false;
    file->sections = (const void *)(file->bytes + header->e_shoff);
    file->count = header->e_shnum;
    file->names = &file->sections[header->e_shstrndx];
    for (unsigned i = 0; i < file->count; i++)
        if (file->sections[i].sh_type != SHT_NOBITS &&
            !is_inside(file, file->sections[i].sh_offset, file->sections[i].sh_size))
            return false;
    return true;
}

/* "" where the table is not in the file, or the text not in the table; files are read with a zero
 * behind their end. */
static const char *text_at(const elf_file *file, const Elf64_Shdr *table, uint64_t offset) {
    const bool is_there = table->sh_type != SHT_NOBITS && offset < table->sh_size;
    return is_there ? file->bytes + table->sh_offset + offset : "";
}

static void read_dynamic(const elf_file *file, const Elf64_Shdr *section, linked_runtime *out) {
    if (section->sh_link >= file->count || section->sh_offset % 8 != 0)
        return;
    const Elf64_Shdr *texts = &file->sections[section->sh_link];
    const Elf64_Dyn *row = (const void *)(file->bytes + section->sh_offset);
    for (uint64_t i = 0; i < section->sh_size / sizeof *row && row[i].d_tag != DT_NULL; i++) {
        const char *text = text_at(file, texts, row[i].d_un.d_val);
        if (row[i].d_tag == DT_RPATH)
            out->has_rpath = true;
        if (row[i].d_tag == DT_NEEDED && strcmp(text, "libcuda.so.1") == 0)
            out->uses_driver = true;
        if (row[i].d_tag == DT_NEEDED && strncmp(text, "libcudart.so", 12) == 0)
            (void)snprintf(out->library, sizeof out->library, "%.60s", text);
    }
}

/* A static program that may lie anywhere has a dynamic section, too, but needs no library. */
static bool needs_any(const elf_file *file, const Elf64_Shdr *section) {
    const Elf64_Dyn *row = (const void *)(file->bytes + section->sh_offset);
    for (uint64_t i = 0; section->sh_offset % 8 == 0 && i < section->sh_size / sizeof *row; i++)
        if (row[i].d_tag == DT_NEEDED)
            return true;
    return false;
}

static void read_file(elf_file *file, linked_runtime *out) {
    const Elf64_Ehdr *header = (const void *)file->bytes;
    bool has_code = false;
    out->is_static = header->e_type == ET_EXEC || header->e_type == ET_DYN;
    for (unsigned i = 0; i < file->count; i++) {
        if (file->sections[i].sh_type == SHT_DYNAMIC)
            read_dynamic(file, &file->sections[i], out);
        if (file->sections[i].sh_type == SHT_DYNAMIC && needs_any(file, &file->sections[i]))
            out->is_static = false;
        const char *name = text_at(file, file->names, file->sections[i].sh_name);
        has_code |= strcmp(name, ".nv_fatbin") == 0;
    }
    out->kind = out->library[0] ? LINKED_SHARED : has_code ? LINKED_STATIC : LINKED_NONE;
}

void linked_runtime_read(const char *word, linked_runtime *out) {
    char path[PATH_BYTES], *bytes;
    size_t size;
    memset(out, 0, sizeof *out);
    if (!find_program(word, path) || smp_tool_read(path, &bytes, &size, NULL) != SMP_OK)
        return;
    elf_file file = {.bytes = bytes, .size = size};
    out->is_32_bit =
        size > EI_CLASS && memcmp(bytes, ELFMAG, SELFMAG) == 0 && bytes[EI_CLASS] == ELFCLASS32;
    if (read_sections(&file))
        read_file(&file, out);
    free(bytes);
}
