/* SPDX-License-Identifier: MIT */
/* The accesses that findings.c tries. */
#pragma once

#include "gpu_access.h"

enum { PATTERN_TEXT = 64, NO_EXTRA = -1, DRY = -2 };

/* An operation of the model, or an extra instruction in the place of one. */
typedef struct instruction {
    smp_op op;
    uint32_t width_bytes;
    int extra;
} instruction;

struct sample {
    char pattern[PATTERN_TEXT];
    smp_access access;
};

typedef struct samples {
    struct sample *items;
    size_t count, room;
} samples;

/* Named placings of the lanes; for copies every pair of a shared and a global one. */
void add_designed(samples *list, const instruction *what);
/* `count` of gpu_random_access. */
void add_random(samples *list, const instruction *what, size_t count, uint64_t seed);
/* Two lanes in 128-byte lines that differ in one bit of the line number above the lowest five, and
 * in any of the lowest two: shows which lines share a bank of the tag stage. */
void add_line_bits(samples *list, const instruction *what);
/* `count` accesses of few lanes, in lines of few numbers. */
void add_few_lines(samples *list, const instruction *what, size_t count, uint64_t seed);
/* `count` accesses with lanes anywhere in the memory that can be reached. */
void add_far(samples *list, const instruction *what, size_t count, uint64_t seed);
