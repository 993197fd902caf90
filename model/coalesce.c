/* SPDX-License-Identifier: MIT */
/*
 * Global memory, and shared memory of other blocks: how many transactions serve a request.
 *
 * The unit shrank over the years. 1.0 moved whole aligned segments or gave up; 1.2 found the
 * smallest segments that cover the lanes; 2.x moved cache lines of 128 bytes; since 3.x a request
 * costs the 32-byte sectors that its lanes touch, and so does remote shared memory on 9.0.
 * Alignment keeps every lane inside one sector, so counting distinct sectors is all there is,
 * except for atomics: lanes that want one word need a packet each (model/FINDINGS.md).
 */
#include "coalesce.h"
#include "bank.h"
#include "mask.h"
#include "op.h"
#include "tag.h"

#define SECTOR_SHIFT 5
#define SECTOR_BYTES (1u << SECTOR_SHIFT)
#define LINE_SHIFT 7
#define LINE_BYTES 128
#define MANY_LANES 8 /* from so many on, registers pay */
#define HALF_WARP 16
#define HALF_MASK 0xffffu

static void add_transactions(smp_counts *out, unsigned count, unsigned bytes_each) {
    out->transactions += count;
    out->bytes += count * bytes_each;
}

/* Distinct blocks of 2^shift bytes that the lanes fall in. */
static unsigned distinct_plain(const uint64_t addresses[SMP_LANES], uint32_t lanes,
                               unsigned shift) {
    uint64_t seen[SMP_LANES];
    unsigned count = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint64_t block = addresses[lowest_lane(left)] >> shift;
        unsigned at = count; /* neighbours mostly share a block: look at the latest first */
        while (at > 0 && seen[at - 1] != block)
            at--;
        if (at == 0)
            seen[count++] = block;
    }
    return count;
}

unsigned smp_distinct_blocks(const uint64_t addresses[SMP_LANES], uint32_t lanes, unsigned shift) {
#if SMP_HAS_AVX2
    unsigned count = 0;
    if (count_lanes(lanes) >= MANY_LANES &&
        __builtin_cpu_supports("avx2")) // GCOVR_EXCL_BR_LINE: a CPU takes one side only
        count = smp_distinct_avx2(addresses, lanes, shift);
    if (count > 0)
        return count;
#endif
    return distinct_plain(addresses, lanes, shift);
}

/* Lanes on one word need a packet each, so the request goes round by round: the tag stage takes up
 * to four lines (tag.c), and of their lanes it serves those that no lower lane keeps from its
 * place: one in the same tag bank, and at the same place of its line. */
static uint32_t serve_round(const smp_tags *tags, const uint64_t addresses[SMP_LANES],
                            uint32_t waiting) {
    uint32_t served = smp_tags_take(tags, waiting);
    for (uint32_t left = served; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        for (uint32_t lower = waiting & ((1u << lane) - 1); lower != 0; lower &= lower - 1) {
            unsigned other = lowest_lane(lower);
            bool same_place = (addresses[other] ^ addresses[lane]) % LINE_BYTES == 0;
            if (same_place && tags->bank[other] == tags->bank[lane])
                served &= ~(1u << lane);
        }
    }
    return served;
}

static void count_atomics(const uint64_t addresses[SMP_LANES], uint32_t lanes, smp_counts *out) {
    smp_tags tags;
    if (!smp_tags_fill(addresses, lanes, &tags)) {
        out->transactions_min = smp_distinct_blocks(addresses, lanes, SECTOR_SHIFT);
        out->transactions_max = count_lanes(lanes);
        out->valid |= SMP_HAS_BOUNDS;
        out->evidence = SMP_OPEN;
        out->note = SMP_TAGS_NOTE;
        return;
    }
    for (uint32_t waiting = lanes; waiting != 0;) {
        uint32_t served = serve_round(&tags, addresses, waiting);
        add_transactions(out, smp_distinct_blocks(addresses, served, SECTOR_SHIFT), 32);
        waiting &= ~served;
    }
    out->valid |= SMP_HAS_TRANSACTIONS;
}

/* 1.0 and 1.1: lane k of the half-warp must read word k of one aligned segment; of 16-byte words,
 * the first eight fill one segment of 128 bytes and the last eight the next. */
static bool is_strictly_coalesced(const smp_access *access, uint32_t lanes) {
    uint32_t width = access->width_bytes;
    if (width < 4)
        return false;
    unsigned first = lowest_lane(lanes);
    uint64_t before = (uint64_t)(first % HALF_WARP) * width;
    uint64_t segment = width == 4 ? 64 : 128;
    if (access->address_bytes[first] < before)
        return false;
    uint64_t start = access->address_bytes[first] - before;
    if (start % segment != 0)
        return false;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        if (access->address_bytes[lane] != start + (uint64_t)(lane % HALF_WARP) * width)
            return false;
    }
    return true;
}

