/* SPDX-License-Identifier: MIT */
/*
 * tally.h: what requests cost together: those of a layout's access, of a kernel's site, or of a
 * run.
 */
#pragma once

#include "smp_model.h"

typedef struct smp_tally {
    uint64_t requests;
    uint64_t wavefronts_min, wavefronts_max, ideal, excess; /* where a request has banks */
    uint64_t transactions, bytes;                           /* where it moves sectors or lines */
    uint64_t ideal_sectors; /* sum of min(transactions, ceil(active lanes x bytes a lane / 32)) */
    uint32_t ways;          /* of the worst request */
} smp_tally;

/* Adds another tally `times` times. Both functions are inline because a search for a layout adds
 * millions of requests. */
static inline void smp_tally_add(smp_tally *sum, const smp_tally *part, uint64_t times) {
    sum->requests += times * part->requests;
    sum->wavefronts_min += times * part->wavefronts_min;
    sum->wavefronts_max += times * part->wavefronts_max;
    sum->ideal += times * part->ideal;
    sum->excess += times * part->excess;
    sum->transactions += times * part->transactions;
    sum->bytes += times * part->bytes;
    sum->ideal_sectors += times * part->ideal_sectors;
    sum->ways = part->ways > sum->ways ? part->ways : sum->ways;
}

/* Adds a request of `width_bytes` a lane that is made `times` times. */
static inline void smp_tally_take(smp_tally *sum, const smp_counts *counts, uint32_t width_bytes,
                                  uint64_t times) {
    const bool moves = counts->transactions > 0;
    const smp_tally one = {.requests = 1,
                           .wavefronts_min = counts->wavefronts_min,
                           .wavefronts_max = counts->wavefronts_max,
                           .ideal = counts->ideal,
                           .excess = counts->excess,
                           .transactions = counts->transactions,
                           .bytes = counts->bytes,
                           .ideal_sectors = moves ? smp_ideal_sectors(counts, width_bytes) : 0,
                           .ways = counts->ways};
    smp_tally_add(sum, &one, times);
}

/* True if both hold the same costs. */
static inline bool smp_tally_is_equal(const smp_tally *a, const smp_tally *b) {
    return a->requests == b->requests && a->wavefronts_min == b->wavefronts_min &&
           a->wavefronts_max == b->wavefronts_max && a->ways == b->ways &&
           a->transactions == b->transactions && a->bytes == b->bytes;
}
