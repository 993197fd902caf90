/* SPDX-License-Identifier: MIT */
/* Sets of lanes as masks, and the small numbers that go with them. Internal to model/. */
#pragma once

#include "smp_model.h"

/* Base-2 logarithm of a width of 1, 2, 4, 8 or 16 bytes. */
static inline unsigned width_log2(unsigned width_bytes) {
    return (unsigned)__builtin_ctz(width_bytes);
}

/* Bits set: without a compiler flag for it, __builtin_popcount is a call to a table look-up. */
static inline unsigned count_lanes(uint32_t mask) {
    if (mask == SMP_ALL_LANES)
        return SMP_LANES;
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return ((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

static inline unsigned lowest_lane(uint32_t mask) {
    return (unsigned)__builtin_ctz(mask);
}
