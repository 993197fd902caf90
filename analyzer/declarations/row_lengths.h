/* SPDX-License-Identifier: MIT */
/* Finds row lengths of a flat array in the source: the factors in its indices. */
#pragma once

#include "shared_source.h"

enum { ROW_LENGTHS_MAX = 3 };

typedef struct row_length {
    host_span text; /* in elements of the array; empty if only the value is known */
    uint32_t bytes;
    unsigned uses;
} row_length;

/* Lists row lengths, the most frequent first, and returns their number. `scope` gives the meaning
 * of names in the kernel. */
unsigned row_lengths_find(const host_scope *scope, const shared_declaration *of,
                          uint32_t element_bytes, row_length out[ROW_LENGTHS_MAX]);
