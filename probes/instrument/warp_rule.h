/* SPDX-License-Identifier: MIT */
/*
 * The cost of one request of a warp, computed by the warp itself. One source, compiled
 * twice: as device code, where each lane holds its own values and votes are instructions; and as C,
 * where a per-lane value is an array of 32 and a vote is a loop. Tests compare the latter with
 * model/ (and, on a GPU, the former).
 *
 * The rules are those of model/ for compute capability 5.0 and later, expressed with lane masks:
 * lanes that access one word, lanes on one bank, each found by votes. Lanes know nothing else of
 * each other, and every branch depends on values that are the same in all of them. So the code is
 * safe for any part of a warp, needs no barrier, and never makes lanes diverge.
 *
 * `lanes` is the mask of participating lanes: in device code exactly those that execute this
 * together. A rule's arguments are valid for these lanes only.
 */
#pragma once

#include "request_hash.h"

#ifndef __cplusplus
#include <stdbool.h>
#endif

#if defined(__CUDA_ARCH__)
#define WARP_SLOTS 1
#define WARP_CALL __device__ static __forceinline__
/* Before a loop: keeps registers and predicates few (device_count.cuh says why). */
#define WARP_LOOP _Pragma("unroll 1")
#else
#define WARP_SLOTS 32
#define WARP_CALL static inline
#define WARP_LOOP
#endif

/* Runs the statement for each lane; in device code, for the executing lane. */
#define FOR_LANES(slot) for (unsigned slot = 0; slot < WARP_SLOTS; slot++)

#define WARP_ALL 0xffffffffu
#define WARP_PASS_BYTES 128u
#define WARP_PASS_SHIFT 7u
/* Shared memory has less than 256 KiB, local memory of a thread at most 512. */
#define WARP_OFFSET_BITS 18u
#define WARP_LOCAL_BITS 20u
#define WARP_SECTOR_SHIFT 5u
#define WARP_LINE_SHIFT 7u
/* The tag stage of L1: model/tag.c. */
#define WARP_TAG_BIT_0 0x5ef7ab5u
#define WARP_TAG_BIT_1 0xb55af6fu
#define WARP_TAG_KNOWN_BITS 35u

/* ---- The warp ---- */

#if defined(__CUDA_ARCH__)
WARP_CALL unsigned warp_lane(unsigned slot) {
    unsigned lane;
    (void)slot;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Not vote.sync, which sets up a barrier for its lanes. Lanes for which it holds ask for the active
 * mask, then the others do. */
WARP_CALL uint32_t warp_ballot(uint32_t lanes, const bool holds[WARP_SLOTS]) {
    uint32_t yes = 0, no = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0;"
                 "@p activemask.b32 %0; @!p activemask.b32 %1; }"
                 : "+r"(yes), "+r"(no)
                 : "r"((unsigned)holds[0])
                 : "memory");
    return holds[0] ? yes : lanes & ~no;
}

WARP_CALL uint32_t warp_count(uint32_t mask) {
    return (uint32_t)__popc(mask);
}

WARP_CALL uint32_t warp_lowest(uint32_t mask) {
    return (uint32_t)__clz((int)__brev(mask));
}

/* The mask must not be 0. */
WARP_CALL uint32_t warp_highest(uint32_t mask) {
    return 31 - (uint32_t)__clz((int)mask);
}
#else
WARP_CALL unsigned warp_lane(unsigned slot) {
    return slot;
}

WARP_CALL uint32_t warp_ballot(uint32_t lanes, const bool holds[WARP_SLOTS]) {
    uint32_t votes = 0;
    for (unsigned lane = 0; lane < WARP_SLOTS; lane++)
        votes |= (uint32_t)holds[lane] << lane;
    return votes & lanes;
}

WARP_CALL uint32_t warp_count(uint32_t mask) {
    return (uint32_t)__builtin_popcount(mask);
}

WARP_CALL uint32_t warp_lowest(uint32_t mask) {
    return mask != 0 ? (uint32_t)__builtin_ctz(mask) : WARP_SLOTS;
}

