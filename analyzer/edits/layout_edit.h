/* SPDX-License-Identifier: MIT */
/* Writes a new layout of a shared array into the source that declares and uses it. */
#pragma once

#include <stdint.h>

#include "shared_source.h"
#include "text_edit.h"

typedef enum layout_kind {
    LAYOUT_PAD,     /* `pad` unused elements after every `row`; negative: takes so many away */
    LAYOUT_XOR,     /* index ^ (index / row / over & mask) * unit, in rows longer by `pad` */
    LAYOUT_TURN,    /* two indices change places: `rows` rows of `row` elements */
    LAYOUT_ALIGN,   /* aligns the array to 16 bytes, so that the compiler may join accesses */
    LAYOUT_THREADS, /* threadIdx.x and threadIdx.y change places in the kernel */
    LAYOUT_STRUCT,  /* makes each struct element `pad` words longer */
    LAYOUT_APART,   /* turns an array of structs into a struct of arrays */
} layout_kind;

/* Counts elements unless the name says bytes. */
typedef struct layout_change {
    layout_kind kind;
    uint32_t row;
    int32_t pad;
    uint32_t mask, unit;
    uint32_t over; /* rows that share one column pattern, for several dimensions; 0 means 1 */
    uint32_t element_bytes;
    uint32_t rows;      /* rows of the array; 0 if unknown */
    host_span row_text; /* how the source writes `row`; empty if unknown */
    bool is_outer;   /* of three dimensions, pads the middle one, or exchanges or combines the first
                        and last */
    bool is_inner;   /* padding: the rows are shorter ones inside the last of several dimensions */
    bool is_aligned; /* padding: also aligns the array to 16 bytes, so that accesses stay joined */
    bool is_everywhere; /* padding: pointers into the array reach more than one row */
    uint64_t predicted; /* predicted wavefronts of the array; 0 if unknown */
} layout_change;

enum { LAYOUT_WORDS = 160, LAYOUT_WHY = 200 };

/* "tile: rows of 33 instead of 32". Returns `out`. */
const char *layout_words(const shared_declaration *of, const layout_change *change,
                         char out[LAYOUT_WORDS]);
/* Adds the edits of `text`. False if a use cannot be rewritten; `why` names it. True with a reason
 * in `why` if a use is left unchanged; the run must show whether that works. `scope` gives the
 * meaning of names in the kernel; NULL if unknown. */
bool layout_write(const char *text, const host_scope *scope, const shared_declaration *of,
                  const layout_change *change, text_edits *edits, char why[LAYOUT_WHY]);
