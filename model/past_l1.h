/* SPDX-License-Identifier: MIT */
/*
 * What global memory costs beside loads: copies that pass L1 by, and reductions inside it, by the
 * rules of model/FINDINGS.md, 1 and 9. Internal to model/ and its tests: `predict` has no place for
 * either yet.
 */
#ifndef SMP_PAST_L1_H
#define SMP_PAST_L1_H

#include "smp_model.h"

typedef struct smp_bypass_counts {
    uint32_t tag_wavefronts; /* of the stage that looks lines up */
    uint32_t sectors;        /* of 32 bytes, that are fetched */
} smp_bypass_counts;

/* A SMP_CP_ASYNC of 16 bytes, which passes L1 by. Errors as for smp_l1_predict. */
smp_status smp_copy_bypass_predict(const smp_arch *arch, const smp_access *access,
                                   smp_bypass_counts *out);

typedef struct smp_reduce_counts {
    uint32_t tag_wavefronts, data_wavefronts;
    uint32_t return_wavefronts; /* of the data stage, if it is an atomic that returns something */
} smp_reduce_counts;

/* A SMP_RED_GLOBAL of 4 or 8 bytes inside L1. Errors as for smp_l1_predict. */
smp_status smp_reduce_predict(const smp_arch *arch, const smp_access *access,
                              smp_reduce_counts *out);

#endif
