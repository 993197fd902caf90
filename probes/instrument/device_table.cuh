/* SPDX-License-Identifier: MIT */
/* Lookups and insertions in the table. All lanes of a request call each function together. */
#pragma once

#include "instrument_dump.h"
#include "instrument_table.h"
#include "warp_rule.h"

#define DEVICE __device__ static __forceinline__

/* True for a launch without a table, and for lanes that are here by mistake. Before an instruction
 * with a generic address the API calls one patch after another, each for the lanes whose address is
 * in its memory. It keeps these lanes in predicates, which the previous patch may overwrite. So
 * lanes of that patch may arrive here too, with its result in place of the pointer's low word. The
 * result is 0, which the low word of a tagged pointer never is. */
DEVICE bool is_nothing(const void *data) {
    return (uint32_t)(uintptr_t)data == 0;
}

DEVICE instrument_table *table_of(void *data) {
    return (instrument_table *)((uintptr_t)data & ~(uintptr_t)(TABLE_ALIGNMENT - 1));
}

/* The kind of the launch, as part of a request's `what`. */
DEVICE uint32_t kind_of(const void *data) {
    return (uint32_t)(uintptr_t)data << TABLE_KIND_SHIFT;
}

/* ---- What one lane does ---- */

DEVICE void add_if(uint32_t does, unsigned long long *to, unsigned long long value) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %0, 0; @p red.global.add.u64 [%1], %2; }" ::"r"(does),
        "l"(to), "l"(value)
        : "memory");
}

DEVICE void max_if(uint32_t does, uint32_t *to, uint32_t value) {
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

/* Broadcasts the value of the lane for which `has` holds, bit by bit, by votes. */
DEVICE uint32_t spread(uint32_t lanes, bool has, uint32_t value, unsigned bits) {
    uint32_t all = 0;
#pragma unroll 1
    for (unsigned bit = 0; bit < bits; bit++)
        all |= (uint32_t)any_of(lanes, has && (value >> bit & 1) != 0) << bit;
    return all;
}

/* Broadcasts the lowest lane's value, up to 40 bits. */
DEVICE uint64_t first_of(uint32_t lanes, uint64_t value) {
    bool is_first = warp_lane(0) == warp_lowest(lanes);
    uint32_t low = spread(lanes, is_first, (uint32_t)value, 32);
    return (uint64_t)spread(lanes, is_first, (uint32_t)(value >> 32), 8) << 32 | low;
}

/* Increments a counter and returns its old value to all lanes, at most `limit`. */
DEVICE uint32_t count_up(uint32_t lanes, bool is_leader, uint32_t *what, uint32_t limit) {
    uint32_t old = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.add.u32 %0, [%2], 1; }"
                 : "+r"(old)
                 : "r"((unsigned)is_leader), "l"(what)
                 : "memory");
    return spread(lanes, is_leader, old < limit ? old : limit, TABLE_NUMBER_BITS);
}

/* Replaces `expected` by `value`; true in all lanes on success. */
DEVICE bool swap(uint32_t lanes, bool is_leader, uint32_t *at, uint32_t expected, uint32_t value) {
    uint32_t old = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.cas.b32 %0, [%2], %3, %4; }"
                 : "+r"(old)
                 : "r"((unsigned)is_leader), "l"(at), "r"(expected), "r"(value)
                 : "memory");
    return any_of(lanes, is_leader && old == expected);
}

/* Raises a value; true in all lanes if it was lower. */
DEVICE bool raise(uint32_t lanes, bool is_leader, unsigned long long *to,
                  unsigned long long value) {
    unsigned long long old = value;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.global.max.u64 %0, [%2], %3; }"
                 : "+l"(old)
                 : "r"((unsigned)is_leader), "l"(to), "l"(value)
                 : "memory");
    return any_of(lanes, is_leader && old < value);
}

/* Reads past L1, which may hold an old value. */
DEVICE uint32_t look(const uint32_t *at) {
    return __ldcg(at);
}

DEVICE uint32_t copy_number() {
    uint32_t multiprocessor;
    asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return multiprocessor % TABLE_COPIES;
}

/* ---- A request ---- */

/* A request: the same in all lanes except for the offset. */
struct request {
    uint64_t pc;
    uint32_t what, lanes, hash;
    uint32_t offset; /* as in table_entry */
};

DEVICE bool leads(const request *r) {
    uint32_t lower;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
    return (r->lanes & lower) == 0;
}

DEVICE uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

DEVICE bool is_unanimous(uint32_t lanes, uint32_t votes) {
    return (votes == 0) | (votes == lanes);
}

/* Hashes requests by votes on some bits of the lanes' scrambled offsets. Few lanes need more bits,
 * and so do lanes that agree, as all do that read one word. */
