/* SPDX-License-Identifier: MIT */
/*
 * The inside of smp_code: an ELF file of machine code, checked once against its size, so that
 * everybody after may follow its offsets.
 */
#pragma once

#include <string.h>

#include "disassembly.h"

typedef struct cubin_section {
    const char *name;
    const uint8_t *bytes; /* NULL: takes no room in the file */
    uint64_t size_bytes;
    uint32_t type, link, info, entry_bytes;
} cubin_section;

typedef struct cubin_symbol {
    const char *name;
    uint64_t value, size_bytes;
    uint32_t section; /* index; 0: undefined */
    uint8_t type, binding, other;
} cubin_symbol;

/* What is to be put where, when addresses are known. */
typedef struct cubin_relocation {
    uint64_t offset; /* in the section */
    uint32_t type, symbol;
    uint64_t add; /* 0 where it stands in the section's own bytes */
} cubin_relocation;

/* Types, as code that nvcc makes has them. */
enum { CUBIN_RELOCATION_64 = 2, CUBIN_RELOCATION_G64 = 4 };

typedef struct cubin_cursor {
    uint32_t table;
    uint64_t at;
} cubin_cursor;

typedef struct text_piece text_piece;

struct smp_code {
    uint8_t *owned; /* the file's bytes, where smp_code_open_file read them */
    const uint8_t *bytes;
    size_t size;
    uint32_t cc;
    cubin_section *sections;
    uint32_t section_count;
    cubin_symbol *symbols;
    uint32_t symbol_count;
    smp_function *functions;
    size_t function_count;
    text_piece *pieces; /* of memory that strings, frames and instructions live in */
};

/* A number of up to 8 bytes, the lowest first, as hosts that this is built for have them, too. */
static inline uint64_t cubin_number(const uint8_t *bytes, unsigned count) {
    uint64_t value = 0;
    memcpy(&value, bytes, count);
    return value;
}

/* Zeroed memory that lives as long as `code`; NULL: out of memory. */
void *smp_code_alloc(smp_code *code, size_t bytes);
char *smp_code_copy(smp_code *code, const char *text, size_t length);

const cubin_section *smp_cubin_section(const smp_code *code, const char *name);

/* cubin.c: the sections of any 64-bit ELF file; sections and symbols of one that is a cubin. */
smp_status smp_elf_sections(smp_code *code, smp_error *error);
smp_status smp_cubin_parse(smp_code *code, smp_error *error);
/* cubin_function.c: functions, from sections, symbols and .nv.info. */
smp_status smp_cubin_functions(smp_code *code, smp_error *error);
/* cubin_link.c: the next relocation of a section, from a cursor of zeros on; false: no more. */
bool smp_cubin_relocation(const smp_code *code, uint32_t section, cubin_cursor *cursor,
                          cubin_relocation *out);
/* The function that the symbol is, or is in; NULL: none. */
smp_function *smp_cubin_function_of(const smp_code *code, uint32_t symbol);
/* Marks the function and all that it may call; by index. */
void smp_cubin_reach(const smp_code *code, const smp_function *from, bool *is_reached);
/* Fills `parts` and `linked` of a disassembled function. */
smp_status smp_cubin_link(smp_code *code, smp_function *function, smp_error *error);
/* sass_text.c: what nvdisasm printed becomes instructions of functions. */
smp_status smp_sass_text_read(smp_code *code, char *text, smp_error *error);
