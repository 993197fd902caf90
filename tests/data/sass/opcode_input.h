/* SPDX-License-Identifier: MIT */
/*
 * opcode_input.h: the operands of the kernels of opcodes.cu, the same on the GPU and in the test:
 * random words, and among them numbers that are hard, by what the kernel's name says it works on.
 */
#pragma once

#include <stdint.h>
#include <string.h>

enum { OPCODE_INPUTS = 256, OPCODE_OUTPUTS = 64 * 64, OPCODE_THREADS = 64 };

static inline uint32_t opcode_random(uint64_t *state) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x >> 32);
}

static inline uint32_t opcode_word(uint64_t *state, const char *kernel, unsigned index) {
    static const uint32_t whole[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32, 0xffff};
    static const uint32_t singles[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       1,          0x807fffff, 0x00800000, 0x7f7fffff, 0x3f800000,
                                       0x4f000000, 0xcf000000, 0x5f000000, 0x4b000001, 0x3f000000};
    static const uint32_t halves[] = {0x00008000, 0x7c00fc00, 0x7e003c00, 0x000103ff, 0x7bfffbff};
    uint32_t bits = opcode_random(state), pick = opcode_random(state);
    if (strncmp(kernel, "float", 5) == 0 || strncmp(kernel, "approx_s", 8) == 0) {
        if (pick % 5 == 0)
            return singles[pick / 5 % 15];
        if (pick % 5 < 4) /* near 1, so that sums do not vanish in each other */
            return (bits & 0x807fffff) | (117 + pick / 5 % 20) << 23;
    } else if (strncmp(kernel, "double", 6) == 0 && index % 2 == 0) {
        if (pick % 6 == 0)
            return pick / 6 % 2 ? 0x7ff00000 : 0x80000000;
        return (bits & 0x800fffff) | (1003 + pick / 6 % 40) << 20;
    } else if (strncmp(kernel, "half", 4) == 0) {
        if (pick % 5 == 0)
            return halves[pick / 5 % 5];
        return (bits & 0x8fff8fff) | 0x30003000; /* both kinds of half: moderate */
    } else if (strncmp(kernel, "int_", 4) == 0 && pick % 4 == 0) {
        return whole[pick / 4 % 8];
    }
    return bits;
}

static inline void opcode_fill_input(const char *kernel, uint32_t in[OPCODE_INPUTS]) {
    uint64_t state = 12345;
    for (const char *at = kernel; *at != '\0'; at++)
        state = state * 31 + (uint64_t)*at;
    for (unsigned i = 0; i < OPCODE_INPUTS; i++)
        in[i] = opcode_word(&state, kernel, i);
}
