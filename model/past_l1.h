/* SPDX-License-Identifier: MIT */
/*
 * What goes through L1 beside loads from global memory: copies that pass it by, reductions, and
 * loads of local memory, by the rules of model/FINDINGS.md, 1 and 9. Internal to model/, to what
 * adds up kernels, and to the tests: `predict` has no place for them yet.
 */
#pragma once

#include "smp_model.h"

typedef struct smp_bypass_counts {
    uint32_t tag_wavefronts; /* of the stage that looks lines up */
    uint32_t sectors;        /* of 32 bytes, that are fetched */
} smp_bypass_counts;

/* A SMP_CP_ASYNC of 16 bytes, which bypasses L1. Errors as for smp_l1_predict. */
smp_status smp_copy_bypass_predict(const smp_arch *arch, const smp_access *access,
                                   smp_bypass_counts *out);

typedef struct smp_reduce_counts {
    uint32_t tag_wavefronts, data_wavefronts;
    uint32_t return_wavefronts; /* of the data stage, if it is an atomic that returns something */
} smp_reduce_counts;

/* A SMP_RED_GLOBAL of 4 or 8 bytes inside L1. Errors as for smp_l1_predict. */
smp_status smp_reduce_predict(const smp_arch *arch, const smp_access *access,
                              smp_reduce_counts *out);

typedef struct smp_local_counts {
    uint32_t sectors, tag_wavefronts;
    uint32_t hit_wavefronts; /* of the data stage; with no line in L1 as many as of the tag stage */
} smp_local_counts;

/* A load of local memory: a SMP_LD_GLOBAL whose addresses are bytes of each thread's own memory.
 * `first_line`: the number of the line (address / 128) where the warp's local memory begins; only
 * the tag stage depends on it. Errors as for smp_l1_predict. */
smp_status smp_local_predict(const smp_arch *arch, const smp_access *access, uint64_t first_line,
                             smp_local_counts *out);