WARP_CALL uint32_t warp_highest(uint32_t mask) {
    return 31 - (uint32_t)__builtin_clz(mask | 1);
}
#endif

WARP_CALL uint32_t warp_parity(uint32_t bits) {
    return warp_count(bits) & 1;
}

/* Finds for each lane the lanes whose values agree in the low `bits`: one vote per bit. */
WARP_CALL void warp_match(uint32_t lanes, const uint32_t value[WARP_SLOTS], uint32_t bits,
                          uint32_t same[WARP_SLOTS]) {
    bool holds[WARP_SLOTS];
    FOR_LANES(s)
    same[s] = lanes;
    WARP_LOOP
    for (uint32_t bit = 0; bit < bits; bit++) {
        FOR_LANES(s)
        holds[s] = (value[s] >> bit & 1) != 0;
        uint32_t votes = warp_ballot(lanes, holds);
        FOR_LANES(s)
        same[s] &= holds[s] ? votes : ~votes;
    }
}

/* The same for 64 bits. */
WARP_CALL void warp_match_wide(uint32_t lanes, const uint64_t value[WARP_SLOTS], uint32_t bits,
                               uint32_t same[WARP_SLOTS]) {
    uint32_t half[WARP_SLOTS], high[WARP_SLOTS];
    FOR_LANES(s)
    half[s] = (uint32_t)value[s];
    warp_match(lanes, half, bits < 32 ? bits : 32, same);
    if (bits <= 32)
        return;
    FOR_LANES(s)
    half[s] = (uint32_t)(value[s] >> 32);
    warp_match(lanes, half, bits - 32, high);
    FOR_LANES(s)
    same[s] &= high[s];
}

/* ---- Shared memory ---- */

typedef struct warp_cost {
    uint32_t wavefronts, ideal, ways;
} warp_cost;

WARP_CALL uint32_t warp_log2(uint32_t width) {
    return warp_lowest(width);
}

/* All lanes of the groups of `group` lanes in which one of `bits` is set. */
WARP_CALL uint32_t warp_whole_groups(uint32_t bits, uint32_t group) {
    if (group == 32)
        return bits != 0 ? WARP_ALL : 0;
    uint32_t any = (bits | bits >> 4) & 0x0f0f0f0fu;
    any = (any | any >> 2) & 0x03030303u;
    any = (any | any >> 1) & 0x01010101u;
    if (group == 8)
        return any * 0xffu;
    return ((any | any >> 8) & 0x00010001u) * 0xffffu;
}

WARP_CALL uint32_t warp_own_group(unsigned lane, uint32_t group) {
    return WARP_ALL >> (32 - group) << (lane & (0u - group));
}

/* Takes the passes that each lane's bank needs in its group. Returns the sum over all groups of the
 * maximum in the group, and the overall maximum; bit by bit from the highest, all groups at once.
 */
WARP_CALL void warp_sum_groups(uint32_t lanes, const uint32_t passes[WARP_SLOTS], uint32_t group,
                               uint32_t *sum, uint32_t *most) {
    bool holds[WARP_SLOTS];
    uint32_t stays[WARP_SLOTS];
    uint32_t total = 0, highest = 0, leading = WARP_ALL;
    FOR_LANES(s)
    holds[s] = passes[s] > 1;
    if (warp_ballot(lanes, holds) == 0) {
        *sum = warp_count(warp_whole_groups(lanes, group)) >> warp_log2(group);
        *most = 1;
        return;
    }
    FOR_LANES(s)
    stays[s] = 1;
    WARP_LOOP
    for (int bit = 5; bit >= 0; bit--) {
        FOR_LANES(s)
        holds[s] = (stays[s] & passes[s] >> bit) != 0;
        uint32_t groups = warp_whole_groups(warp_ballot(lanes, holds), group);
        total += warp_count(groups) << bit; /* `group` for each group */
        if ((groups & leading) != 0) {
            leading &= groups;
            highest |= 1u << bit;
        }
        FOR_LANES(s)
        stays[s] &= (~groups >> warp_lane(s) & 1) | passes[s] >> bit;
    }
    *sum = total >> warp_log2(group);
    *most = highest;
}

