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

#include "device_table.cuh"
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

/* Enters a new request with its price. */
DEVICE void enter(instrument_table *table, const request *r, const table_price *price,
                  bool is_judged, bool has_entry, uint64_t full_offset) {
    table_site *site = find_site(table, r);
    if (site == nullptr) {
        add_if(leads(r), &table->head.sites_lost, 1);
        return;
    }
    if (has_entry && count_in_entries(table, site, r, price))
        return;
    table_sums *sums = count_in_site(site, r);
    if (!is_judged) {
        add_if(leads(r), &site->not_judged, 1);
        return;
    }
    add_to_site(site, sums, r, price);
    offer_worst(table, site, r, price, full_offset, false);
    if (price->ways_lanes != 0)
        offer_worst(table, site, r, price, full_offset, true);
}

DEVICE void set_words(table_price *price, warp_cost cost) {
    price->wavefronts = cost.wavefronts;
    price->ideal = cost.ideal;
    price->ways = cost.ways;
}

#define SLOW __device__ __noinline__ static void

/* Rebuilds the request: a register kept by the caller would cost every known request a store and a
 * load. */
SLOW enter_shared(instrument_table *table, uint64_t pc, uint32_t address, uint32_t what) {
    request r = make_request(pc, what, __activemask(), address);
    const uint32_t width = 1u << (what >> 8 & 15), flags = what >> 4 & 15;
    if (count_if_further(table, &r))
        return;
    table_price price = {0};
    warp_banks banks;
    warp_find_banks(r.lanes, &r.offset, width, &banks);
    uint32_t group = warp_group_size(r.lanes, &banks, width, flags == SMP_INSTRUMENT_READ);
    set_words(&price, warp_cost_words(r.lanes, &banks, width, group));
    if (flags == (SMP_INSTRUMENT_READ | SMP_INSTRUMENT_WRITE)) {
        warp_cost cost = warp_cost_lanes(r.lanes, &banks, width);
        price.wavefronts_lanes = cost.wavefronts;
        price.ideal_lanes = cost.ideal;
        price.ways_lanes = cost.ways;
    }
    enter(table, &r, &price, true, true, r.offset - table->head.reserved_bytes);
}

/* The result: the API continues on 0, and ends the warp otherwise. 0 also makes is_nothing true in
 * lanes that arrive a second time. */
enum { PATCH_SUCCESS = 0 };

#define PATCH extern "C" __device__ __noinline__ int
#define FLAGS_OF_ACCESS (SMP_INSTRUMENT_READ | SMP_INSTRUMENT_WRITE)
#define FLAGS_OF_GLOBAL (FLAGS_OF_ACCESS | SMP_INSTRUMENT_SYSTEM | SMP_INSTRUMENT_PREFETCH)

DEVICE void count_shared(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags) {
    instrument_table *table = table_of(data);
    const uint32_t what =
        TABLE_WHAT(SMP_INSTRUMENT_SHARED, flags & FLAGS_OF_ACCESS, whole_log2(width), 0, 0) |
        kind_of(data);
    request r = make_request(pc, what, __activemask(), (uint32_t)(uintptr_t)address);
    r.lanes = __activemask(); /* computed again, which saves a register */
    if (!count_if_known(table, &r))
        enter_shared(table, pc, (uint32_t)(uintptr_t)address, what);
}

/* ---- Matrices ---- */

/* The active lanes execute it, r.lanes give an address. PTX leaves a partial warp undefined. */
SLOW enter_matrix(instrument_table *table, request r, bool is_whole) {
    table_price price = {0};
    if (is_whole)
        set_words(&price, warp_cost_matrix(r.lanes, &r.offset));
    enter(table, &r, &price, is_whole, is_whole, r.offset - table->head.reserved_bytes);
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
    request r = make_request(pc, what, rows, address);
    if (lanes != WARP_ALL || !count_if_known(table, &r))
        enter_matrix(table, r, lanes == WARP_ALL);
}

/* ---- Global memory ---- */

/* Judges a new request and enters it. */
DEVICE void enter_global(instrument_table *table, const request *r, uint32_t width,
                         uint64_t relative, uint64_t address, bool is_near) {
    table_price price = {0};
    bool is_judged = true;
    uint32_t flags = r->what >> 4 & 15;
    if ((flags & SMP_INSTRUMENT_PREFETCH) != 0) {
        is_judged = false;
    } else if ((flags & FLAGS_OF_ACCESS) == FLAGS_OF_ACCESS) {
        is_judged = warp_packets(r->lanes, &address, &price.sectors);
    } else {
        uint64_t near = is_near ? (uint32_t)relative ^ 0x80000000u : address;
        price.sectors = warp_sectors(r->lanes, &near, is_near ? 32 : 64);
    }
    price.ideal_sectors = warp_ideal_sectors(r->lanes, width, price.sectors);
    bool has_entry = is_near && is_judged && (flags & FLAGS_OF_ACCESS) != FLAGS_OF_ACCESS;
    enter(table, r, &price, is_judged, has_entry, relative);
}

