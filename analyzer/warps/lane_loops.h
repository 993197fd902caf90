/* SPDX-License-Identifier: MIT */
/*
 * Loops over the lanes of a row that compilers vectorize. On x86-64, functions marked LANES_CLONED
 * are compiled for several instruction sets.
 */
#pragma once

#include "cloned.h"
#include "uop.h"

/* Every lane of a row; result rows are operand rows or do not overlap them. */
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < ROW; l++)

/* The lanes of a mask, from the lowest up; `l` is the lane. */
#define EACH_LANE_OF(l, lanes)           \
    for (uint32_t l##_rest = (lanes), l; \
         l##_rest != 0 && (l = (uint32_t)__builtin_ctz(l##_rest), true); l##_rest &= l##_rest - 1)

/* The lanes of a mask for which the expression on `l`, a lane, is what it is for the first. */
#define LANES_ALIKE(l, lanes, ...)                                                   \
    __extension__({                                                                  \
        uint32_t l = (uint32_t)__builtin_ctz(lanes), l##_alike = 0;                  \
        const __typeof__(__VA_ARGS__) l##_first = (__VA_ARGS__);                     \
        for (uint32_t l##_left = (lanes); l##_left != 0; l##_left &= l##_left - 1) { \
            l = (uint32_t)__builtin_ctz(l##_left);                                   \
            l##_alike |= (uint32_t)((__VA_ARGS__) == l##_first) << l;                \
        }                                                                            \
        l##_alike;                                                                   \
    })

/* The mask of lanes for which a condition on `l` is true. */
#define LANES_WHERE(condition)                                 \
    __extension__({                                            \
        uint32_t bits[ROW], where = 0;                         \
        EACH_LANE bits[l] = (uint32_t)((condition) != 0) << l; \
        for (unsigned l = 0; l < ROW; l++)                     \
            where |= bits[l];                                  \
        where;                                                 \
    })

typedef uint32_t lane_eight __attribute__((vector_size(32), aligned(1), may_alias));

/* Inlined into each clone of its callers. */
#define LANES_INLINE static inline __attribute__((always_inline))

/* Copies a row. Written with vectors: compilers turn memcpy into a string instruction here, whose
 * start takes longer than this copy. */
LANES_INLINE void lanes_copy(void *to, const void *from) {
    const lane_eight *in = (const lane_eight *)from;
    lane_eight *out = (lane_eight *)to;
    const lane_eight a = in[0], b = in[1], c = in[2], d = in[3];
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}