DEVICE uint32_t hash_offsets(uint32_t lanes, uint32_t offset) {
    uint32_t scrambled = offset * 0x9e3779b1u;
    bool one = (scrambled >> 31 & 1) != 0, two = (scrambled >> 28 & 1) != 0;
    uint32_t ones = warp_ballot(lanes, &one), twos = warp_ballot(lanes, &two);
    uint32_t hash = ones * 0x165667b1u + twos;
    if ((is_unanimous(lanes, ones) & is_unanimous(lanes, twos)) | (warp_count(lanes) < 8)) {
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

/* The same result in all lanes. */
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

/* Waits for the number in a word of an index; 0 if it is not written in time. */
DEVICE uint32_t wait_for(const uint32_t *word) {
    uint32_t number = look(word) & TABLE_PENDING;
#pragma unroll 1
    for (unsigned i = 0; i < TABLE_WAITS && number == TABLE_PENDING; i++) {
        __nanosleep(200);
        number = look(word) & TABLE_PENDING;
    }
    return number == TABLE_PENDING ? 0 : number;
}

/* Loads pc, what and lanes at once. */
DEVICE uint4 head_of(const table_entry *entry) {
    static_assert(offsetof(instrument_table, entries) % 16 == 0 && sizeof(table_entry) % 16 == 0 &&
                      offsetof(table_entry, lanes) == 12,
                  "an entry begins with 16 bytes that are loaded at once");
    return *(const uint4 *)entry;
}

/* The common case, without a branch: the entry exists at its first place. */
DEVICE bool count_if_known(instrument_table *table, const request *r) {
    uint32_t seen = look(&table->entry_index[r->hash % TABLE_ENTRY_INDEX]);
    uint32_t number = seen & TABLE_PENDING;
    number = tag_of(seen) == tag_of(r->hash) && number < TABLE_ENTRIES ? number : 0;
    table_entry *entry = &table->entries[number];
    const uint4 head = head_of(entry);
    bool is_same = (entry->offset[warp_lane(0)] == r->offset) & (head.x == (uint32_t)r->pc) &
                   (head.y == (uint32_t)(r->pc >> 32)) & (head.z == r->what) & (head.w == r->lanes);
    uint32_t same = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p activemask.b32 %0; }"
                 : "+r"(same)
                 : "r"((unsigned)is_same)
                 : "memory");
    bool is_known = same == r->lanes;
    add_if(is_known & leads(r), &entry->count[copy_number()], 1);
    return is_known;
}

/* The entry exists at a later place: worth looking, since judging a request takes ten times as
 * long. Does not wait for entries that are being written. */
DEVICE bool count_if_further(instrument_table *table, const request *r) {
#pragma unroll 1
    for (unsigned i = 1; i < TABLE_PROBES; i++) {
        uint32_t seen = look(&table->entry_index[(r->hash + i) % TABLE_ENTRY_INDEX]);
        uint32_t number = seen & TABLE_PENDING;
        if (seen == 0)
            return false;
        number = tag_of(seen) == tag_of(r->hash) && number < TABLE_ENTRIES ? number : 0;
        if (number != 0 && is_entry_of(&table->entries[number], r)) {
            count_entry(&table->entries[number], r);
            return true;
        }
    }
    return false;
}

/* ---- Sites ---- */

DEVICE uint32_t total_shared_bytes() {
    uint32_t bytes;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
    return bytes;
}

/* Writes a new site and publishes it; NULL if there is no room. */
DEVICE table_site *add_site(instrument_table *table, const request *r, uint32_t *word,
                            uint32_t hash) {
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

/* Returns NULL if the table is full. */
DEVICE table_site *find_site(instrument_table *table, const request *r) {
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

/* ---- Sums ---- */

/* Keeps the request if it costs more than all earlier ones, or as much with a larger hash. */
DEVICE void offer_worst(instrument_table *table, table_site *site, const request *r,
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

/* Adds, if the lane leads and the amount is not 0. */
DEVICE void add_as(uint32_t leader, unsigned long long *to, uint32_t value) {
    asm volatile("" : "+r"(leader), "+l"(to));
    add_if(leader & value, to, value);
}

/* Counts the request itself, whatever it costs. */
DEVICE table_sums *count_in_site(table_site *site, const request *r) {
    uint32_t leader = leads(r) ? WARP_ALL : 0;
    table_sums *sums = &site->sums[copy_number()];
    add_as(leader, &sums->requests, 1);
    add_as(leader, &sums->lanes, warp_count(r->lanes));
    return sums;
}

DEVICE void add_to_site(table_site *site, table_sums *sums, const request *r,
                        const table_price *price) {
    uint32_t leader = leads(r) ? WARP_ALL : 0;
#define ADD(figure) add_as(leader, &sums->figure, price->figure);
    TABLE_SUMMED_LIST(ADD)
#undef ADD
    if (price->ways > look(&site->ways))
        max_if(leader, &site->ways, price->ways);
    if (price->ways_lanes > look(&site->ways_lanes))
        max_if(leader, &site->ways_lanes, price->ways_lanes);
}

/* ---- Entries ---- */

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

/* Makes the entry at a word that this warp has claimed. False if there is no room: the word stays
 * claimed, and the table is full for good. */
DEVICE bool add_entry(instrument_table *table, table_site *site, const request *r,
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

/* Counts the request in its entry or a new one; false if it can have none. */
DEVICE bool count_in_entries(instrument_table *table, table_site *site, const request *r,
                             const table_price *price) {
    uint32_t used = look(&table->head.entry_count);
    uint32_t most = used < TABLE_HALF_FULL ? TABLE_ENTRIES_OF_SITE : TABLE_ENTRIES_LATER;
    bool has_room = look(&site->entries) < most && used < TABLE_ENTRIES - 1;
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
