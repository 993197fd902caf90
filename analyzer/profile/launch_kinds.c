/* SPDX-License-Identifier: MIT */
/* The weights of kinds, and whether they may be wrong. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "launch_kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Kinds whose cost per block differs by less are alike. */
#define ALIKE 0.01

void launch_kinds_begin(launch_kinds *kinds, const smp_instrument_function *of) {
    *kinds = (launch_kinds){.of = of};
    for (unsigned i = 0; i < SMP_INSTRUMENT_KINDS_MAX; i++) {
        if (of->kind_seen[i] == 0)
            continue;
        kinds->weight[i] = (double)of->kind_blocks[i] / (double)of->kind_seen[i];
        kinds->sums.blocks += (double)of->kind_blocks[i];
    }
}

void launch_kinds_add(launch_kinds *kinds, const smp_instrument_site *from,
                      const smp_profile_site *site) {
    kinds->cost[from->launch_kind] += (double)from->wavefronts + (double)from->sectors;
    smp_scaled_add(&kinds->sums, site, kinds->weight[from->launch_kind]);
}

/* By how much the observed kinds differ: 0 for not at all, 1 if one costs nothing. */
static double spread_of(const launch_kinds *kinds) {
    double least = INFINITY, most = 0;
    for (unsigned i = 1; i < SMP_INSTRUMENT_KINDS_MAX; i++) {
        if (kinds->of->kind_seen[i] == 0)
            continue;
        const double cost = kinds->cost[i] / (double)kinds->of->kind_seen[i];
        least = fmin(least, cost);
        most = fmax(most, cost);
    }
    return most > 0 ? (most - least) / most : 0;
}

static unsigned count_kinds(const smp_instrument_function *of) {
    unsigned count = 0;
    for (unsigned i = 1; i < SMP_INSTRUMENT_KINDS_MAX; i++)
        count += of->kind_blocks[i] > 0;
    return count;
}

bool launch_kinds_end(const launch_kinds *kinds, smp_kernel_profile *kernel) {
    const smp_instrument_function *of = kinds->of;
    const double spread = spread_of(kinds);
    char text[200] = "";
    kernel->scaled = kinds->sums;
    kernel->has_unlike = of->has_unlike || (of->launches == 0 && count_kinds(of) > 1);
    if (of->launches > 0 && of->has_unlike)
        (void)snprintf(text, sizeof text,
                       "graphs launch it in other grids or blocks, which were not observed: what "
                       "is scaled rests on the others");
    else if (of->has_more_kinds && spread >= ALIKE)
        (void)snprintf(text, sizeof text,
                       "its launches have more combinations of arguments than are told apart, and "
                       "those observed differ by up to %.0f %% per block: scaled sums may be wrong",
                       100 * spread);
    kernel->not_seen = text[0] != '\0' ? strdup(text) : NULL;
    return text[0] == '\0' || kernel->not_seen;
}
