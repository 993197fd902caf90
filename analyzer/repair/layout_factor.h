/* SPDX-License-Identifier: MIT */
/*
 * Pieces of expressions, as text, and what to know before they are put into others.
 */
#pragma once

#include "host_text.h"

bool layout_is_number(host_span text);
/* A name, a number or a member. */
bool layout_is_primary(host_span text);
/* Binds tighter than + does: no operator below it. */
bool layout_is_sum(host_span text);
/* To write it twice would do something twice. */
bool layout_acts(host_span text);
size_t layout_place(const char *text, host_span span);

/* The value where the text stands; false: it is not known. */
bool layout_value(const host_scope *scope, host_span text, int64_t *value);

enum { LAYOUT_FACTORS_MAX = 12 };

/* "TILE" of "y * TILE + x", and "<< 5" of "(y << 5) + x". */
typedef struct layout_factor {
    host_span text;
    bool is_shift;
} layout_factor;

/* What the text multiplies by, in its order, but for what it divides by. */
unsigned layout_factors(host_span text, layout_factor out[LAYOUT_FACTORS_MAX]);
/* Both are factors of one product. */
bool layout_one_product(const layout_factor *first, const layout_factor *second);
