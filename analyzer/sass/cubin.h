/* SPDX-License-Identifier: MIT */
/*
 * The inside of smp_code: an ELF file of machine code, checked once against its size, so that
 * everybody after may follow its offsets.
 */
#ifndef SMP_CUBIN_H
#define SMP_CUBIN_H

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

/* Zeroed memory that lives as long as `code`; NULL: out of memory. */
void *smp_code_alloc(smp_code *code, size_t bytes);
char *smp_code_copy(smp_code *code, const char *text, size_t length);

const cubin_section *smp_cubin_section(const smp_code *code, const char *name);

/* cubin.c: sections and symbols. */
smp_status smp_cubin_parse(smp_code *code, smp_error *error);
/* cubin_function.c: functions, from sections, symbols and .nv.info. */
smp_status smp_cubin_functions(smp_code *code, smp_error *error);
/* shared_arrays.c: of all functions that have none yet, from symbols, else from PTX (may be NULL).
 */
void smp_cubin_arrays(smp_code *code, const char *ptx, size_t size);
/* sass_text.c: what nvdisasm printed becomes instructions of functions. */
smp_status smp_sass_text_read(smp_code *code, char *text, smp_error *error);

#endif
