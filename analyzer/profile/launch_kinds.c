/* SPDX-License-Identifier: MIT */
/* The weights of kinds, and how wrong they may be. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "launch_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text_buffer.h"

/* Kinds whose cost per block differs by less are alike. */
#define ALIKE 0.01
/* A smaller spread between launches that are alike is not worth a sentence. */
#define SAME 0.0005

enum { KINDS = SMP_INSTRUMENT_KINDS_MAX };

void launch_kinds_begin(launch_kinds *kinds, const smp_instrument_function *of) {
    *kinds = (launch_kinds){.of = of};
    for (unsigned i = 0; i < KINDS; i++) {
        if (of->state.kind_seen[i] == 0)
            continue;
        kinds->weight[i] = (double)of->state.kind_blocks[i] / (double)of->state.kind_seen[i];
        kinds->sums.blocks += (double)of->state.kind_blocks[i];
    }
}

void launch_kinds_add(launch_kinds *kinds, const smp_instrument_site *from,
                      const smp_profile_site *site) {
    kinds->cost[from->launch_kind][0] += (double)site->wavefronts;
    kinds->cost[from->launch_kind][1] += (double)site->sectors;
    const bool is_atomic = from->flags == (SMP_INSTRUMENT_READ | SMP_INSTRUMENT_WRITE) &&
                           from->kind == SMP_INSTRUMENT_SHARED;
    kinds->may_depend |= is_atomic || from->requests_lost > 0;
    smp_scaled_add(&kinds->sums, site, kinds->weight[from->launch_kind]);
}

/* The least and the greatest cost per block of observed kinds. */
typedef struct range {
    double least, most;
} range;

static void widen(range *of, const launch_kinds *kinds, unsigned kind, unsigned figure) {
    if (kinds->of->state.kind_seen[kind] == 0)
        return;
    const double cost = kinds->cost[kind][figure] / (double)kinds->of->state.kind_seen[kind];
    of->least = fmin(of->least, cost);
    of->most = fmax(of->most, cost);
}

/* By how much the observed kinds differ: 0 for not at all, 1 if one costs nothing. */
static double spread_of(const launch_kinds *kinds) {
    double spread = 0;
    for (unsigned f = 0; f < LAUNCH_FIGURES; f++) {
        range all = {INFINITY, 0};
        for (unsigned i = 1; i < KINDS; i++)
            widen(&all, kinds, i, f);
        spread = fmax(spread, all.most > 0 ? (all.most - all.least) / all.most : 0);
    }
    return spread;
}

/* By how much the sums may be off if any block costs what one of an observed kind does. */
static double reach_of(const launch_kinds *kinds) {
    const double sums[LAUNCH_FIGURES] = {kinds->sums.wavefronts, kinds->sums.sectors};
    double reach = 0;
    for (unsigned f = 0; f < LAUNCH_FIGURES; f++) {
        range all = {INFINITY, 0};
        for (unsigned i = 1; i < KINDS; i++)
            widen(&all, kinds, i, f);
        const double blocks = kinds->sums.blocks;
        if (sums[f] > 0)
            reach = fmax(reach,
                         fmax(all.most * blocks - sums[f], sums[f] - all.least * blocks) / sums[f]);
    }
    return reach;
}

/* By how much the sums change with the time of the looks that they rest on. */
static double drift_of(const launch_kinds *kinds) {
    const smp_instrument_function *of = kinds->of;
    const double sums[LAUNCH_FIGURES] = {kinds->sums.wavefronts, kinds->sums.sectors};
    double drift = 0;
    for (unsigned f = 0; f < LAUNCH_FIGURES; f++) {
        double off = 0;
        for (unsigned first = 1; first < KINDS; first++) {
            range alike = {INFINITY, 0};
            double blocks = 0;
            for (unsigned i = 1; i < KINDS; i++) {
                if (i != first && of->state.kind_first[i] != first)
                    continue;
                widen(&alike, kinds, i, f);
                blocks += (double)of->state.kind_blocks[i];
            }
            off += alike.most > alike.least ? blocks * (alike.most - alike.least) : 0;
        }
        drift = fmax(drift, sums[f] > 0 ? off / sums[f] : 0);
    }
    return drift;
}

static unsigned count_kinds(const smp_instrument_function *of) {
    unsigned count = 0;
    for (unsigned i = 1; i < KINDS; i++)
        count += of->state.kind_blocks[i] > 0;
    return count;
}

/* The share of blocks that ran in launches of kinds that were not observed. */
static double unseen_part(const smp_instrument_function *of) {
    double all = 0, unseen = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        all += (double)of->state.kind_blocks[i];
        unseen += of->state.kind_seen[i] == 0 ? (double)of->state.kind_blocks[i] : 0;
    }
    return all > 0 ? unseen / all : 0;
}

/* True if sums are scaled, and no launch was observed again that is like an observed one. */
static bool is_seen_once(const smp_instrument_function *of) {
    bool is_scaled = false;
    for (unsigned i = 1; i < KINDS; i++) {
        if (of->state.kind_seen[i] > 0 && of->state.kind_first[i] > 0)
            return false;
        is_scaled |=
            of->state.kind_blocks[i] > of->state.kind_seen[i] && of->state.kind_seen[i] > 0;
    }
    return is_scaled;
}

static void describe(const launch_kinds *kinds, text_buffer *out) {
    const smp_instrument_function *of = kinds->of;
    const double spread = spread_of(kinds), reach = reach_of(kinds), drift = drift_of(kinds),
                 unseen = unseen_part(of);
    const char *and = "";
    if (drift >= SAME) {
        text_add(out,
                 "observed launches with the same arguments differ: scaled sums may be off by %.2g "
                 "%%",
                 100 * drift);
        and = "; ";
    }
    if (unseen > 0) {
        text_add(out,
                 "%s%.2g %% of its blocks ran in other grids or with other arguments, which were "
                 "not observed: they are scaled like the rest, with an unknown error",
                 and, 100 * unseen);
        and = "; ";
    }
    if (kinds->may_depend && is_seen_once(of)) {
        text_add(out,
                 "%sits requests are of many kinds, and no launch was observed twice: where they "
                 "depend on data that change, scaled sums have an unknown error",
                 and);
        and = "; ";
    }
    if (of->state.has_more_kinds && spread >= ALIKE)
        text_add(out,
                 "%sits launches have more combinations of arguments than are told apart, and "
                 "those observed differ by up to %.0f %% per block: scaled sums may be off by %.*g "
                 "%%, or more if others cost more than all of these",
                 and, 100 * spread, reach < 1 ? 2 : 4, 100 * reach);
}

/* For samples of launches that were kept instead. */
static bool keep_blocks(const smp_instrument_function *of, smp_kernel_profile *kernel) {
    kernel->has_unlike = count_kinds(of) > 1;
    kernel->kind_blocks = malloc(sizeof of->state.kind_blocks);
    if (kernel->kind_blocks)
        memcpy(kernel->kind_blocks, of->state.kind_blocks, sizeof of->state.kind_blocks);
    return kernel->kind_blocks;
}

bool launch_kinds_end(const launch_kinds *kinds, smp_kernel_profile *kernel) {
    char text[900] = "";
    text_buffer out = TEXT_BUFFER(text);
    kernel->scaled = kinds->sums;
    if (kinds->of->state.launches == 0)
        return keep_blocks(kinds->of, kernel);
    describe(kinds, &out);
    kernel->not_seen = text[0] != '\0' ? strdup(text) : NULL;
    return text[0] == '\0' || kernel->not_seen;
}
