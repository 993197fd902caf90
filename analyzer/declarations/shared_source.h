/* SPDX-License-Identifier: MIT */
/*
 * Declarations and uses of shared arrays in a source. The text comes from host_text.h; offsets are
 * in bytes.
 */
#pragma once

#include "host_text.h"

enum { SHARED_DIMS_MAX = 4 };

typedef struct shared_declaration {
    size_t begin;                      /* beginning: __shared__, or extern before it */
    host_span name, type;              /* in the text */
    host_span extent[SHARED_DIMS_MAX]; /* between the brackets */
    unsigned dims;
    size_t end;       /* after the last bracket */
    size_t scope_end; /* end of the block or the file */
    bool is_extern;
    host_span body; /* of the struct that it is a member of; outside it, uses follow '.' or '->' */
    bool is_call;   /* a function that returns the array; uses are calls */
} shared_declaration;

/* Finds the next declaration of `name` (NULL for any array) from *at on and moves *at after it. */
bool shared_declaration_next(const char *text, const char *name, size_t *at,
                             shared_declaration *out);

/* Resolves a type declared by "typedef float tile[32][32];" or "template <int N> using row =
 * float[N];": adds its extents, with the arguments of row<32>, and sets the element type. */
bool shared_array_type(const char *text, host_span name, shared_declaration *out);

/* Integer number `number` among the template arguments of a shared variable, "33" of
 * Tile<float, 32, 33>, innermost and last ones first, as the extent of an array whose rows it may
 * count. In front of them: a 0 that is an argument or the default of one, "int PAD = 0". */
bool shared_argument(const host_scope *scope, const char *name, unsigned number,
                     shared_declaration *out);

/* Innermost template argument of the variable that is a type of known size, "float" of Tile<float,
 * 32>; else the type itself. */
host_span shared_element_type(const host_scope *scope, const char *name);
/* Whether the body declares a shared variable of that name, with or without extents. */
bool shared_is_variable(host_span body, const char *name);

/* Finds the struct of a shared variable, of the elements of a shared array, or that a shared array
 * is cast to: its name and body. False if the text has none. */
bool shared_struct_of(const char *text, const char *name, host_span *type, host_span *body);
/* Finds the body of "struct NAME ... {". */
bool shared_struct_body(const char *text, host_span name, host_span *body);
/* Finds the next array member, also of a base struct, from *at on and moves *at after it. */
bool shared_member_next(const char *text, host_span body, size_t *at, shared_declaration *out);

/* A use such as "tile[i][j]", "tile[i] + j" or "((float4 *)tile)[i]", from the name to the end of
 * its last index. */
typedef struct shared_use {
    size_t begin, end;
    host_span index[SHARED_DIMS_MAX];
    unsigned count; /* number of indices, at most one per dimension */
    bool is_sum;    /* the last index is an added term */
    bool is_cast;   /* the only index counts elements of `type` */
    host_span type;
} shared_use;

/* Finds the next use from *at on, also in macros, and moves *at after its name. */
bool shared_use_next(const char *text, const shared_declaration *of, size_t *at, shared_use *out);

/* source_words.c: the place after the bracket that closes the one at `at`; the end of the block
 * around `at`. The end of the text if there is none. */
size_t shared_behind(const char *text, size_t at);
size_t shared_block_end(const char *text, size_t at);

/* Size in bytes of a type as a declaration writes it; 0 if unknown. */
uint32_t shared_element_bytes(host_span type);
/* The same, also for a name that the text (or NULL) gives to such a type. */
uint32_t shared_type_bytes(const char *text, host_span type);

/* Line number of the place, from 1. */
unsigned shared_line(const char *text, size_t at);
