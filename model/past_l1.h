/* SPDX-License-Identifier: MIT */
/*
 * Copies that pass L1 by (model/FINDINGS.md, 1). Internal to model/ and the tests.
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
