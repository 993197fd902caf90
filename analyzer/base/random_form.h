/* SPDX-License-Identifier: MIT */
/*
 * The syntax of random values in texts (`data` of layouts, arrays of launches), and their values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SMP_RANDOM_FORM "random:LOW:HIGH[:SEED]" /* both bounds are included */
enum { SMP_RANDOM_SEED = 1 };                    /* if none is given */

/* Converts 64 random bits to a value. Unsigned bounds are cast. */
static inline int64_t smp_random_between(uint64_t bits, int64_t low, int64_t high) {
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    const bool is_power = (span & (span + 1)) == 0; /* minus one */
    return (int64_t)((uint64_t)low + (is_power ? bits & span : bits % (span + 1)));
}
