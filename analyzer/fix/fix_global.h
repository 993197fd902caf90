/* SPDX-License-Identifier: MIT */
/*
 * Other orders of arrays in global memory: their element positions and their source text.
 * Internal to the analyzer.
 */
#pragma once

#include <stdio.h>

#include "layout_view.h"
#include "text_buffer.h"
#include "text_span.h"

/* Part of a source text, not owned. */
typedef text_span fix_span;

typedef enum fix_change_kind {
    FIX_AS_IT_IS,
    FIX_MEMBERS,  /* an array for each member */
    FIX_PERMUTED, /* dimensions in another order */
    FIX_PITCH,    /* longer rows */
    FIX_SHIFT     /* unused elements before the first */
} fix_change_kind;

typedef struct fix_change {
    fix_change_kind kind;
    uint32_t order[SMP_DIMS_MAX]; /* FIX_PERMUTED: dimension at place i */
    uint32_t bytes;               /* FIX_PITCH: of a row; FIX_SHIFT: of the shift */
    uint64_t sectors;             /* of all accesses on all architectures */
} fix_change;

enum { FIX_CHANGES_TRIED = 3 };

/* An array with a better order. */
typedef struct fix_global {
    const smp_array *array; /* in the original layout */
    size_t advice;          /* index of its advice */
    uint64_t sectors;       /* in the original order */
    uint32_t count;
    fix_change change[FIX_CHANGES_TRIED]; /* best first, one per kind */
    const fix_change *written;            /* the one in the fixed text, or NULL */
    const char *why_not;                  /* static */
} fix_global;

/* New position of `width` bytes at `byte`, from the start of the array or of the array of member
 * `*part`; false if they do not stay together. */
bool fix_change_place(const smp_array *array, const fix_change *change, uint64_t byte,
                      uint32_t width, uint32_t *part, uint64_t *out);
/* "its dimensions in another order, a[j][i] for [i][j]: 32" */
void fix_change_text(text_buffer *out, const smp_array *array, const fix_change *change);
/* Name, type and dimensions of member `index`; false if there is none. */
bool fix_member_of(const smp_type *type, uint32_t index, const char **name, size_t *length,
                   smp_shape *shape);

/* fix_global_text.c: writes `text` with the accesses of all changed arrays rewritten. */
void fix_globals_rewrite(FILE *out, const fix_global *globals, uint32_t count, const char *text,
                         size_t length);
/* Rewrites the line if it declares a changed array; otherwise writes nothing and returns false. */
bool fix_globals_declare(FILE *out, const fix_global *globals, uint32_t count, fix_span line);
/* NULL if the array's declaration can be rewritten; otherwise the reason. */
const char *fix_global_obstacle(const fix_global *global, fix_span line);
