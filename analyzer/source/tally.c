/* SPDX-License-Identifier: MIT */
/*
 * Sums over requests.
 */
#include "tally.h"

void smp_tally_take(smp_tally *sum, const smp_counts *counts, uint32_t width_bytes,
                    uint64_t times) {
    const smp_tally one = {.requests = 1,
                           .wavefronts_min = counts->wavefronts_min,
                           .wavefronts_max = counts->wavefronts_max,
                           .ideal = counts->ideal,
                           .excess = counts->excess,
                           .transactions = counts->transactions,
                           .bytes = counts->bytes,
                           .ideal_sectors = smp_ideal_sectors(counts, width_bytes),
                           .ways = counts->ways};
    smp_tally_add(sum, &one, times);
}

void smp_tally_add(smp_tally *sum, const smp_tally *part, uint64_t times) {
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

bool smp_tally_is_equal(const smp_tally *a, const smp_tally *b) {
    return a->requests == b->requests && a->wavefronts_min == b->wavefronts_min &&
           a->wavefronts_max == b->wavefronts_max && a->ways == b->ways &&
           a->transactions == b->transactions && a->bytes == b->bytes;
}