/* Offsets are relative to the lowest lane's address, rounded down to 256. */
SLOW judge_global(instrument_table *table, uint64_t pc, uint64_t address, uint32_t what) {
    uint32_t lanes = __activemask();
    uint64_t base = first_of(lanes, address >> 8) << 8;
    uint64_t relative = address - base;
    bool is_far = (uint64_t)((int64_t)relative + INT64_C(0x80000000)) >> 32 != 0;
    bool is_near = !any_of(lanes, is_far);
    request r = make_request(pc, what, lanes, (uint32_t)relative);
    if (!is_near || !count_if_known(table, &r))
        enter_global(table, &r, 1u << (what >> 8 & 15), relative, address, is_near);
}

DEVICE void count_global(void *data, uint64_t pc, void *pointer, uint32_t width, uint32_t flags) {
    const uint32_t what =
        TABLE_WHAT(SMP_INSTRUMENT_GLOBAL, flags & FLAGS_OF_GLOBAL, whole_log2(width), 0, 0);
    judge_global(table_of(data), pc, (uint64_t)pointer, what | kind_of(data));
}

/* ---- Local memory, and other blocks' shared memory ---- */

/* Relative to the first lane, as in smp_instrument_request. */
DEVICE uint64_t from_first(const request *r) {
    uint32_t first = spread(r->lanes, leads(r), r->offset, 32);
    return (uint64_t)r->offset - (first & ~255u);
}

SLOW enter_local(instrument_table *table, request r, uint32_t width) {
    table_price price = {0};
    price.sectors = warp_sectors_local(r.lanes, &r.offset, width);
    price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
    enter(table, &r, &price, true, true, from_first(&r));
}

/* Makes a request whose address is one word. */
DEVICE request make_near(const void *data, uint64_t pc, const void *address, uint32_t what) {
    return make_request(pc, what | kind_of(data), __activemask(), (uint32_t)(uintptr_t)address);
}

DEVICE void count_local(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags) {
    instrument_table *table = table_of(data);
    flags &= FLAGS_OF_ACCESS;
    width = whole(width);
    request r = make_near(data, pc, address,
                          TABLE_WHAT(SMP_INSTRUMENT_LOCAL, flags, warp_log2(width), 0, 0));
    if (!count_if_known(table, &r))
        enter_local(table, r, width);
}

SLOW enter_cluster(instrument_table *table, request r, uint32_t width, uint32_t flags) {
    table_price price = {0};
    bool is_judged = true;
    uint64_t address = warp_cluster_address(r.offset - table->head.reserved_bytes);
    if (flags == FLAGS_OF_ACCESS)
        is_judged = warp_packets(r.lanes, &address, &price.sectors);
    else
        price.sectors = warp_sectors(r.lanes, &address, 32);
    price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
    enter(table, &r, &price, is_judged, is_judged, from_first(&r));
}

DEVICE void count_cluster(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags) {
    instrument_table *table = table_of(data);
    flags &= FLAGS_OF_ACCESS;
    width = whole(width);
    request r = make_near(data, pc, address,
                          TABLE_WHAT(SMP_INSTRUMENT_CLUSTER, flags, warp_log2(width), 0, 0));
    if (!count_if_known(table, &r))
        enter_cluster(table, r, width, flags);
}

/* ---- What has no rule ---- */

SLOW enter_other(void *data, uint64_t pc, uint32_t id) {
    if (is_nothing(data))
        return;
    instrument_table *table = table_of(data);
    table_price price = {0};
    request r;
    r.pc = pc;
    r.what = TABLE_WHAT(SMP_INSTRUMENT_OTHER, 0, 0, 0, id) | kind_of(data);
    r.lanes = __activemask();
    r.offset = 0;
    r.hash = 0;
    enter(table, &r, &price, false, false, 0);
}

/* ---- Copies from global to shared memory ---- */

SLOW enter_copy(instrument_table *table, request r, uint32_t width, uint64_t source) {
    table_price price = {0};
    warp_cost cost;
    uint32_t target = r.offset - table->head.reserved_bytes;
    bool is_judged;
    if (width == 16) { /* its side in shared memory has no rule */
        is_judged = warp_bypass_sectors(r.lanes, &source, &target, &price.sectors);
        price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
        enter(table, &r, &price, is_judged, false, target);
        return;
    }
    is_judged = warp_cost_copy(r.lanes, &source, &target, width, &cost);
    if (is_judged) {
        set_words(&price, cost);
        price.sectors = warp_sectors(r.lanes, &source, WARP_TAG_KNOWN_BITS);
        price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
    }
    enter(table, &r, &price, is_judged, false, target);
}

DEVICE void count_copy(void *data, uint64_t pc, void *source, uint32_t target, uint32_t width) {
    request r;
    r.pc = pc;
    r.what =
        TABLE_WHAT(SMP_INSTRUMENT_COPY, FLAGS_OF_ACCESS, warp_log2(width), 0, 0) | kind_of(data);
    r.lanes = __activemask();
    r.offset = target;
    r.hash = 0;
    enter_copy(table_of(data), r, width, (uint64_t)source);
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