static void count_strict(const smp_access *access, uint32_t lanes, smp_counts *out) {
    if (!is_strictly_coalesced(access, lanes))
        add_transactions(out, HALF_WARP, 32);
    else if (access->width_bytes == 4)
        add_transactions(out, 1, 64);
    else
        add_transactions(out, access->width_bytes / 8, 128);
}

/* Lanes whose address lies in the 2^shift bytes from `block` << shift. */
static uint32_t lanes_inside(const smp_access *access, uint32_t lanes, uint64_t block,
                             unsigned shift) {
    uint32_t inside = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        if (access->address_bytes[lane] >> shift == block)
            inside |= 1u << lane;
    }
    return inside;
}

/* 1.2 and 1.3: the lowest lane's segment takes in every lane that it covers, and is halved as
 * long as all of these are in one half, down to 32 bytes. */
static void count_segments(const smp_access *access, uint32_t lanes, smp_counts *out) {
    unsigned widest = access->width_bytes == 1 ? 5 : access->width_bytes == 2 ? 6 : 7;
    while (lanes != 0) {
        uint64_t address = access->address_bytes[lowest_lane(lanes)];
        unsigned shift = widest;
        uint32_t served = lanes_inside(access, lanes, address >> shift, shift);
        while (shift > SECTOR_SHIFT &&
               lanes_inside(access, served, address >> (shift - 1), shift - 1) == served)
            shift--;
        add_transactions(out, 1, 1u << shift);
        lanes &= ~served;
    }
}

static void count_half_warp(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                            smp_counts *out) {
    if (lanes == 0)
        return;
    if (arch->global_rule == SMP_GLOBAL_STRICT)
        count_strict(access, lanes, out);
    else
        count_segments(access, lanes, out);
}

/* 2.x: a warp's request is split so that each part asks for at most 128 bytes; loads are
 * cached in lines of 128 bytes, everything else moves segments of 32. */
static void count_lines(const smp_access *access, uint32_t lanes, smp_counts *out) {
    unsigned shift = smp_op_table[access->op].is_load ? LINE_SHIFT : SECTOR_SHIFT;
    unsigned part_lanes = access->width_bytes <= 4 ? SMP_LANES : 128 / access->width_bytes;
    uint32_t part_mask = part_lanes == SMP_LANES ? SMP_ALL_LANES : (1u << part_lanes) - 1;
    for (unsigned first = 0; first < SMP_LANES; first += part_lanes) {
        uint32_t part = lanes & (part_mask << first);
        add_transactions(out, smp_distinct_blocks(access->address_bytes, part, shift), 1u << shift);
    }
}

uint32_t smp_ideal_sectors(const smp_counts *counts, uint32_t width_bytes) {
    uint32_t asked = counts->active_lanes * width_bytes;
    uint32_t filled = (asked + SECTOR_BYTES - 1) / SECTOR_BYTES;
    return filled < counts->transactions ? filled : counts->transactions;
}

void smp_coalesce_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                        smp_counts *out) {
    const smp_op_row *op = &smp_op_table[access->op];
    if (!op->lanes_merge) {
        count_atomics(access->address_bytes, lanes, out);
        return;
    }
    out->valid |= SMP_HAS_TRANSACTIONS;
    if (arch->global_rule == SMP_GLOBAL_SECTORS) {
        add_transactions(out, smp_distinct_blocks(access->address_bytes, lanes, SECTOR_SHIFT), 32);
    } else if (arch->global_rule == SMP_GLOBAL_LINES) {
        count_lines(access, lanes, out);
    } else {
        count_half_warp(arch, access, lanes & HALF_MASK, out);
        count_half_warp(arch, access, lanes & ~HALF_MASK, out);
    }
}

/* The tag stage treats a block's memory as if the block's number were these bits of an address.
 * This was measured; how the machine forms it is not known otherwise. */
static uint64_t block_address(uint32_t block) {
    static const uint8_t bits[] = {25, 24, 29, 26};
    uint64_t address = 0;
    for (unsigned i = 0; i < sizeof bits; i++)
        address |= (uint64_t)(block >> i & 1) << bits[i];
    return address;
}

void smp_cluster_count(const smp_arch *arch, const smp_access *access, uint32_t lanes,
                       smp_counts *out) {
    uint64_t addresses[SMP_LANES];
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        addresses[lane] = block_address(access->offset_bytes[lane] >> SMP_BLOCK_SHIFT) +
                          access->offset_bytes[lane] % (1u << SMP_BLOCK_SHIFT) +
                          arch->shared_reserved_bytes;
    if (!smp_op_table[access->op].lanes_merge) {
        count_atomics(addresses, lanes, out);
        return;
    }
    add_transactions(out, smp_distinct_blocks(addresses, lanes, SECTOR_SHIFT), 32);
    out->valid |= SMP_HAS_TRANSACTIONS;
}
