/* SPDX-License-Identifier: MIT */
/*
 * cp.async of 16 bytes, which pass L1 by (.cg), as measured on GH100 (model/FINDINGS.md, 1).
 *
 * The tag stage takes the global lines as for a load (tag.c). What it sends on is pairs of a line
 * of global memory and one of shared memory, in four banks by shared line, from the pair with the
 * highest lane down. Of lanes that write the same 16 bytes of shared memory only the first counts;
 * what is left is fetched by blocks: 32 bytes of shared memory from one line of global memory.
 */
#include "mask.h"
#include "past_l1.h"
#include "tag.h"

enum { BLOCK_SHIFT = 5, LINE_SHIFT = 7, BANKS = 4 };

static uint32_t shared_line(const smp_access *access, unsigned lane) {
    return access->offset_bytes[lane] >> LINE_SHIFT;
}

/* The lanes of `lanes` on the same pair of lines as `lane`. */
static uint32_t on_pair(const smp_access *access, const smp_tags *tags, uint32_t lanes,
                        unsigned lane) {
    uint32_t same = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const unsigned other = lowest_lane(lanes);
        if (tags->line[other] == tags->line[lane] &&
            shared_line(access, other) == shared_line(access, lane))
            same |= 1u << other;
    }
    return same;
}

/* Rounds of one wavefront of the tag stage: the most pairs on one bank. */
static unsigned count_rounds(const smp_access *access, const smp_tags *tags, uint32_t taken) {
    unsigned on_bank[BANKS] = {0}, most = 0;
    while (taken != 0) {
        const unsigned lane = lowest_lane(taken), bank = shared_line(access, lane) % BANKS;
        taken &= ~on_pair(access, tags, taken, lane);
        most = ++on_bank[bank] > most ? on_bank[bank] : most;
    }
    return most;
}

static uint32_t on_place(const smp_access *access, uint32_t lanes, unsigned lane) {
    uint32_t same = 0;
    for (; lanes != 0; lanes &= lanes - 1)
        if (access->offset_bytes[lowest_lane(lanes)] == access->offset_bytes[lane])
            same |= 1u << lowest_lane(lanes);
    return same;
}

/* All of `lanes` write the same place; returns the lane whose pair of lines comes first. Pairs are
 * masks of different lanes, so the greater one has the highest lane. */
static unsigned first_pair(const smp_access *access, const smp_tags *tags, uint32_t taken,
                           uint32_t lanes) {
    uint32_t best = 0;
    unsigned first = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t pair = on_pair(access, tags, taken, lowest_lane(lanes));
        if (pair > best) {
            best = pair;
            first = lowest_lane(lanes);
        }
    }
    return first;
}

/* Blocks that `lanes` of one wavefront fetch. */
static unsigned count_blocks(const smp_access *access, const smp_tags *tags, uint32_t lanes) {
    unsigned blocks = 0;
    for (; lanes != 0; lanes &= lanes - 1, blocks++) {
        const unsigned lane = lowest_lane(lanes);
        for (uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
            const unsigned other = lowest_lane(rest);
            if (tags->line[other] == tags->line[lane] &&
                (access->offset_bytes[other] ^ access->offset_bytes[lane]) >> BLOCK_SHIFT == 0)
                lanes &= ~(1u << other);
        }
    }
    return blocks;
}

smp_status smp_copy_bypass_predict(const smp_arch *arch, const smp_access *access,
                                   smp_bypass_counts *out) {
    smp_tags tags;
    *out = (smp_bypass_counts){0};
    const smp_status status =
        smp_tags_of(arch, access, smp_op_bypasses_l1(access->op, access->width_bytes), &tags);
    if (status != SMP_OK)
        return status;
    uint32_t written = 0; /* a lane for each place in shared memory */
    for (uint32_t waiting = access->active_mask; waiting != 0;) {
        const uint32_t taken = smp_tags_take(&tags, waiting);
        uint32_t fetched = 0;
        for (uint32_t left = taken; left != 0;) {
            const unsigned lane = lowest_lane(left);
            const uint32_t same = on_place(access, left, lane);
            if (on_place(access, written, lane) == 0)
                fetched |= 1u << first_pair(access, &tags, taken, same);
            left &= ~same;
        }
        out->tag_wavefronts += count_rounds(access, &tags, taken);
        out->sectors += count_blocks(access, &tags, fetched);
        written |= fetched;
        waiting &= ~taken;
    }
    return SMP_OK;
}
