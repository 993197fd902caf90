/* SPDX-License-Identifier: MIT */
/*
 * Other orders of arrays in global memory: what they are, where their elements go, and how a source
 * text says so. Internal to the analyzer.
 */
#pragma once

#include <stdio.h>

#include "layout_view.h"
#include "text_buffer.h"

/* A piece of a source text that somebody else owns. */
typedef struct fix_span {
    const char *text;
    size_t length;
} fix_span;

typedef enum fix_change_kind {
    FIX_AS_IT_IS,
    FIX_MEMBERS,  /* an array for each member */
    FIX_PERMUTED, /* dimensions in another order */
    FIX_PITCH,    /* longer rows */
    FIX_SHIFT     /* elements before the first one */
} fix_change_kind;

typedef struct fix_change {
    fix_change_kind kind;
    uint32_t order[SMP_DIMS_MAX]; /* FIX_PERMUTED: which dimension comes at place i */
    uint32_t bytes;               /* of FIX_PITCH: a row's; of FIX_SHIFT */
    uint64_t sectors;             /* that all accesses then move, on all architectures */
} fix_change;

enum { FIX_CHANGES_TRIED = 3 };

/* An array that should have another order. */
typedef struct fix_global {
    const smp_array *array; /* of the layout as written */
    size_t advice;          /* its line of advice */
    uint64_t sectors;       /* as it is */
    uint32_t count;
    fix_change change[FIX_CHANGES_TRIED]; /* the best first, one of a kind */
    const fix_change *written;            /* which of them the fixed text has; NULL: none */
    const char *why_not;                  /* static */
} fix_global;

/* Where `width` bytes from `byte` on lie under a change: bytes from the start of the array, or of
 * member `*part`'s; false: they do not stay together. */
bool fix_change_place(const smp_array *array, const fix_change *change, uint64_t byte,
                      uint32_t width, uint32_t *part, uint64_t *out);
/* "its dimensions in another order, a[j][i] for [i][j]: 32" */
void fix_change_text(text_buffer *out, const smp_array *array, const fix_change *change);
/* The name of member `index`, and its type and dimensions; false: there is none. */
bool fix_member_of(const smp_type *type, uint32_t index, const char **name, size_t *length,
                   smp_shape *shape);

/* fix_global_text.c: writes `text` with the accesses of all arrays that have a written change in
 * their new form. */
void fix_globals_rewrite(FILE *out, const fix_global *globals, uint32_t count, const char *text,
                         size_t length);
/* Writes the declaration anew, if the line is one of such an array; false: it is none, and nothing
 * is written. */
bool fix_globals_declare(FILE *out, const fix_global *globals, uint32_t count, fix_span line);
/* NULL if the line that declares the array can be written anew; else why not. */
const char *fix_global_obstacle(const fix_global *global, fix_span line);
