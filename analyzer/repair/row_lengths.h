/* SPDX-License-Identifier: MIT */
/*
 * How long a source says that the rows of an array of one dimension are: what its indices multiply
 * by.
 */
#pragma once

#include "shared_source.h"

enum { ROW_LENGTHS_MAX = 3 };

typedef struct row_length {
    host_span text; /* in elements of the array; nothing: only the value is known */
    uint32_t bytes;
    unsigned uses;
} row_length;

/* The most used first; their count. `scope`: what names mean in the kernel. */
unsigned row_lengths_find(const host_scope *scope, const shared_declaration *of,
                          uint32_t element_bytes, row_length out[ROW_LENGTHS_MAX]);
