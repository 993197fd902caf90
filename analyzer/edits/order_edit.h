/* SPDX-License-Identifier: MIT */
/*
 * Changes that may order a race: a barrier, a fence, a wait, a wait for fewer pending copies, or
 * another phase or count of an mbarrier.
 */
#pragma once

#include "profile_finding.h"
#include "text_edit.h"

enum { ORDER_TEXT = 240, ORDER_WORDS = 160, ORDER_CHANGES_MAX = 20 };

/* Replaces `length` bytes at `at` by `text`, and inserts `also` at `also_at`. */
typedef struct order_change {
    size_t at, length, also_at;
    unsigned line; /* line of `at` */
    char text[ORDER_TEXT], also[ORDER_TEXT], words[ORDER_WORDS];
} order_change;

/* Lists possible changes, the likeliest first, and returns their number. `blank` is the text
 * without comments and strings. */
unsigned order_changes_find(const char *text, const char *blank, const smp_profile_finding *race,
                            order_change out[ORDER_CHANGES_MAX]);
