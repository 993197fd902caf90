/* SPDX-License-Identifier: MIT */
/*
 * The rules by which shared memory serves a request, one row a generation of hardware that
 * behaves alike. Internal to the model: architectures point to a row, predict.c obeys it.
 */
#ifndef SMP_RULE_H
#define SMP_RULE_H

#include "smp_model.h"

/* Widths 1, 2, 4, 8, 16 bytes a lane, by their base-2 logarithm. */
#define SMP_WIDTH_COUNT 5

struct smp_shared_rule {
    const char *name;
    /* Lanes that are judged together, by log2 of the width. */
    uint8_t group_lanes[SMP_WIDTH_COUNT];
    /* Passes that a group may need beyond its words, by log2 of the width. They count as ways. */
    uint8_t extra_passes[SMP_WIDTH_COUNT];
    /* Kepler: a bank is 8 bytes wide in both modes. In 4-byte mode it holds words i and i+32
     * of a 64-word segment, and delivers both in one pass. */
    bool eight_byte_banks;
    /* Wide loads whose lanes agree in pairs are served in groups of twice as many lanes. */
    bool pair_rule;
    /* CC 1.x: half-warps, 4-byte requests, one broadcast word a step (half_warp.c). */
    bool half_warps;
    const char *source;
};

extern const smp_shared_rule smp_rule_tesla, smp_rule_fermi, smp_rule_kepler, smp_rule_modern;

#endif
