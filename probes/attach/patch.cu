/* SPDX-License-Identifier: MIT */
/*
 * patch.cu: what runs on the GPU before each memory instruction of somebody else's kernel. The
 * Compute Sanitizer calls one of the functions at the end for the lanes that execute the
 * instruction; it must cost little, keep the lanes together, and do nothing without a table.
 *
 * All branches are taken by all lanes that are here: they depend on votes, on what all read from
 * one place, or on arguments that are the same in all lanes. What one lane does alone is one
 * predicated instruction. There are no barriers: the lanes may be a part of a warp whose other part
 * is anywhere, even in another patch of the same instruction.
 */
#include <sanitizer_patching.h>

#include "attach_dump.h"
#include "attach_table.h"
#include "warp_rule.h"

#define DEVICE __device__ static __forceinline__

/* ---- What one lane does -----------------------------------------------------------------------
 */

DEVICE void add_if(bool does, unsigned long long *to, unsigned long long value) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p red.global.add.u64 [%1], %2; }" ::"r"(
                     (unsigned)does),
                 "l"(to), "l"(value)
                 : "memory");
}

DEVICE void max_if(bool does, uint32_t *to, uint32_t value) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p red.global.max.u32 [%1], %2; }" ::"r"(
                     (unsigned)does),
                 "l"(to), "r"(value)
                 : "memory");
}

DEVICE void store_if(bool does, uint32_t *to, uint32_t value) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.u32 [%1], %2; }" ::"r"((unsigned)does),
        "l"(to), "r"(value)
        : "memory");
}

DEVICE void store_if(bool does, uint64_t *to, uint64_t value) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.u64 [%1], %2; }" ::"r"((unsigned)does),
        "l"(to), "l"(value)
        : "memory");
}

DEVICE bool any_of(uint32_t lanes, bool holds) {
    return warp_ballot(lanes, &holds) != 0;
}

/* To all lanes what the one for which `has` holds has: bit by bit, by votes. */
DEVICE uint32_t spread(uint32_t lanes, bool has, uint32_t value, unsigned bits) {
    uint32_t all = 0;
#pragma unroll 1
    for (unsigned bit = 0; bit < bits; bit++)
        all |= (uint32_t)any_of(lanes, has && (value >> bit & 1) != 0) << bit;
    return all;
}

/* The number before, to all lanes; numbers from `limit` on are all the same. */
DEVICE uint32_t count_up(uint32_t lanes, bool is_leader, uint32_t *what, uint32_t limit) {
    uint32_t old = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.add.u32 %0, [%2], 1; }"
                 : "+r"(old)
                 : "r"((unsigned)is_leader), "l"(what)
                 : "memory");
    return spread(lanes, is_leader, old < limit ? old : limit, TABLE_NUMBER_BITS);
}

/* True in all lanes if the word was `expected`, and is `value` now. */
DEVICE bool swap(uint32_t lanes, bool is_leader, uint32_t *at, uint32_t expected, uint32_t value) {
    uint32_t old = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.cas.b32 %0, [%2], %3, %4; }"
                 : "+r"(old)
                 : "r"((unsigned)is_leader), "l"(at), "r"(expected), "r"(value)
                 : "memory");
    return any_of(lanes, is_leader && old == expected);
}

/* True in all lanes if this raised what is there. */
DEVICE bool raise(uint32_t lanes, bool is_leader, unsigned long long *to,
                  unsigned long long value) {
    unsigned long long old = value;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.max.u64 %0, [%2], %3; }"
                 : "+l"(old)
                 : "r"((unsigned)is_leader), "l"(to), "l"(value)
                 : "memory");
    return any_of(lanes, is_leader && old < value);
}

/* From beyond L1, which may hold what was there before. */
DEVICE uint32_t look(const uint32_t *at) {
    return __ldcg(at);
}

DEVICE uint32_t copy_number() {
    uint32_t multiprocessor;
    asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return multiprocessor % TABLE_COPIES;
}

/* ---- A request
 * ----------------------------------------------------------------------------------- */

/* What all lanes hold alike, and each lane's own offset and role. */
struct request {
    uint64_t pc;
    uint32_t what, lanes, hash;
    uint32_t offset; /* as in table_entry */
};

DEVICE bool leads(const request *r) {
    return warp_lane(0) == warp_lowest(r->lanes);
}

DEVICE uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

/* Tells requests apart by votes about some bits of the lanes' scrambled offsets: few lanes need
 * more of them than many. */
