/* SPDX-License-Identifier: MIT */
/*
 * The inside of smp_code: an ELF file of machine code, checked once against its size, so that its
 * offsets can be followed without further checks.
 */
#pragma once

#include <string.h>

#include "disassembly.h"

typedef struct cubin_section {
    const char *name;
    const uint8_t *bytes; /* NULL: not stored in the file */
    uint64_t size_bytes;
    uint32_t type, link, info;
} cubin_section;

typedef struct cubin_symbol {
    const char *name;
    uint64_t value, size_bytes;
    uint32_t section; /* index; 0 if undefined */
    uint8_t type, other;
} cubin_symbol;

/* An address to fill in once it is known. */
typedef struct cubin_relocation {
    uint64_t offset; /* in the section */
    uint32_t type, symbol;
    uint64_t add; /* 0 if it is in the section's own bytes */
} cubin_relocation;

/* Types in code from nvcc. */
enum { CUBIN_RELOCATION_64 = 2, CUBIN_RELOCATION_G64 = 4 };

typedef struct cubin_cursor {
    uint32_t table;
    uint64_t at;
} cubin_cursor;

typedef struct text_piece text_piece;

struct smp_code {
    uint8_t *owned; /* the file's bytes, if smp_code_open_file read them */
    const uint8_t *bytes;
    size_t size;
    uint32_t cc;
    cubin_section *sections;
    uint32_t section_count;
    cubin_symbol *symbols;
    uint32_t symbol_count;
    smp_function *functions;
    size_t function_count;
    text_piece *pieces; /* memory of strings, frames and instructions */
};

/* A number of up to 8 bytes, little-endian like all supported hosts. */
static inline uint64_t cubin_number(const uint8_t *bytes, unsigned count) {
    uint64_t value = 0;
    memcpy(&value, bytes, count);
    return value;
}

/* Zeroed memory that lives as long as `code`; NULL if out of memory. */
void *smp_code_alloc(smp_code *code, size_t bytes);
char *smp_code_copy(smp_code *code, const char *text, size_t length);

const cubin_section *smp_cubin_section(const smp_code *code, const char *name);

/* cubin.c: the sections of any 64-bit ELF file; sections and symbols of a cubin. */
smp_status smp_elf_sections(smp_code *code, smp_error *error);
smp_status smp_cubin_parse(smp_code *code, smp_error *error);
/* cubin_function.c: functions, from sections, symbols and .nv.info. */
smp_status smp_cubin_functions(smp_code *code, smp_error *error);
/* cubin_link.c: the next relocation of a section, starting with a zeroed cursor; false at the
 * end. */
bool smp_cubin_relocation(const smp_code *code, uint32_t section, cubin_cursor *cursor,
                          cubin_relocation *out);
/* The function that the symbol is, or is inside; NULL if none. */
smp_function *smp_cubin_function_of(const smp_code *code, uint32_t symbol);
/* Marks the function and everything that it may call; by index. */
void smp_cubin_reach(const smp_code *code, const smp_function *from, bool *is_reached);
/* Fills `parts` and `linked` of a disassembled function. */
smp_status smp_cubin_link(smp_code *code, smp_function *function, smp_error *error);
/* sass_text.c: turns nvdisasm's output into instructions of functions. */
smp_status smp_sass_text_read(smp_code *code, char *text, smp_error *error);