WARP_CALL uint32_t warp_ideal(uint32_t lanes, uint32_t width, uint32_t wavefronts) {
    uint32_t ideal = (warp_count(lanes) * width + WARP_PASS_BYTES - 1) / WARP_PASS_BYTES;
    return ideal < wavefronts ? ideal : wavefronts;
}

/* True if every lane agrees with its partner, or the partner is inactive. */
WARP_CALL bool warp_pairs_agree(uint32_t lanes, const uint32_t same[WARP_SLOTS], uint32_t partner) {
    bool differs[WARP_SLOTS];
    FOR_LANES(s) {
        uint32_t other = warp_lane(s) ^ partner;
        differs[s] = (lanes >> other & 1) != 0 && (same[s] >> other & 1) == 0;
    }
    return warp_ballot(lanes, differs) == 0;
}

/* The words and banks that the lanes access. */
typedef struct warp_banks {
    uint32_t same_word[WARP_SLOTS], same_bank[WARP_SLOTS];
} warp_banks;

WARP_CALL void warp_find_banks(uint32_t lanes, const uint32_t offset[WARP_SLOTS], uint32_t width,
                               warp_banks *out) {
    uint32_t shift = width > 4 ? warp_log2(width) : 2;
    uint32_t unit[WARP_SLOTS];
    FOR_LANES(s)
    unit[s] = offset[s] >> shift;
    warp_match(lanes, unit, WARP_OFFSET_BITS - shift, out->same_word);
    warp_match(lanes, unit, WARP_PASS_SHIFT - shift, out->same_bank);
}

/* Lanes per group: 128 bytes' worth. */
WARP_CALL uint32_t warp_group_lanes(uint32_t width) {
    return width <= 4 ? 32 : WARP_PASS_BYTES / width;
}

/* The same, but twice as many for wide loads that agree in pairs. */
WARP_CALL uint32_t warp_group_size(uint32_t lanes, const warp_banks *banks, uint32_t width,
                                   bool is_load) {
    uint32_t size = warp_group_lanes(width);
    if (width <= 4 || !is_load)
        return size;
    bool is_paired = warp_pairs_agree(lanes, banks->same_word, 1) ||
                     warp_pairs_agree(lanes, banks->same_word, 2);
    return is_paired ? 2 * size : size;
}

/* The passes that each lane's bank needs in its group, if lanes on one word share a pass: loads,
 * stores, matrices, and combining atomics. */
WARP_CALL void warp_passes_words(uint32_t lanes, const warp_banks *banks, uint32_t group,
                                 uint32_t passes[WARP_SLOTS]) {
    bool leads[WARP_SLOTS];
    FOR_LANES(s) {
        uint32_t lane = warp_lane(s);
        leads[s] = warp_lowest(banks->same_word[s] & warp_own_group(lane, group)) == lane;
    }
    uint32_t leaders = warp_ballot(lanes, leads);
    FOR_LANES(s)
    passes[s] = warp_count(banks->same_bank[s] & leaders & warp_own_group(warp_lane(s), group));
}

/* The same if every lane costs a pass: atomics. */
WARP_CALL void warp_passes_lanes(const warp_banks *banks, uint32_t group,
                                 uint32_t passes[WARP_SLOTS]) {
    FOR_LANES(s)
    passes[s] = warp_count(banks->same_bank[s] & warp_own_group(warp_lane(s), group));
}

WARP_CALL warp_cost warp_cost_words(uint32_t lanes, const warp_banks *banks, uint32_t width,
                                    uint32_t group) {
    warp_cost cost;
    uint32_t passes[WARP_SLOTS];
    warp_passes_words(lanes, banks, group, passes);
    warp_sum_groups(lanes, passes, group, &cost.wavefronts, &cost.ways);
    cost.ideal = warp_ideal(lanes, width, cost.wavefronts);
    return cost;
}

