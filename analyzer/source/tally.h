/* SPDX-License-Identifier: MIT */
/*
 * tally.h: what requests cost together. The one sum: of a layout's access, of a kernel's site, of a
 * run.
 */
#ifndef SMP_TALLY_H
#define SMP_TALLY_H

#include "smp_model.h"

typedef struct smp_tally {
    uint64_t requests;
    uint64_t wavefronts_min, wavefronts_max, ideal, excess; /* where a request has banks */
    uint64_t transactions, bytes;                           /* where it moves sectors or lines */
    uint64_t ideal_sectors; /* sum of min(transactions, ceil(active lanes x bytes a lane / 32)) */
    uint32_t ways;          /* of the worst request */
} smp_tally;

/* Adds a request of `width_bytes` a lane that is made `times` times. */
void smp_tally_take(smp_tally *sum, const smp_counts *counts, uint32_t width_bytes, uint64_t times);
/* Adds what another tally holds, `times` times. */
void smp_tally_add(smp_tally *sum, const smp_tally *part, uint64_t times);
/* True if both hold the same costs. */
bool smp_tally_is_equal(const smp_tally *a, const smp_tally *b);

#endif
