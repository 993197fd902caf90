/* SPDX-License-Identifier: MIT */
/*
 * How shared memory groups and merges the lanes of a request. Four kinds of hardware were
 * ever built; everything since Maxwell follows one rule.
 */
#include "rule.h"

/* One half-warp a request. Wider accesses are split into 4-byte requests, each judged on its
 * own, so the groups are half-warps whatever the width. */
const smp_shared_rule smp_rule_tesla = {
    .name = "half-warps, one broadcast word a step",
    .group_lanes = {16, 16, 16, 16, 16},
    .period_bytes = 64,
    .half_warps = true,
    .source = "CUDA C Programming Guide 4.2, appendix F.3.3 (compute capability 1.x)",
};

/* Section F.4.3.3: most 16-byte accesses are 2-way even where no quarter-warp has a conflict, so
 * that one is to be added to its ways. Which accesses are the others is not said: hence a range. */
const smp_shared_rule smp_rule_fermi = {
    .name =
        "one warp, multicast; 8 bytes by half-warps, 16 bytes by quarter-warps and one way more",
    .group_lanes = {32, 32, 32, 16, 8},
    .extra_passes = {0, 0, 0, 0, 1},
    .period_bytes = 128,
    .source = "CUDA C Programming Guide 4.2, appendix F.4.3 (compute capability 2.x)",
};

/* A bank is 8 bytes wide in both modes. That 16-byte accesses go by half-warps follows from this
 * width and is not documented: op.c marks it as assumed. */
const smp_shared_rule smp_rule_kepler = {
    .name = "one warp, 8-byte banks in 4- or 8-byte mode",
    .group_lanes = {32, 32, 32, 32, 16},
    .period_bytes = 256,
    .source = "CUDA C Programming Guide 4.2, appendix F.5.3 (compute capability 3.x)",
};

const smp_shared_rule smp_rule_modern = {
    .name = "one warp, multicast; 8 and 16 bytes by groups of 128 bytes, loads by pairs",
    .group_lanes = {32, 32, 32, 16, 8},
    .period_bytes = 128,
    .pair_rule = true,
    .source = "CUDA C++ Programming Guide 13.0, compute capabilities 5.x and later; wide loads: "
              "NVIDIA developer forum, measured on GH100 (model/FINDINGS.md)",
};
