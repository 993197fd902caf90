/* SPDX-License-Identifier: MIT */
/*
 * Sections and symbols of a cubin: a 64-bit little-endian ELF file for machine 190. Every offset,
 * size and index is checked here against the file's size; names must end inside their table.
 */
#include "cubin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    MACHINE_CUDA = 190,
    TYPE_SYMTAB = 2,
    TYPE_NOBITS = 8,
};

struct text_piece {
    text_piece *next;
    size_t used, size;
    max_align_t bytes[];
};

void *smp_code_alloc(smp_code *code, size_t bytes) {
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    text_piece *piece = code->pieces;
    if (!piece || piece->size - piece->used < bytes) {
        size_t size = bytes > 65536 ? bytes : 65536;
        piece = calloc(1, sizeof(*piece) + size);
        if (!piece)
            return NULL;
        piece->size = size;
        piece->next = code->pieces;
        code->pieces = piece;
    }
    void *at = (char *)piece->bytes + piece->used;
    piece->used += bytes;
    return at;
}

char *smp_code_copy(smp_code *code, const char *text, size_t length) {
    char *copy = smp_code_alloc(code, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

static smp_status unsound(smp_error *error, const char *what) {
    return smp_error_set(error, SMP_E_READ, -1, "not a sound cubin: %s", what);
}

/* NULL if the name does not end inside the table. */
static const char *name_at(const cubin_section *table, uint64_t offset) {
    if (!table->bytes || offset >= table->size_bytes ||
        !memchr(table->bytes + offset, 0, table->size_bytes - offset))
        return NULL;
    return (const char *)table->bytes + offset;
}

/* From CUDA 13, the second byte of the flags has the compute capability. */
static uint32_t compute_capability(const uint8_t *header) {
    uint32_t flags = (uint32_t)cubin_number(header + 48, 4);
    return header[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff;
}

static bool read_section(const smp_code *code, const uint8_t *row, cubin_section *out) {
    out->type = (uint32_t)cubin_number(row + 4, 4);
    uint64_t offset = cubin_number(row + 24, 8);
    out->size_bytes = cubin_number(row + 32, 8);
    out->link = (uint32_t)cubin_number(row + 40, 4);
    out->info = (uint32_t)cubin_number(row + 44, 4);
    if (out->type == 0)
        out->size_bytes = 0;
    if (out->type == TYPE_NOBITS || out->type == 0)
        return true;
    if (offset > code->size || out->size_bytes > code->size - offset)
        return false;
    out->bytes = code->bytes + offset;
    return true;
}

static smp_status read_sections(smp_code *code, smp_error *error) {
    uint64_t offset = cubin_number(code->bytes + 40, 8);
    uint64_t count = cubin_number(code->bytes + 60, 2);
    uint64_t names = cubin_number(code->bytes + 62, 2);
    if (cubin_number(code->bytes + 58, 2) != SECTION_BYTES)
        return unsound(error, "its section headers have another size");
    if (offset > code->size || code->size - offset < SECTION_BYTES)
        return unsound(error, "its section headers are beyond its end");
    if (count == 0) /* the number needs more than 16 bits: it is in the first row */
        count = cubin_number(code->bytes + offset + 32, 8);
    if (names == 0xffff)
        names = cubin_number(code->bytes + offset + 40, 4);
    if (count > (code->size - offset) / SECTION_BYTES || names >= count)
        return unsound(error, "its section headers are beyond its end");
    code->sections = calloc(count, sizeof(*code->sections));
    if (!code->sections)
        return smp_error_memory(error);
    code->section_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++)
        if (!read_section(code, code->bytes + offset + i * (uint64_t)SECTION_BYTES,
                          &code->sections[i]))
            return unsound(error, "a section is beyond its end");
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = code->bytes + offset + i * (uint64_t)SECTION_BYTES;
        code->sections[i].name = name_at(&code->sections[names], cubin_number(row, 4));
        if (!code->sections[i].name)
            return unsound(error, "a section has no name");
    }
    return SMP_OK;
}

static smp_status read_symbols(smp_code *code, const cubin_section *table, smp_error *error) {
    if (!table->bytes || table->link >= code->section_count)
        return unsound(error, "its symbols have no names");
    uint64_t count = table->size_bytes / SYMBOL_BYTES;
    code->symbols = calloc(count + 1, sizeof(*code->symbols));
    if (!code->symbols)
        return smp_error_memory(error);
    code->symbol_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = table->bytes + i * (uint64_t)SYMBOL_BYTES;
        cubin_symbol *symbol = &code->symbols[i];
        symbol->name = name_at(&code->sections[table->link], cubin_number(row, 4));
        symbol->type = row[4] & 15;
        symbol->other = row[5];
        symbol->section = (uint32_t)cubin_number(row + 6, 2);
        symbol->value = cubin_number(row + 8, 8);
        symbol->size_bytes = cubin_number(row + 16, 8);
        if (!symbol->name)
            return unsound(error, "a symbol has no name");
        if (symbol->section >= code->section_count)
            symbol->section = 0;
    }
    return SMP_OK;
}