WARP_CALL warp_cost warp_cost_lanes(uint32_t lanes, const warp_banks *banks, uint32_t width) {
    warp_cost cost;
    uint32_t passes[WARP_SLOTS];
    warp_passes_lanes(banks, warp_group_lanes(width), passes);
    warp_sum_groups(lanes, passes, warp_group_lanes(width), &cost.wavefronts, &cost.ways);
    cost.ideal = warp_ideal(lanes, width, cost.wavefronts);
    return cost;
}

/* ldmatrix and stmatrix: eight rows per group. */
WARP_CALL warp_cost warp_cost_matrix(uint32_t lanes, const uint32_t offset[WARP_SLOTS]) {
    warp_banks banks;
    warp_find_banks(lanes, offset, 16, &banks);
    return warp_cost_words(lanes, &banks, 16, 8);
}

/* ---- Sectors ---- */

/* Lanes for which no lower one of `some` has the same value. */
WARP_CALL uint32_t warp_leaders(uint32_t lanes, const uint32_t same[WARP_SLOTS], uint32_t some) {
    bool leads[WARP_SLOTS];
    FOR_LANES(s)
    leads[s] = (some >> warp_lane(s) & 1) != 0 && warp_lowest(same[s] & some) == warp_lane(s);
    return warp_ballot(lanes, leads);
}

/* Global memory, and other blocks' shared memory: counts distinct sectors of addresses that differ
 * in their low `bits` only. */
WARP_CALL uint32_t warp_sectors(uint32_t lanes, const uint64_t address[WARP_SLOTS], uint32_t bits) {
    uint64_t sector[WARP_SLOTS];
    uint32_t same[WARP_SLOTS];
    FOR_LANES(s)
    sector[s] = address[s] >> WARP_SECTOR_SHIFT;
    warp_match_wide(lanes, sector, bits - WARP_SECTOR_SHIFT, same);
    return warp_count(warp_leaders(lanes, same, lanes));
}

/* Local memory: each 4-byte word of a thread lies beside the same word of the other lanes, so a
 * sector holds that word of eight lanes. */
WARP_CALL uint32_t warp_sectors_local(uint32_t lanes, const uint32_t offset[WARP_SLOTS],
                                      uint32_t width) {
    uint32_t unit[WARP_SLOTS], same[WARP_SLOTS];
    bool leads[WARP_SLOTS];
    uint32_t shift = width > 4 ? warp_log2(width) : 2;
    FOR_LANES(s)
    unit[s] = offset[s] >> shift;
    warp_match(lanes, unit, WARP_LOCAL_BITS - shift, same);
    FOR_LANES(s)
    leads[s] = warp_lowest(same[s] & warp_own_group(warp_lane(s), 8)) == warp_lane(s);
    return warp_count(warp_ballot(lanes, leads)) << (shift - 2);
}

WARP_CALL uint32_t warp_ideal_sectors(uint32_t lanes, uint32_t width, uint32_t sectors) {
    uint32_t ideal = (warp_count(lanes) * width + 31) >> WARP_SECTOR_SHIFT;
    return ideal < sectors ? ideal : sectors;
}

/* The tag stage: lanes on one line of 128 bytes, and lanes in one of the four tag banks. */
typedef struct warp_tags {
    uint32_t same_line[WARP_SLOTS], same_bank[WARP_SLOTS];
} warp_tags;

