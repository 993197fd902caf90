/* SPDX-License-Identifier: MIT */
/*
 * collective_input.h: what kernels of random_collectives read, and how much they write.
 */
#pragma once

#include <stdint.h>

/* Bytes of dynamic shared memory. Words: one a thread, then counters, then what COLLECTIVE_TRACE
 * makes of each thread's results. */
enum {
    COLLECTIVE_SHARED = 512,
    COLLECTIVE_IN = 1024,
    COLLECTIVE_OUT = 144,
    COLLECTIVE_TRACED = 256 + 128 * 128
};

static inline void collective_input(uint32_t *in) {
    for (uint32_t i = 0; i < COLLECTIVE_IN; i++) {
        uint32_t x = (i + 1) * 2654435761u;
        x ^= x >> 15;
        x *= 2246822519u;
        in[i] = x ^ x >> 13;
    }
}
