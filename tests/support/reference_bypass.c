/* SPDX-License-Identifier: MIT */
/*
 * Copies of 16 bytes, past L1, as model/FINDINGS.md, 1, has them: loops over
 * lanes, and nothing of the model.
 */
#include "reference.h"

static bool has(uint32_t mask, unsigned lane) {
    return mask >> lane & 1u;
}

static bool same_pair(const smp_access *access, unsigned a, unsigned b) {
    return access->address_bytes[a] / 128 == access->address_bytes[b] / 128 &&
           access->offset_bytes[a] / 128 == access->offset_bytes[b] / 128;
}

/* The highest lane of `taken` on the pair of lines of `lane`. */
static unsigned highest_of_pair(const smp_access *access, uint32_t taken, unsigned lane) {
    unsigned highest = lane;
    for (unsigned other = 0; other < SMP_LANES; other++)
        if (has(taken, other) && same_pair(access, other, lane) && other > highest)
            highest = other;
    return highest;
}

/* Rule 1: the most distinct pairs of lines on one of the four banks. */
static unsigned pair_rounds(const smp_access *access, uint32_t taken) {
    unsigned most = 0;
    for (unsigned bank = 0; bank < 4; bank++) {
        unsigned count = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            count += has(taken, lane) && access->offset_bytes[lane] / 128 % 4 == bank &&
                     highest_of_pair(access, taken, lane) == lane;
        most = count > most ? count : most;
    }
    return most;
}

/* Rule 2: whether `lane` of `taken` is the one that is fetched for its 16 bytes; lanes of one pair
 * and place fetch the same. */
static bool is_fetched(const smp_access *access, uint32_t before, uint32_t taken, unsigned lane) {
    for (unsigned other = 0; other < SMP_LANES; other++) {
        if (access->offset_bytes[other] != access->offset_bytes[lane])
            continue;
        if (has(before, other) || (has(taken, other) && highest_of_pair(access, taken, other) >
                                                            highest_of_pair(access, taken, lane)))
            return false;
    }
    return true;
}

/* Rule 3: of one wavefront, the distinct pairs of 128 bytes there and 32 bytes here. */
static unsigned blocks(const smp_access *access, uint32_t lanes) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        bool counts = has(lanes, lane);
        for (unsigned lower = 0; lower < lane; lower++)
            if (has(lanes, lower) &&
                access->address_bytes[lower] / 128 == access->address_bytes[lane] / 128 &&
                access->offset_bytes[lower] / 32 == access->offset_bytes[lane] / 32)
                counts = false;
        count += counts;
    }
    return count;
}

void reference_bypass(const smp_access *access, unsigned *rounds, unsigned *sectors) {
    uint32_t before = 0;
    *rounds = *sectors = 0;
    for (uint32_t waiting = access->active_mask; waiting != 0;) {
        const uint32_t taken = reference_tag_wavefront(access, waiting);
        uint32_t fetched = 0;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            if (has(taken, lane) && is_fetched(access, before, taken, lane))
                fetched |= 1u << lane;
        *rounds += pair_rounds(access, taken);
        *sectors += blocks(access, fetched);
        before |= taken;
        waiting &= ~taken;
    }
}