/* Returns false if the lanes are so far apart that the bank is unknown. */
WARP_CALL bool warp_find_tags(uint32_t lanes, const uint64_t address[WARP_SLOTS], warp_tags *out) {
    uint32_t line[WARP_SLOTS], high[WARP_SLOTS], bank[WARP_SLOTS], same[WARP_SLOTS];
    bool differs[WARP_SLOTS];
    FOR_LANES(s) {
        line[s] = (uint32_t)(address[s] >> WARP_LINE_SHIFT);
        high[s] = (uint32_t)(address[s] >> WARP_TAG_KNOWN_BITS);
        bank[s] = warp_parity(line[s] & WARP_TAG_BIT_0) | warp_parity(line[s] & WARP_TAG_BIT_1)
                                                              << 1;
    }
    warp_match(lanes, high, 64 - WARP_TAG_KNOWN_BITS, same);
    FOR_LANES(s)
    differs[s] = same[s] != lanes;
    if (warp_ballot(lanes, differs) != 0)
        return false;
    warp_match(lanes, line, WARP_TAG_KNOWN_BITS - WARP_LINE_SHIFT, out->same_line);
    warp_match(lanes, bank, 2, out->same_bank);
    return true;
}

/* The lanes served by one wavefront of the tag stage: each bank serves the line of its lowest lane.
 */
WARP_CALL uint32_t warp_take(uint32_t lanes, const warp_tags *tags, uint32_t waiting) {
    bool is_taken[WARP_SLOTS];
    FOR_LANES(s) {
        uint32_t first = warp_lowest(tags->same_bank[s] & waiting) & 31;
        is_taken[s] = (waiting >> warp_lane(s) & 1) != 0 && (tags->same_line[s] >> first & 1) != 0;
    }
    return warp_ballot(lanes, is_taken);
}

/* Atomics on global memory and on other blocks' memory: lanes on one address wait for each other.
 * Returns false if the cost is unknown. */
WARP_CALL bool warp_packets(uint32_t lanes, const uint64_t address[WARP_SLOTS], uint32_t *sectors) {
    warp_tags tags;
    uint32_t place[WARP_SLOTS], same_place[WARP_SLOTS], same_sector[WARP_SLOTS];
    uint32_t sector[WARP_SLOTS];
    *sectors = 0;
    if (!warp_find_tags(lanes, address, &tags))
        return false;
    FOR_LANES(s) {
        place[s] = (uint32_t)address[s] & ((1u << WARP_LINE_SHIFT) - 1);
        sector[s] = (uint32_t)(address[s] >> WARP_SECTOR_SHIFT);
    }
    warp_match(lanes, place, WARP_LINE_SHIFT, same_place);
    warp_match(lanes, sector, WARP_TAG_KNOWN_BITS - WARP_SECTOR_SHIFT, same_sector);
    for (uint32_t waiting = lanes; waiting != 0;) {
        bool is_served[WARP_SLOTS];
        uint32_t taken = warp_take(lanes, &tags, waiting);
        FOR_LANES(s) {
            uint32_t lower = waiting & ((1u << warp_lane(s)) - 1);
            is_served[s] = (taken >> warp_lane(s) & 1) != 0 &&
                           (same_place[s] & tags.same_bank[s] & lower) == 0;
        }
        uint32_t served = warp_ballot(lanes, is_served);
        *sectors += warp_count(warp_leaders(lanes, same_sector, served));
        waiting &= ~served;
    }
    return true;
}

/* ---- Copies from global to shared memory, 4 and 8 bytes a lane ---- */

/* model/copy.c: a lane is served if it is the first remaining one on its source bank and on its
 * target bank. Returns false if the cost is unknown. */
