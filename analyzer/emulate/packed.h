/* SPDX-License-Identifier: MIT */
/*
 * Flags of smp_lanes_packed_extreme.
 */
#ifndef SMP_PACKED_H
#define SMP_PACKED_H

enum {
    PACKED_UNSIGNED = 1,
    PACKED_RELU = 2,
    PACKED_HALVES = 4, /* two 16-bit integers */
    PACKED_BYTES = 64, /* four 8-bit integers, unsigned */
    PACKED_ADDS = 8,   /* a + b with c */
    PACKED_THREE = 16, /* a, b and c */
};

#endif
