/* SPDX-License-Identifier: MIT */
/* Shared by order_*.c, internal to them. */
#pragma once

#include <stdbool.h>

#include "host_text.h"
#include "order_edit.h"

typedef struct order_finder {
    const char *text, *blank;
    order_change *out;
    unsigned count;
} order_finder;

/* order_find.c: the beginning of a line; the beginning of the statement that contains `at`,
 * including its if or for; the end of that statement. */
size_t order_line_begin(const char *text, unsigned line);
size_t order_statement_begin(const char *text, size_t at);
size_t order_statement_end(const char *text, size_t begin);
/* Finds the brace that opens the block around `at`; false if there is none. Tells whether the
 * block whose head begins at `begin` belongs to a loop or a condition. */
bool order_block_open(const char *text, size_t at, size_t *open);
bool order_is_controlled(const char *text, size_t begin, size_t open);
bool order_begins_with(const char *text, size_t begin, const char *const *words);
/* Finds the braces of the function that contains `at`; false if there is none. */
bool order_function(const char *text, size_t at, size_t *open, size_t *end);
/* The indentation in front of the statement at `at`. */
host_span order_margin(const order_finder *f, size_t at);
/* Adds a change unless it is already listed. */
void order_add(order_finder *f, size_t at, size_t length, const char *text, const char *words,
               unsigned line);

/* order_wait.c: waits elsewhere in the function, and numbers of its mbarriers. */
void order_find_waits(order_finder *f, const smp_profile_finding *race);
/* The same for threads that wait for a phase which never ends. */
void order_find_phase(order_finder *f, const smp_profile_finding *stuck);
