/* SPDX-License-Identifier: MIT */
/*
 * Sums over all launches of a kernel, of which some were observed: each kind of launch (grid,
 * arguments) is scaled by its own observed launches.
 */
#pragma once

#include "instrument_dump.h"
#include "profile.h"

typedef struct launch_kinds {
    const smp_instrument_function *of;
    double weight[SMP_INSTRUMENT_KINDS_MAX]; /* of all launches per observed one, by kind */
    double cost[SMP_INSTRUMENT_KINDS_MAX];   /* wavefronts and sectors of the observed ones */
    smp_scaled_sums sums;
} launch_kinds;

void launch_kinds_begin(launch_kinds *kinds, const smp_instrument_function *of);
/* Adds the function's site `from`, whose figures are in `site`. */
void launch_kinds_add(launch_kinds *kinds, const smp_instrument_site *from,
                      const smp_profile_site *site);
/* Stores the sums in the kernel, and says what they do not cover. False if out of memory. */
bool launch_kinds_end(const launch_kinds *kinds, smp_kernel_profile *kernel);