smp_status smp_elf_sections(smp_code *code, smp_error *error) {
    static const uint8_t magic[6] = {0x7f, 'E', 'L', 'F', 2, 1};
    if (code->size < HEADER_BYTES || memcmp(code->bytes, magic, sizeof(magic)) != 0)
        return unsound(error, "it does not begin as a 64-bit ELF file");
    return read_sections(code, error);
}

smp_status smp_cubin_parse(smp_code *code, smp_error *error) {
    smp_status status = smp_elf_sections(code, error);
    if (status == SMP_OK && cubin_number(code->bytes + 18, 2) != MACHINE_CUDA)
        status = unsound(error, "it is an ELF file, but not of machine code for NVIDIA GPUs");
    if (status != SMP_OK)
        return status;
    code->cc = compute_capability(code->bytes);
    for (uint32_t i = 0; i < code->section_count && status == SMP_OK; i++)
        if (code->sections[i].type == TYPE_SYMTAB && !code->symbols)
            status = read_symbols(code, &code->sections[i], error);
    return status;
}

const cubin_section *smp_cubin_section(const smp_code *code, const char *name) {
    return LIST_FIND(code->sections, code->section_count, name);
}

static void free_functions(smp_code *code) {
    for (size_t i = 0; i < code->function_count; i++) {
        free(code->functions[i].parameters);
        free(code->functions[i].arrays);
    }
    free(code->functions);
}

void smp_code_close(smp_code *code) {
    if (!code)
        return;
    free_functions(code);
    while (code->pieces) {
        text_piece *next = code->pieces->next;
        free(code->pieces);
        code->pieces = next;
    }
    free(code->sections);
    free(code->symbols);
    free(code->owned);
    free(code);
}

/* ---- Names of C++ without their encoding ---- */

/* Uses the C++ runtime, loaded only if installed, so that a C program does not depend on it. */
smp_status smp_demangle(const char *name, char **out, smp_error *error) {
    enum { NO_MEMORY = -1 }; /* status of __cxa_demangle */
    typedef char *(*demangle_fn)(const char *, char *, size_t *, int *);
    static demangle_fn demangle;
    static bool is_asked;
    if (!__atomic_load_n(&is_asked, __ATOMIC_ACQUIRE)) {
        void *runtime = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        void *symbol = runtime ? dlsym(runtime, "__cxa_demangle") : NULL;
        memcpy(&demangle, &symbol, sizeof(demangle));
        __atomic_store_n(&is_asked, true, __ATOMIC_RELEASE);
    }
    int failed = 0;
    *out = !demangle || strncmp(name, "_Z", 2) != 0 ? NULL : demangle(name, NULL, NULL, &failed);
    return failed == NO_MEMORY ? smp_error_memory(error) : SMP_OK;
}