WARP_CALL bool warp_cost_copy(uint32_t lanes, const uint64_t source[WARP_SLOTS],
                              const uint32_t target[WARP_SLOTS], uint32_t width, warp_cost *cost) {
    warp_tags tags;
    uint32_t unit[WARP_SLOTS], same_source[WARP_SLOTS], same_target[WARP_SLOTS];
    uint32_t group = WARP_PASS_BYTES / width, shift = warp_log2(width);
    uint32_t of_group[4] = {0, 0, 0, 0};
    if (width > 8 || !warp_find_tags(lanes, source, &tags))
        return false;
    FOR_LANES(s)
    unit[s] = ((uint32_t)source[s] & (WARP_PASS_BYTES - 1)) >> shift;
    warp_match(lanes, unit, WARP_PASS_SHIFT - shift, same_source);
    FOR_LANES(s)
    unit[s] = (target[s] & (WARP_PASS_BYTES - 1)) >> shift;
    warp_match(lanes, unit, WARP_PASS_SHIFT - shift, same_target);
    for (uint32_t waiting = lanes; waiting != 0;) {
        uint32_t left = warp_take(lanes, &tags, waiting);
        waiting &= ~left;
        while (left != 0) {
            bool is_served[WARP_SLOTS];
            of_group[0] += (left & warp_own_group(0, group)) != 0;
            of_group[1] += group == 16 && left >> 16 != 0;
            FOR_LANES(s) {
                uint32_t here = left & warp_own_group(warp_lane(s), group);
                is_served[s] = (left >> warp_lane(s) & 1) != 0 &&
                               warp_lowest(same_source[s] & here) == warp_lane(s) &&
                               warp_lowest(same_target[s] & here) == warp_lane(s);
            }
            left &= ~warp_ballot(lanes, is_served);
        }
    }
    cost->wavefronts = of_group[0] + of_group[1];
    cost->ways = of_group[0] > of_group[1] ? of_group[0] : of_group[1];
    cost->ideal = warp_ideal(lanes, width, cost->wavefronts);
    return true;
}

/* ---- Which copy it is ---- */

/* The bits of a key below the source's line. */
WARP_CALL uint32_t warp_copy_low_bits(uint32_t width) {
    return width == 16 ? WARP_OFFSET_BITS - 4 : 2 * (WARP_PASS_SHIFT - 2);
}

/* Stores for each lane all that a copy's cost depends on, in 32 bits; false if they do not suffice.
 * Tag banks are parities, so only in which bits lines differ counts, here from `first_line`, which
 * is any line that is the same for all lanes. Below that: of 16 bytes, the target; of fewer, the
 * words of source and target in 128 bytes. */
WARP_CALL bool warp_copy_key(uint32_t lanes, const uint64_t source[WARP_SLOTS],
                             const uint32_t target[WARP_SLOTS], uint32_t width, uint64_t first_line,
                             uint32_t key[WARP_SLOTS]) {
    const uint32_t low_bits = warp_copy_low_bits(width);
    bool is_far[WARP_SLOTS];
    FOR_LANES(s) {
        const uint64_t line = source[s] >> WARP_LINE_SHIFT ^ first_line;
        const uint32_t words = (uint32_t)source[s] % WARP_PASS_BYTES / 4 << (WARP_PASS_SHIFT - 2) |
                               target[s] % WARP_PASS_BYTES / 4;
        is_far[s] = line >> (32 - low_bits) != 0;
        key[s] = (uint32_t)line << low_bits | (width == 16 ? target[s] >> 4 : words);
    }
    return warp_ballot(lanes, is_far) == 0;
}

/* ---- Copies of 16 bytes, past L1 ---- */

/* For each lane: the lanes on its pair of lines, on its 32 bytes of shared memory from its line of
 * global memory, and on its 16 bytes of shared memory. */
typedef struct warp_pairs {
    uint32_t same_pair[WARP_SLOTS], same_block[WARP_SLOTS], same_place[WARP_SLOTS];
} warp_pairs;

WARP_CALL void warp_find_pairs(uint32_t lanes, const warp_tags *tags,
                               const uint32_t target[WARP_SLOTS], warp_pairs *out) {
    uint32_t part[WARP_SLOTS], same[WARP_SLOTS];
    FOR_LANES(s)
    part[s] = target[s] >> WARP_LINE_SHIFT;
    warp_match(lanes, part, WARP_OFFSET_BITS - WARP_LINE_SHIFT, out->same_place);
    FOR_LANES(s) {
        out->same_pair[s] = out->same_place[s] & tags->same_line[s];
        part[s] = target[s] >> WARP_SECTOR_SHIFT;
    }
    warp_match(lanes, part, WARP_LINE_SHIFT - WARP_SECTOR_SHIFT, same);
    FOR_LANES(s) {
        out->same_block[s] = out->same_pair[s] & same[s];
        out->same_place[s] &= same[s];
        part[s] = target[s] >> 4;
    }
    warp_match(lanes, part, 1, same);
    FOR_LANES(s)
    out->same_place[s] &= same[s];
}

