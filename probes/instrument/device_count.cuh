/* SPDX-License-Identifier: MIT */
/*
 * The code that runs on the GPU before each memory instruction of somebody else's kernel. It must
 * cost little, and keep the lanes together.
 *
 * All lanes here take all branches together: branches depend on votes, on values that all lanes
 * read from one place, or on arguments that are the same in all lanes. Anything that one lane does
 * alone is one predicated instruction. There are no barriers: the lanes may be part of a warp whose
 * other part is anywhere, even in another patch of the same instruction.
 */
#pragma once

#include "device_enter.cuh"
#include "sanitizer_face.h"

/* ---- Kinds of instructions ---- */

/* The API gives the bytes of registers that are used: 12 for a 16-byte instruction whose last
 * register nobody reads. Memory is accessed by a power of two. */
DEVICE uint32_t whole_log2(uint32_t width) {
    return 32 - (uint32_t)__clz((int)width - 1);
}

DEVICE uint32_t whole(uint32_t width) {
    return 1u << whole_log2(width);
}

DEVICE void set_words(held_request r, warp_cost cost) {
    r.price.set(FIGURE(wavefronts), cost.wavefronts);
    r.price.set(FIGURE(ideal), cost.ideal);
    r.price.set(FIGURE(ways), cost.ways);
}

DEVICE void set_sectors(held_request r, uint32_t width, uint32_t sectors) {
    r.price.set(FIGURE(sectors), sectors);
    r.price.set(FIGURE(ideal_sectors), warp_ideal_sectors(r.lanes, width, sectors));
}

#define SLOW __device__ __noinline__ static void

/* The result: the API continues on 0, and ends the warp otherwise. 0 also makes is_nothing true in
 * lanes that arrive a second time. */
enum { PATCH_SUCCESS = 0 };

#define PATCH extern "C" __device__ __noinline__ int
#define FLAGS_OF_ACCESS (SMP_INSTRUMENT_READ | SMP_INSTRUMENT_WRITE)
#define FLAGS_OF_GLOBAL (FLAGS_OF_ACCESS | SMP_INSTRUMENT_SYSTEM | SMP_INSTRUMENT_PREFETCH)

/* ---- Shared memory ---- */

DEVICE warp_banks banks_of(held_request r) {
    return {{r.same_word}, {r.same_bank}};
}

DEVICE uint32_t width_of(held_request r) {
    return 1u << (r.what >> 8 & 15);
}

/* Stores the cost of the held passes as figures: of words, or of lanes. */
DEVICE void sum_passes(held_request r, bool is_by_lanes) {
    const uint32_t first = is_by_lanes ? FIGURE(wavefronts_lanes) : FIGURE(wavefronts);
    const uint32_t passes = r.passes;
    uint32_t wavefronts, ways;
    warp_sum_groups(r.lanes, &passes, r.group, &wavefronts, &ways);
    r.price.set(first, wavefronts);
    r.price.set(FIGURE(ways) + is_by_lanes, ways);
    STEP(r)
    r.price.set(first + 1, warp_ideal(r.lanes, width_of(r), r.price[first]));
}

DEVICE void judge_shared(held_request r) {
    const uint32_t offset = r.offset;
    warp_banks banks;
    uint32_t passes;
    warp_find_banks(r.lanes, &offset, width_of(r), &banks);
    r.same_word = banks.same_word[0];
    r.same_bank = banks.same_bank[0];
    STEP(r) {
        banks = banks_of(r);
        const bool is_load = (r.what >> 4 & 15) == SMP_INSTRUMENT_READ;
        r.group = warp_group_size(r.lanes, &banks, width_of(r), is_load);
    }
    STEP(r) {
        banks = banks_of(r);
        warp_passes_words(r.lanes, &banks, r.group, &passes);
        r.passes = passes;
    }
    STEP(r)
    sum_passes(r, false);
    if ((r.what >> 4 & 15) != FLAGS_OF_ACCESS)
        return;
    STEP(r) {
        banks = banks_of(r);
        r.group = warp_group_lanes(width_of(r));
        warp_passes_lanes(&banks, r.group, &passes);
        r.passes = passes;
    }
    STEP(r)
    sum_passes(r, true);
}

/* Computes what it needs again: a value kept from before would take a register. */
DEVICE void enter_shared(instrument_table *table, uint64_t pc, uint32_t address, uint32_t what) {
    HOLD;
    asm volatile("" : "+l"(table), "+l"(pc), "+r"(address), "+r"(what));
    held_request r = hold(table, pc, what, __activemask(), address, true);
    if (count_if_further(r))
        return;
    judge_shared(r);
    enter(r, true, true, r.offset - r.table->head.reserved_bytes);
}

