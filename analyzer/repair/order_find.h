/* SPDX-License-Identifier: MIT */
/*
 * What the searches for places and for numbers of order_*.c share. Internal to them.
 */
#pragma once

#include <stdbool.h>

#include "order_edit.h"

typedef struct order_finder {
    const char *text, *blank;
    order_change *out;
    unsigned count;
} order_finder;

/* order_find.c: where line `line` begins; the first byte of the statement that holds `at`, with
 * what controls it; behind its end. */
size_t order_line_begin(const char *text, unsigned line);
size_t order_statement_begin(const char *text, size_t at);
size_t order_statement_end(const char *text, size_t begin);
/* The bracket that opens the block which holds `at`; false: none does. Whether that block, with
 * what stands in front of it from `begin` on, is of a loop or a condition. */
bool order_block_open(const char *text, size_t at, size_t *open);
bool order_is_controlled(const char *text, size_t begin, size_t open);
bool order_begins_with(const char *text, size_t begin, const char *const *words);
/* The brackets of the function that holds `at`; false: none does. */
bool order_function(const char *text, size_t at, size_t *open, size_t *end);
/* One more, unless it is there already. */
void order_add(order_finder *f, size_t at, size_t length, const char *text, const char *words,
               unsigned line);

/* order_wait.c: waits of the function that stand elsewhere, and numbers of its mbarriers. */
void order_find_waits(order_finder *f, const smp_profile_finding *race);
/* The same where threads wait for a phase that never ends. */
void order_find_phase(order_finder *f, const smp_profile_finding *stuck);
