/* SPDX-License-Identifier: MIT */
/*
 * Where a source declares an array in shared memory, and where it uses it. The text is read as
 * host_text.h reads it; offsets count its bytes.
 */
#pragma once

#include "host_text.h"

enum { SHARED_DIMS_MAX = 4 };

typedef struct shared_declaration {
    size_t begin;                      /* of __shared__, or of what stands in front of it */
    host_span name, type;              /* in the text */
    host_span extent[SHARED_DIMS_MAX]; /* between the brackets */
    unsigned dims;
    size_t end;       /* behind the last bracket */
    size_t scope_end; /* of the block, or of the file */
    bool is_extern;
    bool is_member; /* of a struct: its uses stand behind '.' or '->' */
    bool is_call;   /* a function that returns it: its uses are calls */
} shared_declaration;

/* The next declaration of `name` (NULL: of any array) from *at on, which moves behind it. */
bool shared_declaration_next(const char *text, const char *name, size_t *at,
                             shared_declaration *out);

/* The struct that a shared variable or the elements of a shared array are of, or that a shared
 * array is cast to: its name, and what stands between its brackets. False: there is none in the
 * text. */
bool shared_struct_of(const char *text, const char *name, host_span *type, host_span *body);
/* The next member of it that is an array, from *at on, which moves behind it. */
bool shared_member_next(const char *text, host_span body, size_t *at, shared_declaration *out);

/* "tile[i][j]", "tile[i] + j", "((float4 *)tile)[i]": from the name to behind its last index. */
typedef struct shared_use {
    size_t begin, end;
    host_span index[SHARED_DIMS_MAX];
    unsigned count; /* of indices, at most as many as there are dimensions */
    bool is_sum;    /* the last one is what is added */
    bool is_cast;   /* the only one counts elements of `type` */
    host_span type;
} shared_use;

/* The next use from *at on, which moves behind its name; those in macros count, too. */
bool shared_use_next(const char *text, const shared_declaration *of, size_t *at, shared_use *out);

/* Behind the bracket that closes the one at `at`, and where the block that holds `at` ends; the end
 * of the text if nothing does. */
size_t shared_behind(const char *text, size_t at);
size_t shared_block_end(const char *text, size_t at);

/* Bytes of an element of that type, as a declaration writes it; 0: not known. */
uint32_t shared_element_bytes(host_span type);

/* From 1. */
unsigned shared_line(const char *text, size_t at);
