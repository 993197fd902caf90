/* SPDX-License-Identifier: MIT */
/*
 * Sums over all launches of a kernel, of which some were observed: each kind of launch (grid,
 * arguments) is scaled by its own observed launches. Launches that are alike but ran at different
 * times have kinds of their own, too: if these differ, the program's data do.
 */
#pragma once

#include "instrument_dump.h"
#include "profile.h"

enum { LAUNCH_FIGURES = 2 }; /* wavefronts, sectors */

typedef struct launch_kinds {
    const smp_instrument_function *of;
    double weight[SMP_INSTRUMENT_KINDS_MAX]; /* of all launches per observed one, by kind */
    double cost[SMP_INSTRUMENT_KINDS_MAX][LAUNCH_FIGURES]; /* of the observed ones */
    smp_scaled_sums sums;
    bool may_depend; /* its requests look as if they depend on data */
} launch_kinds;

void launch_kinds_begin(launch_kinds *kinds, const smp_instrument_function *of);
/* Adds the function's site `from`, whose figures are in `site`. */
void launch_kinds_add(launch_kinds *kinds, const smp_instrument_site *from,
                      const smp_profile_site *site);
/* Stores the sums in the kernel, and says what they do not cover and how far they may be off. False
 * if out of memory. */
bool launch_kinds_end(const launch_kinds *kinds, smp_kernel_profile *kernel);
