/* SPDX-License-Identifier: MIT */
/*
 * What a fix is worth, by a profile with times.
 */
#pragma once

#include "profile.h"
#include "smp_fix.h"

/* Of a kernel that was timed. */
typedef struct fix_worth {
    char kernel[64]; /* "": nothing is said */
    double time_us, most_us;
} fix_worth;

/* Of the kernel of *profile that was timed: the one that `kernels` names (a regular expression;
 * NULL: any), or the only one; others are taken out of the profile. `path` names it in messages.
 * Fails where there is none or several, where the profile is of another architecture than the fix's
 * one, and where the accesses conflict more than the kernel does. */
smp_status fix_worth_find(smp_profile *profile, const char *path, const char *kernels,
                          const smp_fix *fix, fix_worth *out, smp_error *error);
