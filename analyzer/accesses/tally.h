/* SPDX-License-Identifier: MIT */
/* Total cost of several requests: of a layout's access, of a kernel's site, or of a run. */
#pragma once

#include "smp_model.h"

typedef struct smp_tally {
    uint64_t requests;
    uint64_t wavefronts_min, wavefronts_max, ideal, excess; /* of requests with banks */
    uint64_t transactions, bytes;                           /* of requests with sectors or lines */
    uint64_t ideal_sectors; /* sum of min(transactions, ceil(active lanes x bytes per lane / 32)) */
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

/* Adds a request of `width_bytes` per lane that occurs `times` times. */
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

/* True if the costs are equal. */
static inline bool smp_tally_is_equal(const smp_tally *a, const smp_tally *b) {
    return a->requests == b->requests && a->wavefronts_min == b->wavefronts_min &&
           a->wavefronts_max == b->wavefronts_max && a->ways == b->ways &&
           a->transactions == b->transactions && a->bytes == b->bytes;
}

/* ---- access_set.c: a set of different accesses ---- */

typedef struct smp_set_row {
    smp_access access; /* canonical */
    uint32_t tag;      /* the caller's: equal accesses with different tags are different rows */
} smp_set_row;

/* Initialise to {0}; free with smp_access_set_clear. */
typedef struct smp_access_set {
    uint32_t count;
    smp_set_row *rows;   /* in order of insertion */
    uint32_t *slots;     /* row numbers + 1 by hash; 0 if free */
    uint32_t slot_count; /* a power of two, more than twice `count` */
} smp_access_set;

/* The same request with all irrelevant entries set to 0: lanes without an address, and addresses in
 * a space that the operation does not access. */
smp_access smp_access_canonical(const smp_access *access);

/* The row of a canonical access, or -1. */
int64_t smp_access_set_find(const smp_access_set *set, const smp_access *access, uint32_t tag);
/* Adds it unless present. Returns its row, which is the former `count` if it is new; -1 if out of
 * memory. */
int64_t smp_access_set_add(smp_access_set *set, const smp_access *access, uint32_t tag);
void smp_access_set_clear(smp_access_set *set);