DEVICE uint32_t hash_offsets(uint32_t lanes, uint32_t offset) {
    uint32_t scrambled = offset * 0x9e3779b1u;
    bool one = (scrambled >> 31 & 1) != 0, two = (scrambled >> 28 & 1) != 0;
    uint32_t hash = warp_ballot(lanes, &one) * 0x165667b1u + warp_ballot(lanes, &two);
    if (warp_count(lanes) < 8) {
#pragma unroll 1
        for (unsigned bit = 8; bit < 28; bit += 3) {
            bool more = (scrambled >> bit & 1) != 0;
            hash = hash * 0x2c1b3c6du + warp_ballot(lanes, &more);
        }
    }
    return hash;
}

DEVICE request make_request(uint64_t pc, uint32_t what, uint32_t lanes, uint32_t offset) {
    request r;
    r.pc = pc;
    r.what = what;
    r.lanes = lanes;
    r.offset = offset;
    uint32_t fixed = (uint32_t)pc * 0xc2b2ae3du + what * 0x27d4eb2fu + lanes * 0x9e3779b1u;
    r.hash = mix(fixed ^ hash_offsets(lanes, offset));
    return r;
}

/* True in all lanes, or in none. */
DEVICE bool is_entry_of(const table_entry *entry, const request *r) {
    bool is_same = (entry->offset[warp_lane(0)] == r->offset) & (entry->pc == r->pc) &
                   (entry->what == r->what) & (entry->lanes == r->lanes);
    return warp_ballot(r->lanes, &is_same) == r->lanes;
}

DEVICE void count_entry(table_entry *entry, const request *r) {
    add_if(leads(r), &entry->count[copy_number()], 1);
}

DEVICE uint32_t tag_of(uint32_t hash) {
    return hash >> TABLE_NUMBER_BITS;
}

DEVICE uint32_t make_word(uint32_t hash, uint32_t number) {
    return tag_of(hash) << TABLE_NUMBER_BITS | number;
}

/* The number at a word of an index once it is written; 0: not in this time. */
DEVICE uint32_t wait_for(const uint32_t *word) {
    uint32_t number = look(word) & TABLE_PENDING;
#pragma unroll 1
    for (unsigned i = 0; i < TABLE_WAITS && number == TABLE_PENDING; i++) {
        __nanosleep(200);
        number = look(word) & TABLE_PENDING;
    }
    return number == TABLE_PENDING ? 0 : number;
}

/* The common case: the entry is there, at its first place. No branch. */
DEVICE bool count_if_known(attach_table *table, const request *r) {
    uint32_t seen = look(&table->entry_index[r->hash % TABLE_ENTRY_INDEX]);
    uint32_t number = seen & TABLE_PENDING;
    number = tag_of(seen) == tag_of(r->hash) && number < TABLE_ENTRIES ? number : 0;
    table_entry *entry = &table->entries[number];
    bool is_same = (entry->offset[warp_lane(0)] == r->offset) & (entry->pc == r->pc) &
                   (entry->what == r->what) & (entry->lanes == r->lanes);
    uint32_t same = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p activemask.b32 %0; }"
                 : "+r"(same)
                 : "r"((unsigned)is_same)
                 : "memory");
    bool is_known = same == r->lanes;
    add_if(is_known & leads(r), &entry->count[copy_number()], 1);
    return is_known;
}

/* ---- Sites
 * --------------------------------------------------------------------------------------- */

DEVICE uint32_t total_shared_bytes() {
    uint32_t bytes;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
    return bytes;
}

/* Writes a new site and shows it; NULL: no room. */
DEVICE table_site *add_site(attach_table *table, const request *r, uint32_t *word, uint32_t hash) {
    bool is_leader = leads(r);
    uint32_t number = 1 + count_up(r->lanes, is_leader, &table->head.site_count, TABLE_SITES - 1);
    if (number >= TABLE_SITES)
        return nullptr;
    table_site *site = &table->sites[number];
    store_if(is_leader, &site->pc, r->pc);
    store_if(is_leader, &site->what, r->what);
    store_if(is_leader, &site->shared_bytes, total_shared_bytes());
    __threadfence();
    (void)swap(r->lanes, is_leader, word, make_word(hash, TABLE_PENDING), make_word(hash, number));
    return site;
}