/* Counts a request with addresses of 32 bits, which `Enter` adds to the table if it is new. */
template <smp_instrument_kind Kind, void (*Enter)(instrument_table *, uint64_t, uint32_t, uint32_t)>
DEVICE void count_near(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags) {
    instrument_table *table = table_of(data);
    const uint32_t offset = (uint32_t)(uintptr_t)address;
    const uint32_t what =
        TABLE_WHAT(Kind, flags & FLAGS_OF_ACCESS, whole_log2(width), 0, 0) | kind_of(data);
    if (!count_if_known(table, pc, what, __activemask(), offset))
        Enter(table, pc, offset, what);
}

/* ---- Matrices ---- */

/* The active lanes execute it, those of `rows` give an address. PTX leaves a partial warp
 * undefined.
 */
SLOW enter_matrix(instrument_table *table, uint64_t pc, uint32_t address, uint32_t what,
                  uint32_t rows, bool is_whole) {
    HOLD;
    held_request r = hold(table, pc, what, rows, address, is_whole);
    if (is_whole)
        set_words(r, warp_cost_matrix(rows, &address));
    enter(r, is_whole, is_whole, r.offset - r.table->head.reserved_bytes);
}

DEVICE void count_matrix(void *data, uint64_t pc, uint32_t address, uint32_t flags,
                         uint32_t matrices) {
    instrument_table *table = table_of(data);
    uint32_t lanes = __activemask();
    uint32_t rows = lanes & WARP_ALL >> (32 - 8 * matrices);
    /* Lanes without a row return. */
    if ((rows >> warp_lane(0) & 1) == 0)
        return;
    uint32_t what =
        TABLE_WHAT(SMP_INSTRUMENT_MATRIX, flags & FLAGS_OF_ACCESS, 4, matrices, 0) | kind_of(data);
    if (lanes != WARP_ALL || !count_if_known(table, pc, what, rows, address))
        enter_matrix(table, pc, address, what, rows, lanes == WARP_ALL);
}

/* ---- Global memory ---- */

/* Judges a new request and enters it. */
DEVICE void enter_global(held_request r, uint64_t relative, uint64_t address, bool is_near) {
    const uint32_t flags = r.what >> 4 & 15, width = 1u << (r.what >> 8 & 15);
    const bool is_atomic = (flags & FLAGS_OF_ACCESS) == FLAGS_OF_ACCESS;
    bool is_judged = true;
    uint32_t sectors = 0;
    if ((flags & SMP_INSTRUMENT_PREFETCH) != 0) {
        is_judged = false;
    } else if (is_atomic) {
        is_judged = warp_packets(r.lanes, &address, &sectors);
    } else {
        uint64_t near = is_near ? (uint32_t)relative ^ 0x80000000u : address;
        sectors = warp_sectors(r.lanes, &near, is_near ? 32 : 64);
    }
    set_sectors(r, width, sectors);
    enter(r, is_judged, is_near && is_judged && !is_atomic, relative);
}

/* Offsets are relative to the lowest lane's address, rounded down to 256. */
SLOW judge_global(instrument_table *table, uint64_t pc, uint64_t address, uint32_t what) {
    HOLD;
    uint32_t lanes = __activemask();
    uint64_t base = first_of(lanes, address >> 8) << 8;
    uint64_t relative = address - base;
    bool is_far = (uint64_t)((int64_t)relative + INT64_C(0x80000000)) >> 32 != 0;
    bool is_near = !any_of(lanes, is_far);
    if (is_near && count_if_known(table, pc, what, lanes, (uint32_t)relative))
        return;
    enter_global(hold(table, pc, what, lanes, (uint32_t)relative, is_near), relative, address,
                 is_near);
}

DEVICE void count_global(void *data, uint64_t pc, void *pointer, uint32_t width, uint32_t flags) {
    const uint32_t what =
        TABLE_WHAT(SMP_INSTRUMENT_GLOBAL, flags & FLAGS_OF_GLOBAL, whole_log2(width), 0, 0);
    judge_global(table_of(data), pc, (uint64_t)pointer, what | kind_of(data));
}

/* ---- Local memory, and other blocks' shared memory ---- */

/* Relative to the first lane, as in smp_instrument_request. */
DEVICE uint64_t from_first(held_request r) {
    uint32_t first = spread(r.lanes, r.is_leader, r.offset, 32);
    return (uint64_t)r.offset - (first & ~255u);
}

