/* SPDX-License-Identifier: MIT */
/* The worth of a fix, from a profile with times. */
#pragma once

#include "profile.h"
#include "smp_fix.h"

/* For a kernel that was timed. */
typedef struct fix_worth {
    char kernel[64]; /* "" if there is nothing to say */
    double time_us, most_us;
} fix_worth;

/* Takes the timed kernel of *profile that `kernels` matches (a regular expression; NULL for any),
 * and removes the others. `path` names the profile in messages. Fails if there is none or several,
 * if the profile's architecture differs from the fix's, and if the accesses conflict more than the
 * kernel does. */
smp_status fix_worth_find(smp_profile *profile, const char *path, const char *kernels,
                          const smp_fix *fix, fix_worth *out, smp_error *error);
