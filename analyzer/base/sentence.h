/* SPDX-License-Identifier: MIT */
/*
 * Sentences as rows. A row is a template with typed slots; a sentence is a row with its
 * slots filled. So the same row can read a sentence back, and a test checks that what it says is
 * true; it fails for a new row that it cannot check (tests/unit/prediction/test_sentences.c).
 *
 * Slots of a template:
 *   {n}      a number                      "33"
 *   {e}      a counter's value, rounded    "1048576"
 *   {f}      a number with one decimal     "2.5"
 *   {b}      a run of banks                "bank 5", "banks 4-7"
 *   {l}      lanes, as runs                "lane 3", "lanes 0-7, 16"; of more than six runs the
 *                                          first six, then ", ... (20 lanes)"
 *   {t}      a text from elsewhere         a name, a form
 *   {a|b}    takes no value                a if the last {n} or {b} was one, else b
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"

enum { SMP_SLOT_RUNS_MAX = 6 };

/* What fills a slot: the field that its kind needs. */
typedef struct smp_slot {
    uint64_t number; /* {n}; the first bank of {b}; the mask of {l} */
    uint64_t count;  /* number of banks of {b} */
    double real;     /* {e}, {f} */
    const char *text;
} smp_slot;

#define SMP_NUMBER(value) ((smp_slot){.number = (value)})
#define SMP_REAL(value) ((smp_slot){.real = (value)})
#define SMP_BANKS(first, banks) ((smp_slot){.number = (first), .count = (banks)})
#define SMP_LANE_MASK(lanes) ((smp_slot){.number = (lanes)})
#define SMP_WORDS(words) ((smp_slot){.text = (words)})

/* Appends `row` with its slots filled in order. */
void smp_say(text_buffer *out, const char *row, const smp_slot *slots);
