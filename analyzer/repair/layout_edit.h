/* SPDX-License-Identifier: MIT */
/*
 * Another layout of a shared array, written into the source that declares and uses it.
 */
#pragma once

#include <stdint.h>

#include "shared_source.h"
#include "text_edit.h"

typedef enum layout_kind {
    LAYOUT_PAD,     /* `pad` elements behind every `row` */
    LAYOUT_XOR,     /* index ^ (index / row / over & mask) * unit */
    LAYOUT_TURN,    /* the last two indices are exchanged: `rows` of them, each of `row` */
    LAYOUT_ALIGN,   /* to 16 bytes, so that the compiler may join accesses */
    LAYOUT_THREADS, /* threadIdx.x and threadIdx.y are exchanged in the kernel */
    LAYOUT_STRUCT,  /* `pad` words more in each element, which is a struct */
    LAYOUT_APART,   /* an array for each member of its elements */
} layout_kind;

/* All but bytes count elements. */
typedef struct layout_change {
    layout_kind kind;
    uint32_t row, pad;
    uint32_t mask, unit;
    uint32_t over; /* rows that share one pattern, of several dimensions; 0: one */
    uint32_t element_bytes;
    uint32_t rows;      /* of the array; 0: unknown */
    host_span row_text; /* how the source calls `row`; nothing: not known */
    bool is_inner; /* padding: the rows are those that the last of several indices steps over */
    bool is_everywhere;  /* padding: pointers into the array go over more than one row */
    uint32_t more_bytes; /* that the array takes */
    uint64_t predicted;  /* wavefronts of the array then; 0: not known before it runs */
} layout_change;

enum { LAYOUT_WORDS = 160, LAYOUT_WHY = 200 };

/* "tile: rows of 33 instead of 32". Returns `out`. */
const char *layout_words(const shared_declaration *of, const layout_change *change,
                         char out[LAYOUT_WORDS]);
/* Adds what has to change of `text`. False, with the reason: a use cannot be rewritten. True with a
 * reason: a use stays as it is, and the run has to show whether that does. `scope`: what names mean
 * in the kernel; NULL: not known. */
bool layout_write(const char *text, const host_scope *scope, const shared_declaration *of,
                  const layout_change *change, text_edits *edits, char why[LAYOUT_WHY]);
