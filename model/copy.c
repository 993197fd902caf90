/* SPDX-License-Identifier: MIT */
/*
 * The shared side of cp.async through L1 (4 and 8 bytes a lane, and 16 of .ca), as measured on
 * GH100.
 *
 * The data moves inside one memory: L1 and shared memory are the same banks. A lane reads the bank
 * that its global address has within a line, and writes the bank of its shared address. The request
 * comes from the tag stage a few lines at a time (tag.c). In each pass over these a lane is
 * served if it is the first one left that wants its source bank, and also the first one
 * left that wants its destination bank. The two choices are made apart from each other, so a pass
 * can serve fewer lanes than would fit; and lanes on one word do not share, on either side. As with
 * other wide accesses, 8 bytes a lane go by half-warps, and 16 by quarters.
 */
#include "copy.h"
#include "mask.h"
#include "op.h"

#define ROW_BYTES 128u

/* The first remaining lane on each unit of 128 bytes, as a mask. */
static uint32_t first_on_each(const uint8_t unit[SMP_LANES], uint32_t left) {
    uint32_t taken = 0, first = 0;
    for (; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        uint32_t bit = 1u << unit[lane];
        first |= (taken & bit) == 0 ? 1u << lane : 0;
        taken |= bit;
    }
    return first;
}

/* `served` (may be NULL) receives the lanes of each pass. */
static unsigned count_passes(const uint8_t source[SMP_LANES], const uint8_t target[SMP_LANES],
                             uint32_t left, uint32_t *served) {
    unsigned passes = 0;
    for (; left != 0; passes++) {
        const uint32_t now = first_on_each(source, left) & first_on_each(target, left);
        if (served)
            served[passes] = now;
        left &= ~now;
    }
    return passes;
}

/* Passes of one group of lanes, over all wavefronts of the tag stage. */
static unsigned count_group(const smp_tags *tags, const uint8_t source[SMP_LANES],
                            const uint8_t target[SMP_LANES], uint32_t lanes, uint32_t group,
                            uint32_t *served) {
    unsigned passes = 0;
    for (uint32_t waiting = lanes; waiting != 0;) {
        uint32_t taken = smp_tags_take(tags, waiting);
        passes += count_passes(source, target, taken & group, served ? served + passes : NULL);
        waiting &= ~taken;
    }
    return passes;
}

unsigned smp_copy_group_lanes(uint32_t width_bytes) {
    return ROW_BYTES / width_bytes;
}

/* The units of both sides. */
static void fill_units(const smp_access *access, uint8_t source[SMP_LANES],
                       uint8_t target[SMP_LANES]) {
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        source[lane] = (uint8_t)(access->address_bytes[lane] % ROW_BYTES / access->width_bytes);
        target[lane] = (uint8_t)(access->offset_bytes[lane] % ROW_BYTES / access->width_bytes);
    }
}

unsigned smp_copy_passes(const smp_access *access, uint32_t lanes) {
    const unsigned group_lanes = smp_copy_group_lanes(access->width_bytes);
    const uint32_t group_mask = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    uint8_t source[SMP_LANES], target[SMP_LANES];
    unsigned passes = 0;
    fill_units(access, source, target);
    for (unsigned first = 0; first < SMP_LANES; first += group_lanes)
        passes += count_passes(source, target, lanes & (group_mask << first), NULL);
    return passes;
}

void smp_copy_count(const smp_access *access, const smp_tags *tags, uint32_t lanes,
                    smp_counts *out) {
    unsigned group_lanes = smp_copy_group_lanes(access->width_bytes);
    uint32_t group_mask = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    uint8_t source[SMP_LANES], target[SMP_LANES];
    fill_units(access, source, target);
    for (unsigned first = 0; first < SMP_LANES; first += group_lanes) {
        uint32_t group = lanes & (group_mask << first);
        unsigned ways = count_group(tags, source, target, lanes, group, NULL);
        smp_add_group(out, group, ways, ways, ways);
    }
}

unsigned smp_copy_served(const smp_access *access, uint32_t lanes, uint32_t group,
                         uint32_t served[SMP_LANES]) {
    uint8_t source[SMP_LANES], target[SMP_LANES];
    smp_tags tags;
    if (!smp_tags_fill(access->address_bytes, lanes, &tags))
        return 0;
    fill_units(access, source, target);
    return count_group(&tags, source, target, lanes, group, served);
}
