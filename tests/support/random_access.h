/* SPDX-License-Identifier: MIT */
/*
 * random_access.h: seeded accesses that look for trouble: strides, permutations, few banks, few
 * words, pairs of lanes and near misses of them, sparse masks, rows of a matrix, lanes inside one
 * word, and addresses around the edges of sectors and segments.
 */
#ifndef RANDOM_ACCESS_H
#define RANDOM_ACCESS_H

#include "smp_model.h"

/* splitmix64; any seed will do. */
typedef struct random_state {
    uint64_t state;
} random_state;

uint64_t random_next(random_state *random);
/* 0 .. limit-1; limit at least 1. */
uint32_t random_below(random_state *random, uint32_t limit);

/* An environment variable as a number, else `fallback`. */
uint64_t test_setting(const char *name, uint64_t fallback);

/* Fills *out with a valid access of `op` and `width_bytes`: aligned, inside `limit_bytes` of
 * shared memory, at least one lane whose address counts. Entries of inactive lanes are garbage. */
void random_access(random_state *random, smp_op op, unsigned width_bytes, uint32_t limit_bytes,
                   smp_access *out);

#endif
