/* SPDX-License-Identifier: MIT */
/*
 * An access by the rule of warp_rule.h, on the host or as one warp of a GPU, and how that is held
 * against the model.
 */
#pragma once

#include "smp_model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rule_result {
    uint32_t valid; /* SMP_HAS_WAVEFRONTS, SMP_HAS_TRANSACTIONS: what the rule knows */
    uint32_t wavefronts, ideal, ways, sectors;
} rule_result;

/* Fails the test if the model says otherwise. */
void rule_case_check(const smp_arch *arch, const smp_access *access, const rule_result *result);

#ifdef __cplusplus
}
#endif
