/* SPDX-License-Identifier: MIT */
/*
 * The program once more, under Nsight Compute, and its counters beside the profile.
 */
#ifndef SMP_PROFILE_COUNT_H
#define SMP_PROFILE_COUNT_H

#include "profile_verify.h"

/* Runs argv under ncu (its output goes nowhere) and compares what the profile's runs looked at; up
 * to three times, *counts, while a sum is not equal. Clear *out in any case. Fails where it could
 * not be counted. */
smp_status profile_count(char *const argv[], const smp_profile *profile, smp_verification *out,
                         unsigned *counts, smp_error *error);

#endif
