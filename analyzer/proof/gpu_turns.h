/* SPDX-License-Identifier: MIT */
/*
 * Runs two versions of one launch on a GPU, compares what they leave, and times them alternately.
 */
#pragma once

#include "gpu_launch.h"

typedef struct gpu_turns {
    const char
        *grouped; /* set by the caller: struct members that the second version keeps in groups */
    double before_us, after_us; /* median time of one launch */
    bool is_equal;    /* both leave the same bytes, or the first one varies from run to run */
    smp_error failed; /* error of `after` alone, SMP_OK if it ran. After an error is_equal is false
                         and the GPU must not be used any more */
    uint32_t rounds;
} gpu_turns;

/* Both launches must have been made, with `copies` set for timing. */
smp_status gpu_turns_take(gpu_launch *before, gpu_launch *after, gpu_turns *out, smp_error *error);
