/* SPDX-License-Identifier: MIT */
/*
 * What may order a race, written into the source: a barrier, a fence, a wait, a wait for fewer
 * copies under way, or another phase or count of an mbarrier.
 */
#pragma once

#include "profile_finding.h"
#include "text_edit.h"

enum { ORDER_TEXT = 240, ORDER_WORDS = 160, ORDER_CHANGES_MAX = 20 };

/* `length` bytes at `at` become `text`. */
typedef struct order_change {
    size_t at, length;
    unsigned line; /* of `at` */
    char text[ORDER_TEXT], words[ORDER_WORDS];
} order_change;

/* The likeliest first. `blank`: the text without comments and strings. 0: no line orders them. */
unsigned order_changes_find(const char *text, const char *blank, const smp_profile_finding *race,
                            order_change out[ORDER_CHANGES_MAX]);
