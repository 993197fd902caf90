/* SPDX-License-Identifier: MIT */
/* The CPU's rounding mode. Where it can be, it is set without the x87 unit, which nothing here uses
 * and whose mode is slow to set. */
#pragma once

#include "lanes.h"

/* A separate function for each computation under a set rounding mode, so that the compiler moves
 * nothing across the change of mode. */
#define IN_ROUNDING LANES_CLONED static __attribute__((noinline))

#ifdef __SSE2_MATH__
#include <xmmintrin.h>

typedef unsigned lanes_rounding;

/* Returns the mode before. */
static inline lanes_rounding lanes_round(uint32_t flags) {
    const unsigned before = _mm_getcsr();
    const unsigned wanted = (before & ~(unsigned)_MM_ROUND_MASK) | (flags & ROUND_MASK) << 13;
    if (wanted != before)
        _mm_setcsr(wanted);
    return before;
}

static inline void lanes_round_as(lanes_rounding before) {
    _mm_setcsr(before);
}
#else
#include <fenv.h>

typedef int lanes_rounding;

static inline lanes_rounding lanes_round(uint32_t flags) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    const int before = fegetround();
    (void)fesetround(modes[flags & ROUND_MASK]);
    return before;
}

static inline void lanes_round_as(lanes_rounding before) {
    (void)fesetround(before);
}
#endif
