/* SPDX-License-Identifier: MIT */
/* Reads a program's file as far as its section table and its dynamic section. */
#define _GNU_SOURCE /* memmem */
#include "linked_runtime.h"

#include <elf.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cubin.h"
#include "inner_runtime.h"
#include "list.h"
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

/* Returns row `i` of a dynamic section; DT_NULL after its end. */
static Elf64_Dyn row_at(const cubin_section *section, uint64_t i) {
    Elf64_Dyn row = {.d_tag = DT_NULL};
    if (section->bytes && i < section->size_bytes / sizeof row)
        memcpy(&row, section->bytes + i * sizeof row, sizeof row);
    return row;
}

static bool is_of_nvidia(const char *library) {
    static const char *const names[] = {"libcublas", "libcudnn",    "libcufft",
                                        "libcurand", "libcusolver", "libcusparse",
                                        "libnccl",   "libnpp",      "libnvjpeg"};
    return ANY(one, names, sizeof names / sizeof names[0],
               strncmp(library, *one, strlen(*one)) == 0);
}

static void read_dynamic(const smp_code *file, const cubin_section *section, linked_runtime *out) {
    const cubin_section *texts =
        section->link < file->section_count ? &file->sections[section->link] : NULL;
    Elf64_Dyn row;
    for (uint64_t i = 0; (row = row_at(section, i)).d_tag != DT_NULL; i++) {
        const uint64_t at = row.d_un.d_val; /* files are read with a zero after their end */
        const bool is_there = texts && texts->bytes && at < texts->size_bytes;
        const char *text = is_there ? (const char *)texts->bytes + at : "";
        out->has_rpath |= row.d_tag == DT_RPATH;
        if (row.d_tag != DT_NEEDED)
            continue;
        /* A static position-independent program has such a section, too, but needs no library. */
        out->is_static = false;
        out->uses_driver |= strcmp(text, "libcuda.so.1") == 0;
        if (strncmp(text, "libcudart.so", 12) == 0)
            (void)snprintf(out->library, sizeof out->library, "%.60s", text);
        else
            out->uses_libraries |= is_of_nvidia(text);
    }
    out->opens_libraries |=
        texts && texts->bytes && memmem(texts->bytes, texts->size_bytes, "\0dlopen", 8);
}

/* True if a symbol table contains the name. */
static bool has_symbol(const smp_code *file, const char *name) {
    const size_t length = strlen(name) + 1;
    EACH(const cubin_section, table, file->sections, file->section_count) {
        if (table->type != SHT_SYMTAB || table->link >= file->section_count)
            continue;
        const cubin_section *texts = &file->sections[table->link];
        if (texts->bytes && memmem(texts->bytes, texts->size_bytes, name, length))
            return true;
    }
    return false;
}

/* nvcc adds the section even to a program without GPU code, which needs no runtime. */
static bool may_be_inside(const smp_code *file) {
    bool has_symbols = false;
    for (uint32_t i = 0; i < file->section_count; i++)
        has_symbols |= file->sections[i].type == SHT_SYMTAB;
    return !has_symbols && smp_cubin_section(file, ".nv_fatbin");
}

static bool has_function(const void *file, const char *name) {
    return has_symbol(file, name);
}

/* Returns the version of the archive whose code the file contains. */
static void read_stripped(const smp_code *file, const char *archives, linked_runtime *out) {
    inner_runtime runtime;
    char path[INNER_PATH_BYTES];
    while (!out->library[0] && inner_runtime_next(&archives, path))
        if (inner_runtime_open(path, &runtime)) {
            const uint8_t **functions = calloc(runtime.symbol_count + 1, sizeof *functions);
            if (functions && inner_runtime_find(&runtime, file->bytes, file->size, functions))
                (void)snprintf(out->library, sizeof out->library, "%s", runtime.library);
            free(functions);
            inner_runtime_close(&runtime);
        }
}

static void read_file(const smp_code *file, const char *archives, linked_runtime *out) {
    const uint64_t type = cubin_number(file->bytes + offsetof(Elf64_Ehdr, e_type), 2);
    out->is_static = type == ET_EXEC || type == ET_DYN;
    out->opens_libraries = false;
    for (uint32_t i = 0; i < file->section_count; i++)
        if (file->sections[i].type == SHT_DYNAMIC)
            read_dynamic(file, &file->sections[i], out);
    if (out->library[0]) {
        out->kind = LINKED_SHARED;
        return;
    }
    (void)snprintf(out->library, sizeof out->library, "%s",
                   inner_runtime_version(has_function, file));
    if (!out->library[0])
        read_stripped(file, archives, out);
    out->opens_libraries |= !out->library[0];
    out->kind = out->library[0] || may_be_inside(file) ? LINKED_STATIC : LINKED_NONE;
}

static bool add_archive(const char *path, void *user) {
    char real[INNER_PATH_BYTES], *list = user;
    const size_t used = strlen(list);
    if (realpath(path, real) && !strchr(real, ':') && !strstr(list, real) &&
        used + strlen(real) + 2 < ARCHIVES_BYTES)
        (void)snprintf(list + used, ARCHIVES_BYTES - used, "%s%s", used > 0 ? ":" : "", real);
    return false;
}

/* NVIDIA's wheels beside a program in a Python environment, such as Python itself. */
static void add_wheels(const char *word, char archives[ARCHIVES_BYTES]) {
    static const char below[] = "/../lib/python3*/site-packages/nvidia/*/lib/libcudart_static.a";
    char path[PATH_BYTES], pattern[PATH_BYTES + sizeof below];
    const char *home = getenv("CUDA_HOME");
    glob_t found = {0};
    if (home) { /* a lone wheel has no folder bin */
        (void)snprintf(path, sizeof path, "%.4000s/lib/libcudart_static.a", home);
        (void)add_archive(path, archives);
    }
    if (!find_program(word, path) || !strchr(path, '/'))
        return;
    *strrchr(path, '/') = '\0';
    (void)snprintf(pattern, sizeof pattern, "%s%s", path, below);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            (void)add_archive(found.gl_pathv[i], archives);
    globfree(&found);
}

void linked_runtime_archives(const char *word, char archives[ARCHIVES_BYTES]) {
    static const char *const names[] = {
        "../lib64/libcudart_static.a",
        "../lib/libcudart_static.a",
        "../targets/x86_64-linux/lib/libcudart_static.a",
        "../lib/x86_64-linux-gnu/libcudart_static.a", /* Debian */
        "../../cuda_runtime/lib/libcudart_static.a",  /* wheels of CUDA 12 */
    };
    archives[0] = '\0';
    add_wheels(word, archives);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)smp_tool_search(names[i], add_archive, archives);
}

void linked_runtime_read(const char *word, const char *archives, linked_runtime *out) {
    char path[PATH_BYTES], *bytes;
    size_t size;
    *out = (linked_runtime){.opens_libraries = true};
    if (!find_program(word, path) || smp_tool_read(path, &bytes, &size, NULL) != SMP_OK)
        return;
    smp_code file = {.bytes = (const uint8_t *)bytes, .size = size};
    smp_error ignored;
    out->is_32_bit =
        size > EI_CLASS && memcmp(bytes, ELFMAG, SELFMAG) == 0 && bytes[EI_CLASS] == ELFCLASS32;
    if (smp_elf_sections(&file, &ignored) == SMP_OK)
        read_file(&file, archives, out);
    free(file.sections);
    free(bytes);
}