/* NULL: the table is full. */
DEVICE table_site *find_site(attach_table *table, const request *r) {
    uint32_t hash = mix((uint32_t)r->pc * 0x9e3779b1u + r->what * 0x85ebca77u);
#pragma unroll 1
    for (unsigned i = 0; i < TABLE_PROBES; i++) {
        uint32_t *word = &table->site_index[(hash + i) % TABLE_SITE_INDEX];
        uint32_t seen = look(word);
        if (seen == 0 && swap(r->lanes, leads(r), word, 0, make_word(hash, TABLE_PENDING)))
            return add_site(table, r, word, hash);
        if (seen == 0)
            seen = look(word);
        uint32_t number = tag_of(seen) == tag_of(hash) ? wait_for(word) : 0;
        table_site *site = &table->sites[number];
        if (number != 0 && __ldcg(&site->pc) == r->pc && look(&site->what) == r->what)
            return site;
    }
    return nullptr;
}

/* ---- Sums
 * ------------------------------------------------------------------------------------------ */

/* Keeps the request if it costs more than all before it, or as much with a larger hash. */
DEVICE void offer_worst(attach_table *table, table_site *site, const request *r,
                        const table_price *price, uint64_t full_offset, bool is_by_lanes) {
    uint32_t cost = is_by_lanes        ? price->wavefronts_lanes
                    : price->ways != 0 ? price->wavefronts
                                       : price->sectors;
    unsigned long long *order = is_by_lanes ? &site->order_lanes : &site->order;
    unsigned long long known = __ldcg(order);
    if (cost < (uint32_t)(known >> 32))
        return;
    unsigned long long own = (unsigned long long)cost << 32 | warp_hash(r->lanes, &full_offset);
    if (own <= known || !raise(r->lanes, leads(r), order, own))
        return;
    uint32_t number = count_up(r->lanes, leads(r), &table->head.worst_count, TABLE_WORST);
    if (number >= TABLE_WORST)
        return;
    table_worst *worst = &table->worst[number];
    worst->offset[warp_lane(0)] = full_offset;
    worst->price = *price;
    worst->site = (uint32_t)(site - table->sites);
    worst->is_by_lanes = is_by_lanes;
    worst->lanes = r->lanes;
    __threadfence();
    worst->order = own;
}

DEVICE void add_to_site(table_site *site, const request *r, const table_price *price,
                        bool is_judged) {
    bool is_leader = leads(r);
    table_sums *sums = &site->sums[copy_number()];
    add_if(is_leader, &sums->requests, 1);
    add_if(is_leader, &sums->lanes, warp_count(r->lanes));
    add_if(is_leader && !is_judged, &site->not_judged, 1);
    add_if(is_leader && price->wavefronts != 0, &sums->wavefronts, price->wavefronts);
    add_if(is_leader && price->ideal != 0, &sums->ideal, price->ideal);
    add_if(is_leader && price->wavefronts_lanes != 0, &sums->wavefronts_lanes,
           price->wavefronts_lanes);
    add_if(is_leader && price->ideal_lanes != 0, &sums->ideal_lanes, price->ideal_lanes);
    add_if(is_leader && price->sectors != 0, &sums->sectors, price->sectors);
    add_if(is_leader && price->ideal_sectors != 0, &sums->ideal_sectors, price->ideal_sectors);
    max_if(is_leader && price->ways > look(&site->ways), &site->ways, price->ways);
    max_if(is_leader && price->ways_lanes > look(&site->ways_lanes), &site->ways_lanes,
           price->ways_lanes);
}

/* ---- Entries
 * --------------------------------------------------------------------------------------- */

DEVICE void write_entry(table_entry *entry, const request *r, const table_price *price,
                        uint32_t site) {
    bool is_leader = leads(r);
    entry->offset[warp_lane(0)] = r->offset;
    store_if(is_leader, &entry->pc, r->pc);
    store_if(is_leader, &entry->what, r->what);
    store_if(is_leader, &entry->lanes, r->lanes);
    store_if(is_leader, &entry->price.wavefronts, price->wavefronts);
    store_if(is_leader, &entry->price.ideal, price->ideal);
    store_if(is_leader, &entry->price.ways, price->ways);
    store_if(is_leader, &entry->price.wavefronts_lanes, price->wavefronts_lanes);
    store_if(is_leader, &entry->price.ideal_lanes, price->ideal_lanes);
    store_if(is_leader, &entry->price.ways_lanes, price->ways_lanes);
    store_if(is_leader, &entry->price.sectors, price->sectors);
    store_if(is_leader, &entry->price.ideal_sectors, price->ideal_sectors);
    store_if(is_leader, &entry->site, site);
    __threadfence();
}

