/* SPDX-License-Identifier: MIT */
/* Parts of expressions as text, and what must be known before one is put into another. */
#pragma once

#include "host_text.h"

/* Whether the text has a side effect, so it must not be written twice. */
bool layout_acts(host_span text);
size_t layout_place(const char *text, host_span span);

/* Evaluates the text at its place in the source. False if it is unknown. */
bool layout_value(const host_scope *scope, host_span text, int64_t *value);

enum { LAYOUT_FACTORS_MAX = 12 };

/* "TILE" of "y * TILE + x", and "<< 5" of "(y << 5) + x". */
typedef struct layout_factor {
    host_span text;
    bool is_shift;
} layout_factor;

/* Lists the factors in the text, in order, without divisors. */
unsigned layout_factors(host_span text, layout_factor out[LAYOUT_FACTORS_MAX]);
/* Whether both are factors of one product. */
bool layout_one_product(const layout_factor *first, const layout_factor *second);
