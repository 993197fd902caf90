/* SPDX-License-Identifier: MIT */
/*
 * Sums over requests, compared.
 */
#include "tally.h"

bool smp_tally_is_equal(const smp_tally *a, const smp_tally *b) {
    return a->requests == b->requests && a->wavefronts_min == b->wavefronts_min &&
           a->wavefronts_max == b->wavefronts_max && a->ways == b->ways &&
           a->transactions == b->transactions && a->bytes == b->bytes;
}