/* Makes the entry at a word that this warp has claimed. False: no room for it; the word stays
 * claimed, the table is full for good. */
DEVICE bool add_entry(attach_table *table, table_site *site, const request *r,
                      const table_price *price, uint32_t *word) {
    bool is_leader = leads(r);
    (void)count_up(r->lanes, is_leader, &site->entries, TABLE_ENTRIES);
    uint32_t number =
        1 + count_up(r->lanes, is_leader, &table->head.entry_count, TABLE_ENTRIES - 1);
    if (number >= TABLE_ENTRIES)
        return false;
    table_entry *entry = &table->entries[number];
    write_entry(entry, r, price, (uint32_t)(site - table->sites));
    count_entry(entry, r);
    (void)swap(r->lanes, is_leader, word, make_word(r->hash, TABLE_PENDING),
               make_word(r->hash, number));
    return true;
}

/* Counts the request in its entry, or in a new one; false: it has none and gets none. */
DEVICE bool count_in_entries(attach_table *table, table_site *site, const request *r,
                             const table_price *price) {
    bool has_room = look(&site->entries) < TABLE_ENTRIES_OF_SITE &&
                    look(&table->head.entry_count) < TABLE_ENTRIES - 1;
#pragma unroll 1
    for (unsigned i = 0; i < TABLE_PROBES; i++) {
        uint32_t *word = &table->entry_index[(r->hash + i) % TABLE_ENTRY_INDEX];
        uint32_t seen = look(word);
        if (seen == 0 && !has_room)
            return false;
        if (seen == 0 && swap(r->lanes, leads(r), word, 0, make_word(r->hash, TABLE_PENDING)))
            return add_entry(table, site, r, price, word);
        if (seen == 0)
            seen = look(word);
        uint32_t number = tag_of(seen) == tag_of(r->hash) ? wait_for(word) : 0;
        table_entry *entry = &table->entries[number];
        if (number != 0 && is_entry_of(entry, r)) {
            count_entry(entry, r);
            return true;
        }
    }
    return false;
}

/* ---- Kinds of instructions
 * ------------------------------------------------------------------------ */

