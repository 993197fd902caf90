/* SPDX-License-Identifier: MIT */
/*
 * Random layouts whose fix is compiled and run: one to four accesses of one to three
 * arrays, every element type, one to four dimensions, sizes that are no powers of two; as text of
 * the layout language, and as C++ with holes for what `fix` prints.
 */
#pragma once

#include <stdio.h>

#include "smp_accesses.h"
#include "smp_fix.h"

enum { CODE_ARRAYS_MAX = 3, CODE_ACCESSES_MAX = 4, CODE_DIMS_MAX = 4, CODE_MEMBERS_MAX = 4 };

typedef struct code_array {
    char name[8];
    const char *storage;      /* "__shared__", "shared", "extern __shared__" */
    uint32_t align;           /* that is asked for, or 0 */
    char type[160];           /* as declared: "volatile unsigned char", "P0", "struct { ... }" */
    char body[120];           /* of a struct: its members; else empty */
    char struct_name[8];      /* of a struct with a line of its own; else empty */
    const char *struct_align; /* "__align__(16) ", or "" */
    char layout[80];          /* " : Swizzle<1,0,2>", " : (9,4):(4,1)", or nothing */
    uint32_t size;            /* of an element: a bound from above if it is a struct */
    const char *vector;       /* a type twice or four times as wide, or NULL */
    uint32_t vector_count;    /* elements that it covers */
    uint32_t member_count;
    char member[CODE_MEMBERS_MAX][16]; /* ".x", ".b[1]" */
    uint32_t dim_count, extent[CODE_DIMS_MAX];
    char extent_text[CODE_DIMS_MAX][32]; /* as declared: "9", "N0 + 1" */
    bool joins;                          /* is in the declaration of the previous array */
    bool is_open;                        /* extern, the first extent left out */
    bool is_called;                      /* elements are written t(i, j) */
    bool is_atomic;                      /* int or unsigned */
    bool is_volatile;
} code_array;

typedef enum code_verb {
    CODE_LD,
    CODE_ST,
    CODE_ASSIGN, /* "t[i][j] = 0;" */
    CODE_ADD,    /* atomicAdd of 3 */
    CODE_INCREMENT,
    CODE_CAS,
    CODE_LDMATRIX,
    CODE_COPY
} code_verb;

typedef struct code_access {
    uint32_t array;
    code_verb verb;
    const char *guard;                  /* an expression, or NULL */
    char index[CODE_DIMS_MAX][96];      /* "v1_0", "(threadIdx.x * 3 + 1) % 9" */
    char definition[CODE_DIMS_MAX][96]; /* of the variable: the expression; else empty */
    const char *vector;                 /* the object is *(vector *)&element, or NULL */
    uint32_t step;                      /* columns that the object covers */
    int member;                         /* of the array's, or -1 */
    bool walks;                         /* all indices are variables, so they can take all values */
} code_access;

typedef struct code_case {
    uint32_t number;
    uint32_t array_count, access_count;
    code_array array[CODE_ARRAYS_MAX];
    code_access access[CODE_ACCESSES_MAX];
    uint32_t block[3];
    uint32_t iterations; /* of `for k` around all accesses; 0: no loop */
    bool has_copy;       /* a global array g */
    bool has_ldmatrix;
    uint32_t kinds;
    smp_arch archs[2];
    size_t arch_count;
} code_case;

code_case code_case_random(smp_random *random, uint32_t number);
/* The layout file. The caller frees it. */
char *code_case_text(const code_case *c);
/* Elements of an array whose open extent counts as generated. */
uint32_t code_array_elements(const code_array *array);
/* "s0[i][j]", with `prefix` before the name, in the language of layouts or in C++. */
void code_element_put(FILE *out, const code_case *c, const code_access *a, const char *prefix,
                      bool is_layout);

/* Lines of a text, one after the other. */
typedef struct code_lines {
    const char *at;
} code_lines;

/* The next line without its end; *length is 0 behind the last. */
const char *code_line_next(code_lines *lines, size_t *length);

/* code_source.c: the case as C++, what `fix` printed in its place. `is_changed` says which arrays
 * and their accesses `printed` holds, `is_moved` of which it has the declaration only. False if the
 * text has not the lines that it should have. */
bool code_source_put(FILE *out, const code_case *c, const bool is_changed[CODE_ARRAYS_MAX],
                     const bool is_moved[CODE_ARRAYS_MAX], const char *printed);
