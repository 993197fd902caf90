/* SPDX-License-Identifier: MIT */
/*
 * How texts ask for random values (`data` of layouts, arrays of launches), and what one is.
 */
#pragma once

#include <stdint.h>

#define SMP_RANDOM_FORM "random:LOW:HIGH[:SEED]" /* both bounds are included */
enum { SMP_RANDOM_SEED = 1 };                    /* where none is said */

/* The value that 64 random bits mean. Unsigned bounds are cast. */
static inline int64_t smp_random_between(uint64_t bits, int64_t low, int64_t high) {
    const uint64_t span = (uint64_t)high - (uint64_t)low;
    return (int64_t)((uint64_t)low + (span < UINT64_MAX ? bits % (span + 1) : bits));
}
