/* SPDX-License-Identifier: MIT */
/*
 * The program once more, under Nsight Compute, and its counters beside the profile.
 */
#ifndef SMP_PROFILE_COUNT_H
#define SMP_PROFILE_COUNT_H

#include "profile.h"

/* Runs argv under ncu (its output goes nowhere), compares what the profile's runs looked at, and
 * says what it found on stderr. The exit status: 0, 1 where a counter differs, others where it
 * could not be counted. */
int profile_count(char *const argv[], const smp_profile *profile);

#endif
