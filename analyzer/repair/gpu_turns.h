/* SPDX-License-Identifier: MIT */
/*
 * Two versions of one launch on a GPU: what each leaves, and how long each takes, in turns.
 */
#pragma once

#include "gpu_launch.h"

typedef struct gpu_turns {
    const char *grouped;        /* given: members of structs that the second has in groups */
    double before_us, after_us; /* medians of one launch */
    bool is_equal;              /* both leave the same bytes, or the first alone varies */
    smp_error failed; /* of `after` alone, whose status is SMP_OK if it ran; then is_equal is false,
                       * and the GPU is not to be used any more */
    uint32_t rounds;
} gpu_turns;

/* Both must have been made, and `copies` set for their times. */
smp_status gpu_turns_take(gpu_launch *before, gpu_launch *after, gpu_turns *out, smp_error *error);