/* Enters a request that was not known, at this price. */
DEVICE void enter(attach_table *table, const request *r, const table_price *price, bool is_judged,
                  bool has_entry, uint64_t full_offset) {
    table_site *site = find_site(table, r);
    if (site == nullptr) {
        add_if(leads(r), &table->head.sites_lost, 1);
        return;
    }
    if (has_entry && count_in_entries(table, site, r, price))
        return;
    add_to_site(site, r, price, is_judged);
    if (!is_judged)
        return;
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

SLOW enter_shared(attach_table *table, request r, uint32_t width, uint32_t flags) {
    table_price price = {0};
    warp_banks banks;
    warp_find_banks(r.lanes, &r.offset, width, &banks);
    uint32_t group = warp_group_size(r.lanes, &banks, width, flags == SMP_ATTACH_READ);
    set_words(&price, warp_cost_words(r.lanes, &banks, width, group));
    if (flags == (SMP_ATTACH_READ | SMP_ATTACH_WRITE)) {
        warp_cost cost = warp_cost_lanes(r.lanes, &banks, width);
        price.wavefronts_lanes = cost.wavefronts;
        price.ideal_lanes = cost.ideal;
        price.ways_lanes = cost.ways;
    }
    enter(table, &r, &price, true, true, r.offset - table->head.reserved_bytes);
}

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult
#define FLAGS_OF_ACCESS (SMP_ATTACH_READ | SMP_ATTACH_WRITE)
#define FLAGS_OF_GLOBAL (FLAGS_OF_ACCESS | SMP_ATTACH_SYSTEM | SMP_ATTACH_PREFETCH)

PATCH smp_patch_shared(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                       const void *) {
    attach_table *table = (attach_table *)data;
    if (table == nullptr)
        return SANITIZER_PATCH_SUCCESS;
    flags &= FLAGS_OF_ACCESS;
    request r = make_request(pc, TABLE_WHAT(SMP_ATTACH_SHARED, flags, warp_log2(width), 0, 0),
                             __activemask(), (uint32_t)(uintptr_t)address);
    if (!count_if_known(table, &r))
        enter_shared(table, r, width, flags);
    return SANITIZER_PATCH_SUCCESS;
}

/* ---- Matrices
 * --------------------------------------------------------------------------------------- */

/* `lanes` execute it, r.lanes give an address. A partial warp is left undefined by PTX. */
SLOW enter_matrix(attach_table *table, request r, bool is_whole) {
    table_price price = {0};
    if (is_whole)
        set_words(&price, warp_cost_matrix(r.lanes, &r.offset));
    enter(table, &r, &price, is_whole, is_whole, r.offset - table->head.reserved_bytes);
}

PATCH smp_patch_matrix(void *data, uint64_t pc, uint32_t address, uint32_t, uint32_t flags,
                       uint32_t matrices, const void *) {
    attach_table *table = (attach_table *)data;
    uint32_t lanes = __activemask();
    uint32_t rows = lanes & WARP_ALL >> (32 - 8 * matrices);
    /* Lanes without a row have nothing to say; they go. */
    if (table == nullptr || (rows >> warp_lane(0) & 1) == 0)
        return SANITIZER_PATCH_SUCCESS;
    uint32_t what = TABLE_WHAT(SMP_ATTACH_MATRIX, flags & FLAGS_OF_ACCESS, 4, matrices, 0);
    request r = make_request(pc, what, rows, address);
    if (lanes != WARP_ALL || !count_if_known(table, &r))
        enter_matrix(table, r, lanes == WARP_ALL);
    return SANITIZER_PATCH_SUCCESS;
}

/* ---- Global memory
 * ---------------------------------------------------------------------------------- */

SLOW enter_global(attach_table *table, request r, uint32_t width, uint64_t relative,
                  uint64_t address, bool is_near) {
    table_price price = {0};
    bool is_judged = true;
    uint32_t flags = r.what >> 4 & 15;
    if ((flags & SMP_ATTACH_PREFETCH) != 0) {
        is_judged = false;
    } else if ((flags & FLAGS_OF_ACCESS) == FLAGS_OF_ACCESS) {
        is_judged = warp_packets(r.lanes, &address, &price.sectors);
    } else if (is_near) {
        uint64_t near = (uint32_t)relative ^ 0x80000000u;
        price.sectors = warp_sectors(r.lanes, &near, 32);
    } else {
        price.sectors = warp_sectors(r.lanes, &address, 64);
    }
    price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
    bool has_entry = is_near && is_judged && (flags & FLAGS_OF_ACCESS) != FLAGS_OF_ACCESS;
    enter(table, &r, &price, is_judged, has_entry, relative);
}

/* The lowest lane's address tells where the request is; what it looks like is told from there. */
PATCH smp_patch_global(void *data, uint64_t pc, void *pointer, uint32_t width, uint32_t flags,
                       const void *) {
    attach_table *table = (attach_table *)data;
    if (table == nullptr)
        return SANITIZER_PATCH_SUCCESS;
    uint32_t lanes = __activemask();
    uint64_t address = (uint64_t)pointer;
    uint64_t base = __shfl_sync(lanes, address, (int)warp_lowest(lanes)) & ~UINT64_C(255);
    uint64_t relative = address - base;
    bool is_far = (uint64_t)((int64_t)relative + INT64_C(0x80000000)) >> 32 != 0;
    bool is_near = !any_of(lanes, is_far);
    flags &= FLAGS_OF_GLOBAL;
    request r = make_request(pc, TABLE_WHAT(SMP_ATTACH_GLOBAL, flags, warp_log2(width), 0, 0),
                             lanes, (uint32_t)relative);
    if (!is_near || !count_if_known(table, &r))
        enter_global(table, r, width, relative, address, is_near);
    return SANITIZER_PATCH_SUCCESS;
}

/* ---- Local memory, and other blocks' shared memory
 * ------------------------------------------------------ */

/* Relative to the first lane, as in smp_attach_request. */
DEVICE uint64_t from_first(const request *r) {
    uint32_t first = spread(r->lanes, leads(r), r->offset, 32);
    return (uint64_t)r->offset - (first & ~255u);
}

SLOW enter_local(attach_table *table, request r, uint32_t width) {
    table_price price = {0};
    price.sectors = warp_sectors_local(r.lanes, &r.offset, width);
    price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
    enter(table, &r, &price, true, true, from_first(&r));
}

PATCH smp_patch_local(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                      const void *) {
    attach_table *table = (attach_table *)data;
    if (table == nullptr)
        return SANITIZER_PATCH_SUCCESS;
    flags &= FLAGS_OF_ACCESS;
    request r = make_request(pc, TABLE_WHAT(SMP_ATTACH_LOCAL, flags, warp_log2(width), 0, 0),
                             __activemask(), (uint32_t)(uintptr_t)address);
    if (!count_if_known(table, &r))
        enter_local(table, r, width);
    return SANITIZER_PATCH_SUCCESS;
}

SLOW enter_cluster(attach_table *table, request r, uint32_t width, uint32_t flags) {
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

PATCH smp_patch_cluster(void *data, uint64_t pc, void *address, uint32_t width, uint32_t flags,
                        const void *) {
    attach_table *table = (attach_table *)data;
    if (table == nullptr)
        return SANITIZER_PATCH_SUCCESS;
    flags &= FLAGS_OF_ACCESS;
    request r = make_request(pc, TABLE_WHAT(SMP_ATTACH_CLUSTER, flags, warp_log2(width), 0, 0),
                             __activemask(), (uint32_t)(uintptr_t)address);
    if (!count_if_known(table, &r))
        enter_cluster(table, r, width, flags);
    return SANITIZER_PATCH_SUCCESS;
}

/* ---- Copies from global to shared memory
 * ------------------------------------------------------------------ */

SLOW enter_copy(attach_table *table, request r, uint32_t width, uint64_t source) {
    table_price price = {0};
    warp_cost cost;
    uint32_t target = r.offset - table->head.reserved_bytes;
    bool is_judged = warp_cost_copy(r.lanes, &source, &target, width, &cost);
    if (is_judged) {
        set_words(&price, cost);
        price.sectors = warp_sectors(r.lanes, &source, WARP_TAG_KNOWN_BITS);
        price.ideal_sectors = warp_ideal_sectors(r.lanes, width, price.sectors);
    }
    enter(table, &r, &price, is_judged, false, target);
}

PATCH smp_patch_copy(void *data, uint64_t pc, void *source, uint32_t target, uint32_t width) {
    attach_table *table = (attach_table *)data;
    if (table == nullptr)
        return SANITIZER_PATCH_SUCCESS;
    request r;
    r.pc = pc;
    r.what = TABLE_WHAT(SMP_ATTACH_COPY, FLAGS_OF_ACCESS, warp_log2(width), 0, 0);
    r.lanes = __activemask();
    r.offset = target;
    r.hash = 0;
    enter_copy(table, r, width, (uint64_t)source);
    return SANITIZER_PATCH_SUCCESS;
}

/* ---- What has no rule
 * ---------------------------------------------------------------------------------------- */

SLOW enter_other(void *data, uint64_t pc, uint32_t id) {
    if (data == nullptr)
        return;
    table_price price = {0};
    request r;
    r.pc = pc;
    r.what = TABLE_WHAT(SMP_ATTACH_OTHER, 0, 0, 0, id);
    r.lanes = __activemask();
    r.offset = 0;
    r.hash = 0;
    enter((attach_table *)data, &r, &price, false, false, 0);
}

#define OTHER(name, id, ...)                                       \
    PATCH smp_patch_##name(void *data, uint64_t pc, __VA_ARGS__) { \
        enter_other(data, pc, id);                                 \
        return SANITIZER_PATCH_SUCCESS;                            \
    }

OTHER(warpgroup_mma, SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC, uint32_t, uint32_t, uint32_t,
      uint32_t, uint32_t, uint32_t)
OTHER(async_store, SANITIZER_INSTRUCTION_ASYNC_STORE, uint32_t, uint32_t, void *, uint32_t)
OTHER(async_reduction, SANITIZER_INSTRUCTION_ASYNC_REDUCTION, uint32_t, uint32_t, uint32_t)
OTHER(bulk_to_shared, SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, uint64_t, uint32_t,
      uint32_t, uint32_t, uint32_t)
OTHER(memset_shared, SANITIZER_INSTRUCTION_MEMSET_SHARED, uint32_t, uint32_t)
OTHER(bulk_to_global, SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, uint64_t, uint32_t,
      uint32_t)
OTHER(bulk_shared, SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED, uint32_t, uint32_t, uint32_t,
      uint32_t)
OTHER(bulk_reduce_global, SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, uint64_t, uint32_t,
      uint32_t)
OTHER(bulk_reduce_shared, SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED, uint32_t, uint32_t,
      uint32_t, uint32_t)
