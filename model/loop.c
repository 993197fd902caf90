/* SPDX-License-Identifier: MIT */
/*
 * Atomics on shared memory that the assembler makes a loop of, as measured on GH100
 * (model/FINDINGS.md, 4): a load, the addition, and a compare-and-swap of what was loaded, until
 * every lane has swapped. In a turn the swap takes the lowest waiting lane of each bank, in the
 * whole warp (4 bytes) or in each half of it (8 bytes), one half after the other: a lane of the
 * second half whose word the first half has just changed has lost its turn.
 */
#include "mask.h"

enum { BANKS = 32, SWAP_WAVEFRONTS = 2 };

/* The lowest of `lanes` on each unit of the banks, which is as wide as the access. */
static uint32_t first_on_each(const smp_access *access, uint32_t lanes) {
    const uint32_t units = BANKS * 4 / access->width_bytes;
    uint32_t first = 0, seen = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = lowest_lane(lanes);
        const uint32_t bit = 1u << access->offset_bytes[lane] / access->width_bytes % units;
        first |= seen & bit ? 0 : 1u << lane;
        seen |= bit;
    }
    return first;
}

/* The lanes of `lanes` whose word is also one of `changed`. */
static uint32_t lanes_at(const smp_access *access, uint32_t lanes, uint32_t changed) {
    uint32_t found = 0;
    for (; changed != 0; changed &= changed - 1)
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (access->offset_bytes[lowest_lane(left)] ==
                access->offset_bytes[lowest_lane(changed)])
                found |= 1u << lowest_lane(left);
    return found;
}

/* One turn; returns the lanes that are done. */
static uint32_t swap(const smp_access *access, uint32_t waiting, uint32_t unchanged,
                     smp_loop_counts *out) {
    const unsigned group_lanes = access->width_bytes == 8 ? SMP_LANES / 2 : SMP_LANES;
    const uint32_t group = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    uint32_t done = 0;
    for (unsigned from = 0; from < SMP_LANES; from += group_lanes) {
        const uint32_t first = first_on_each(access, waiting & (group << from));
        out->atomic_wavefronts += first != 0 ? SWAP_WAVEFRONTS : 0;
        done |= first & ~lanes_at(access, first, done & ~unchanged);
    }
    return done;
}

smp_status smp_atomic_loop_predict(const smp_arch *arch, const smp_access *access,
                                   uint32_t unchanged, smp_loop_counts *out) {
    smp_access load = *access;
    *out = (smp_loop_counts){0};
    if (!arch->l1_source || (access->op != SMP_ATOM_SHARED && access->op != SMP_RED_SHARED) ||
        (access->width_bytes != 4 && access->width_bytes != 8))
        return SMP_E_NOT_MODELLED;
    load.op = SMP_LD_SHARED;
    smp_status status = smp_access_check(arch, &load, NULL);
    for (; status == SMP_OK && load.active_mask != 0; out->turns++) {
        smp_counts counts;
        status = smp_predict(arch, &load, &counts);
        out->load_wavefronts += counts.wavefronts_max;
        load.active_mask &= ~swap(access, load.active_mask, unchanged, out);
    }
    return status;
}