SLOW enter_local(instrument_table *table, uint64_t pc, uint32_t address, uint32_t what) {
    HOLD;
    held_request r = hold(table, pc, what, __activemask(), address, true);
    const uint32_t width = 1u << (what >> 8 & 15);
    set_sectors(r, width, warp_sectors_local(r.lanes, &address, width));
    enter(r, true, true, from_first(r));
}

SLOW enter_cluster(instrument_table *table, uint64_t pc, uint32_t offset, uint32_t what) {
    HOLD;
    held_request r = hold(table, pc, what, __activemask(), offset, true);
    bool is_judged = true;
    uint32_t sectors = 0;
    uint64_t address = warp_cluster_address(offset - table->head.reserved_bytes);
    if ((what >> 4 & 15) == FLAGS_OF_ACCESS)
        is_judged = warp_packets(r.lanes, &address, &sectors);
    else
        sectors = warp_sectors(r.lanes, &address, 32);
    set_sectors(r, 1u << (what >> 8 & 15), sectors);
    enter(r, is_judged, is_judged, from_first(r));
}

DEVICE void count_cluster(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags) {
    count_near<SMP_INSTRUMENT_CLUSTER, enter_cluster>(data, pc, address, width, flags);
}

/* ---- What has no rule ---- */

SLOW enter_other(void *data, uint64_t pc, uint32_t id) {
    HOLD;
    if (is_nothing(data))
        return;
    const uint32_t what = TABLE_WHAT(SMP_INSTRUMENT_OTHER, 0, 0, 0, id) | kind_of(data);
    enter(hold(table_of(data), pc, what, __activemask(), 0, false), false, false, 0);
}

/* ---- Copies from global to shared memory ---- */

DEVICE void enter_copy(held_request r, uint64_t source, uint32_t to, uint32_t width, bool is_near) {
    const uint32_t target = to - r.table->head.reserved_bytes;
    warp_cost cost;
    uint32_t sectors;
    bool is_judged;
    if (width == 16) { /* its side in shared memory has no rule */
        is_judged = warp_bypass_sectors(r.lanes, &source, &target, &sectors);
        set_sectors(r, width, sectors);
    } else {
        is_judged = warp_cost_copy(r.lanes, &source, &target, width, &cost);
        if (is_judged) {
            set_words(r, cost);
            set_sectors(r, width, warp_sectors(r.lanes, &source, WARP_TAG_KNOWN_BITS));
        }
    }
    enter(r, is_judged, is_near && is_judged, target, true);
}

SLOW judge_copy(instrument_table *table, uint64_t pc, uint64_t source, uint32_t to, uint32_t width,
                uint32_t what) {
    HOLD;
    const uint32_t lanes = __activemask();
    const uint64_t first_line = first_of(lanes, source >> WARP_LINE_SHIFT);
    uint32_t key;
    const bool is_near = warp_copy_key(lanes, &source, &to, width, first_line, &key);
    if (is_near && count_if_known(table, pc, what, lanes, key))
        return;
    held_request r = hold(table, pc, what, lanes, key, is_near);
    if (!is_near || !count_if_further(r))
        enter_copy(r, source, to, width, is_near);
}

DEVICE void count_copy(void *data, uint64_t pc, uint64_t source, uint32_t to, uint32_t width) {
    const uint32_t what = TABLE_WHAT(SMP_INSTRUMENT_COPY, FLAGS_OF_ACCESS, warp_log2(width), 0, 0);
    judge_copy(table_of(data), pc, source, to, width, what | kind_of(data));
}

/* ---- More that has no rule ---- */

/* By the API's instruction number, as in SAN_PATCH_LIST; the arguments are ignored. */
#define OTHER(name, id, ...)                                       \
    PATCH smp_patch_##name(void *data, uint64_t pc, __VA_ARGS__) { \
        enter_other(data, pc, id);                                 \
        return PATCH_SUCCESS;                                      \
    }

OTHER(warpgroup_mma, 23, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)
OTHER(bulk_to_shared, 30, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t)
OTHER(memset_shared, 32, uint32_t, uint32_t)
OTHER(bulk_to_global, 35, uint64_t, uint32_t, uint32_t)
OTHER(bulk_shared, 36, uint32_t, uint32_t, uint32_t, uint32_t)
OTHER(bulk_reduce_global, 37, uint64_t, uint32_t, uint32_t)
OTHER(bulk_reduce_shared, 38, uint32_t, uint32_t, uint32_t, uint32_t)
