/* SPDX-License-Identifier: MIT */
/*
 * How texts ask for random values (`data` of layouts, arrays of launches), and what one is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SMP_RANDOM_FORM "random:LOW:HIGH[:SEED]" /* both bounds are included */
enum { SMP_RANDOM_SEED = 1 };                    /* where none is said */

/* The value that 64 random bits mean. Unsigned bounds are cast. */
static inline int64_t smp_random_between(uint64_t bits, int64_t low, int64_t high) {
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    const bool is_power = (span & (span + 1)) == 0; /* less one */
    return (int64_t)((uint64_t)low + (is_power ? bits & span : bits % (span + 1)));
}