/* Among the lanes of `some` on one address, selects the one whose pair of lines has the highest
 * lane of `taken` (the lowest of several): by that lane's number, bit by bit from the highest, all
 * addresses at once. */
WARP_CALL uint32_t warp_first_pairs(uint32_t lanes, const warp_pairs *pairs, uint32_t taken,
                                    uint32_t some) {
    bool holds[WARP_SLOTS];
    uint32_t highest[WARP_SLOTS];
    FOR_LANES(s)
    highest[s] = warp_highest(pairs->same_pair[s] & taken);
    WARP_LOOP
    for (int bit = 4; bit >= 0; bit--) {
        FOR_LANES(s)
        holds[s] = (some >> warp_lane(s) & highest[s] >> bit & 1) != 0;
        uint32_t votes = warp_ballot(lanes, holds);
        FOR_LANES(s)
        holds[s] =
            (some >> warp_lane(s) & 1) != 0 && (holds[s] || (votes & pairs->same_place[s]) == 0);
        some = warp_ballot(lanes, holds);
    }
    return warp_leaders(lanes, pairs->same_place, some);
}

/* model/bypass.c: sectors fetched. Returns false if unknown. */
WARP_CALL bool warp_bypass_sectors(uint32_t lanes, const uint64_t source[WARP_SLOTS],
                                   const uint32_t target[WARP_SLOTS], uint32_t *sectors) {
    warp_tags tags;
    warp_pairs pairs;
    bool is_new[WARP_SLOTS];
    *sectors = 0;
    if (!warp_find_tags(lanes, source, &tags))
        return false;
    warp_find_pairs(lanes, &tags, target, &pairs);
    for (uint32_t waiting = lanes; waiting != 0;) {
        uint32_t taken = warp_take(lanes, &tags, waiting);
        FOR_LANES(s)
        is_new[s] =
            (taken >> warp_lane(s) & 1) != 0 && (pairs.same_place[s] & lanes & ~waiting) == 0;
        uint32_t fetched = warp_first_pairs(lanes, &pairs, taken, warp_ballot(lanes, is_new));
        *sectors += warp_count(warp_leaders(lanes, pairs.same_block, fetched));
        waiting &= ~taken;
    }
    return true;
}

/* ---- Other blocks' shared memory ---- */

/* As in model/coalesce.c: the address at which the tag stage sees byte `offset` (excluding
 * system-reserved memory) of the block in bits 24 to 27. */
WARP_CALL uint64_t warp_cluster_address(uint32_t offset) {
    uint32_t block = offset >> 24;
    uint64_t bits = (uint64_t)(block & 1) << 25 | (uint64_t)(block >> 1 & 1) << 24 |
                    (uint64_t)(block >> 2 & 1) << 29 | (uint64_t)(block >> 3 & 1) << 26;
    return bits + (offset & 0xffffffu) + 1024;
}

/* ---- Which request it is ---- */

/* The sum of smp_lane_hash over the lanes, bit by bit. */
WARP_CALL uint32_t warp_hash(uint32_t lanes, const uint64_t offset[WARP_SLOTS]) {
    uint32_t own[WARP_SLOTS], sum = 0;
    bool holds[WARP_SLOTS];
    FOR_LANES(s)
    own[s] = smp_lane_hash(warp_lane(s), offset[s]);
    WARP_LOOP
    for (unsigned bit = 0; bit < 32; bit++) {
        FOR_LANES(s)
        holds[s] = (own[s] >> bit & 1) != 0;
        sum += warp_count(warp_ballot(lanes, holds)) << bit;
    }
    return sum;
}
