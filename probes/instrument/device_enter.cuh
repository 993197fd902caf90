/* SPDX-License-Identifier: MIT */
/*
 * New requests: what becomes of those that are not found at once. They are held in local memory,
 * and everything here loads what it needs of them when it needs it, because the code that finds
 * known requests is the same function. A register more than the API saves for it anyway, or a call,
 * would cost each known request a store and a load.
 */
#pragma once

#include "device_table.cuh"

/* Begins a function, or a patch, that enters requests: the memory of `held`. */
#define HOLD asm volatile(".local .align 8 .b8 smp_held[152];")

namespace {

template <int AT> struct held_word {
    __device__ __forceinline__ operator uint32_t() const {
        uint32_t value;
        asm volatile("ld.local.u32 %0, [smp_held+%1];" : "=r"(value) : "n"(AT));
        return value;
    }
    __device__ __forceinline__ void operator=(uint32_t value) {
        asm volatile("st.local.u32 [smp_held+%1], %0;" ::"r"(value), "n"(AT));
    }
};

template <class T, int AT> struct held_long {
    __device__ __forceinline__ operator T() const {
        uint64_t value;
        asm volatile("ld.local.u64 %0, [smp_held+%1];" : "=l"(value) : "n"(AT));
        return (T)value;
    }
    __device__ __forceinline__ T operator->() const {
        return *this;
    }
    __device__ __forceinline__ void operator=(T value) {
        asm volatile("st.local.u64 [smp_held+%1], %0;" ::"l"((uint64_t)value), "n"(AT));
    }
};

/* The price, as an array of the figures of table_price. */
struct held_price {
    __device__ __forceinline__ uint32_t operator[](uint32_t i) const {
        uint32_t value;
        asm volatile("{ .reg .u32 a; mov.u32 a, smp_held; mad.lo.u32 a, %1, 4, a;"
                     "ld.local.u32 %0, [a+112]; }"
                     : "=r"(value)
                     : "r"(i));
        return value;
    }
    __device__ __forceinline__ void set(uint32_t i, uint32_t value) {
        asm volatile("{ .reg .u32 a; mov.u32 a, smp_held; mad.lo.u32 a, %0, 4, a;"
                     "st.local.u32 [a+112], %1; }" ::"r"(i),
                     "r"(value));
    }
};

/* As struct request, with its price and its site. */
struct held_request {
    held_long<instrument_table *, 0> table;
    held_long<uint64_t, 8> pc;
    held_word<8> pc_low;
    held_word<12> pc_high;
    held_word<16> what;
    held_word<24> lanes;
    held_word<32> hash;
    held_word<40> offset;
    held_long<table_site *, 48> site;
    held_word<56> is_leader;
    held_word<64> same_word; /* of shared memory, while it is judged */
    held_word<72> same_bank;
    held_word<80> group;
    held_word<88> passes;
    held_word<96> one;                        /* 1 */
    held_long<unsigned long long, 104> order; /* as in table_worst */
    held_price price;
};

} // namespace

#define FIGURE(name) (offsetof(table_price, name) / sizeof(uint32_t))
enum { FIGURES = sizeof(table_price) / sizeof(uint32_t), SUMMED = FIGURES - 2 };

static_assert(112 + (FIGURES + 2) * sizeof(uint32_t) == 152, "HOLD has what forget writes, too");

/* Makes the compiler load again what it has loaded of the request: a store behind it, to an address
 * that it cannot tell. Returns 1, which it cannot tell either. */
DEVICE uint32_t forget(held_request r) {
    r.price.set(FIGURES + warp_lane(0) % 2, 0);
    return r.one;
}

/* A step: the compiler mixes it with no other. */
#define STEP(r) for (uint32_t once = forget(r); once != 0; once = 0)

/* ---- Entries at later places ---- */

DEVICE table_key *key_at(held_request r, uint32_t probe) {
    return &r.table->entry_index[(r.hash + probe) % TABLE_ENTRY_INDEX];
}

/* As number_in, word by word. */
DEVICE uint32_t number_at(held_request r, uint32_t probe) {
    const uint32_t word = look(&key_at(r, probe)->word), number = word & TABLE_PENDING;
    if (word != key_word(r.pc_high, number) || number >= TABLE_ENTRIES)
        return 0;
    forget(r);
    if (look(&key_at(r, probe)->pc) != r.pc_low)
        return 0;
    forget(r);
    if (look(&key_at(r, probe)->what) != key_what(r.pc_high, r.what))
        return 0;
    forget(r);
    return look(&key_at(r, probe)->lanes) == r.lanes ? number : 0;
}

DEVICE void count_entry(held_request r, uint32_t number) {
    add_if(r.is_leader, &r.table->entries[number].count[copy_number()], 1);
}

/* Counts the request if the key at a place is its own; false if not. */
DEVICE bool count_if_at(held_request r, uint32_t probe) {
    const uint32_t number = number_at(r, probe);
    if (number == 0)
        return false;
    forget(r);
    const bool is_same = r.table->entries[number].offset[warp_lane(0)] == r.offset;
    if (warp_ballot(r.lanes, &is_same) != r.lanes)
        return false;
    forget(r);
    count_entry(r, number);
    return true;
}

/* The entry exists at a later place: worth looking, since judging a request takes ten times as
 * long. Does not wait for entries that are being written. */
DEVICE bool count_if_further(held_request r) {
#pragma unroll 1
    for (unsigned i = 1; i < TABLE_PROBES && look(&key_at(r, i)->word) != 0; i++) {
        forget(r);
        if (count_if_at(r, i))
            return true;
    }
    return false;
}

/* ---- Sites ---- */

DEVICE uint32_t total_shared_bytes() {
    uint32_t bytes;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
    return bytes;
}

DEVICE uint32_t site_hash(held_request r) {
    return mix(r.pc_low * 0x9e3779b1u + r.what * 0x85ebca77u);
}

/* Writes a new site and publishes it; false if there is no room. */
DEVICE bool add_site(held_request r, uint32_t *word) {
    uint32_t number =
        1 + count_up(r.lanes, r.is_leader, &r.table->head.site_count, TABLE_SITES - 1);
    if (number >= TABLE_SITES)
        return false;
    table_site *site = &r.table->sites[number];
    r.site = site;
    store_if(r.is_leader, &site->pc, (uint64_t)r.pc);
    store_if(r.is_leader, &site->what, (uint32_t)r.what);
    store_if(r.is_leader, &site->shared_bytes, total_shared_bytes());
    __threadfence();
    const uint32_t hash = site_hash(r);
    (void)swap(r.lanes, r.is_leader, word, pending_word(hash),
               make_word(hash >> TABLE_NUMBER_BITS, number));
    return true;
}

/* Stores the request's site; false if the table is full. */
DEVICE bool find_site(held_request r) {
    const uint32_t hash = site_hash(r);
#pragma unroll 1
    for (unsigned i = 0; i < TABLE_PROBES; i++) {
        uint32_t *word = &r.table->site_index[(hash + i) % TABLE_SITE_INDEX];
        uint32_t seen = look(word);
        if (seen == 0 && swap(r.lanes, r.is_leader, word, 0, pending_word(hash)))
            return add_site(r, word);
        if (seen == 0)
            seen = look(word);
        if (seen >> TABLE_NUMBER_BITS != hash >> TABLE_NUMBER_BITS)
            continue;
        const uint32_t number = wait_for(word);
        table_site *site = &r.table->sites[number];
        if (number != 0 && __ldcg(&site->pc) == r.pc && look(&site->what) == r.what) {
            r.site = site;
            return true;
        }
    }
    return false;
}

/* ---- Sums ---- */

/* The order of the costliest request of the site, and what this one costs. */
DEVICE unsigned long long *worst_order(held_request r, bool is_by_lanes) {
    table_site *site = r.site;
    return is_by_lanes ? &site->order_lanes : &site->order;
}

DEVICE uint32_t cost_of(held_request r, bool is_by_lanes) {
    return r.price[is_by_lanes                  ? FIGURE(wavefronts_lanes)
                   : r.price[FIGURE(ways)] != 0 ? FIGURE(wavefronts)
                                                : FIGURE(sectors)];
}

DEVICE void write_worst(held_request r, uint32_t number, uint64_t full_offset, bool is_by_lanes) {
    STEP(r)
    r.table->worst[number].offset[warp_lane(0)] = full_offset;
#pragma unroll 1
    for (unsigned i = 0; i < FIGURES; i++)
        ((uint32_t *)&r.table->worst[number].price)[i] = r.price[i];
    STEP(r) {
        r.table->worst[number].site = (uint32_t)(r.site - r.table->sites);
        r.table->worst[number].is_by_lanes = is_by_lanes;
        r.table->worst[number].lanes = r.lanes;
    }
    __threadfence();
    STEP(r)
    r.table->worst[number].order = r.order;
}

/* Keeps the request if it costs more than all earlier ones, or as much with a larger hash. */
DEVICE void offer_worst(held_request r, uint64_t full_offset, bool is_by_lanes) {
    if (cost_of(r, is_by_lanes) < (uint32_t)(__ldcg(worst_order(r, is_by_lanes)) >> 32))
        return;
    const uint32_t hash = warp_hash(r.lanes, &full_offset);
    STEP(r)
    r.order = (unsigned long long)cost_of(r, is_by_lanes) << 32 | hash;
    forget(r);
    if (r.order <= __ldcg(worst_order(r, is_by_lanes)))
        return;
    forget(r);
    if (!raise(r.lanes, r.is_leader, worst_order(r, is_by_lanes), r.order))
        return;
    forget(r);
    uint32_t number = count_up(r.lanes, r.is_leader, &r.table->head.worst_count, TABLE_WORST);
    if (number < TABLE_WORST)
        write_worst(r, number, full_offset, is_by_lanes);
}

DEVICE void raise_ways(held_request r, uint32_t *ways, uint32_t own) {
    if (own > look(ways))
        max_if(r.is_leader, ways, own);
}

/* Counts the request in its site, whatever it costs. */
DEVICE void count_in_site(held_request r) {
    table_sums *sums = &r.site->sums[copy_number()];
    add_if(r.is_leader, &sums->requests, 1);
    add_if(r.is_leader, &sums->lanes, warp_count(r.lanes));
}

DEVICE void add_to_site(held_request r) {
    unsigned long long *sum = &r.site->sums[copy_number()].wavefronts;
#pragma unroll 1
    for (unsigned i = 0; i < SUMMED; i++)
        add_if(r.price[i] != 0 ? (uint32_t)r.is_leader : 0, &sum[i], r.price[i]);
    raise_ways(r, &r.site->ways, r.price[FIGURE(ways)]);
    raise_ways(r, &r.site->ways_lanes, r.price[FIGURE(ways_lanes)]);
}

/* ---- Entries ---- */

DEVICE void write_entry(held_request r, uint32_t number) {
    STEP(r) {
        table_entry *entry = &r.table->entries[number];
        entry->offset[warp_lane(0)] = r.offset;
        store_if(r.is_leader, &entry->pc, (uint64_t)r.pc);
    }
    STEP(r) {
        table_entry *entry = &r.table->entries[number];
        store_if(r.is_leader, &entry->what, (uint32_t)r.what);
        store_if(r.is_leader, &entry->lanes, (uint32_t)r.lanes);
    }
#pragma unroll 1
    for (unsigned i = 0; i < FIGURES; i++)
        store_if(r.is_leader, (uint32_t *)&r.table->entries[number].price + i, r.price[i]);
    STEP(r) {
        const uint32_t site = (uint32_t)(r.site - r.table->sites);
        store_if(r.is_leader, &r.table->entries[number].site, site);
    }
    STEP(r)
    count_entry(r, number);
}

DEVICE void write_key(held_request r, uint32_t probe) {
    STEP(r) {
        store_if(r.is_leader, &key_at(r, probe)->pc, (uint32_t)r.pc_low);
        store_if(r.is_leader, &key_at(r, probe)->lanes, (uint32_t)r.lanes);
    }
    STEP(r)
    store_if(r.is_leader, &key_at(r, probe)->what, key_what(r.pc_high, r.what));
}

/* Makes the entry of a key that this warp has claimed. False if there is no room: the key stays
 * claimed, and the table is full for good. */
DEVICE bool add_entry(held_request r, uint32_t probe) {
    (void)count_up(r.lanes, r.is_leader, &r.site->entries, TABLE_ENTRIES);
    forget(r);
    const uint32_t number =
        1 + count_up(r.lanes, r.is_leader, &r.table->head.entry_count, TABLE_ENTRIES - 1);
    if (number >= TABLE_ENTRIES)
        return false;
    write_entry(r, number);
    write_key(r, probe);
    __threadfence();
    STEP(r)
    (void)swap(r.lanes, r.is_leader, &key_at(r, probe)->word, pending_word(r.hash),
               key_word(r.pc_high, number));
    return true;
}

/* True if the site may have another entry. */
DEVICE bool has_room(held_request r) {
    const uint32_t used = look(&r.table->head.entry_count);
    const uint32_t most = used < TABLE_HALF_FULL ? TABLE_ENTRIES_OF_SITE : TABLE_ENTRIES_LATER;
    return look(&r.site->entries) < most && used < TABLE_ENTRIES - 1;
}

/* Counts the request in its entry or a new one; false if it can have none. */
DEVICE bool count_in_entries(held_request r) {
#pragma unroll 1
    for (unsigned i = 0; i < TABLE_PROBES; i++) {
        if (look(&key_at(r, i)->word) == 0) {
            if (!has_room(r))
                return false;
            forget(r);
            if (swap(r.lanes, r.is_leader, &key_at(r, i)->word, 0, pending_word(r.hash)))
                return add_entry(r, i);
        }
        forget(r);
        if (look(&key_at(r, i)->word) == pending_word(r.hash))
            (void)wait_for(&key_at(r, i)->word);
        forget(r);
        if (count_if_at(r, i))
            return true;
    }
    return false;
}

/* Enters a new request with its price. Entries of copies do not have their targets. */
DEVICE void enter(held_request r, bool is_judged, bool has_entry, uint64_t full_offset,
                  bool is_copy = false) {
    if (!find_site(r)) {
        add_if(r.is_leader, &r.table->head.sites_lost, 1);
        return;
    }
    if (has_entry && is_copy)
        offer_worst(r, full_offset, false);
    if (has_entry && count_in_entries(r))
        return;
    count_in_site(r);
    if (!is_judged) {
        add_if(r.is_leader, &r.site->not_judged, 1);
        return;
    }
    add_to_site(r);
    offer_worst(r, full_offset, false);
    if (r.price[FIGURE(ways_lanes)] != 0)
        offer_worst(r, full_offset, true);
}

/* Holds a request that has no price yet, with or without the hash that finds its entry. */
DEVICE held_request hold(instrument_table *table, uint64_t pc, uint32_t what, uint32_t lanes,
                         uint32_t offset, bool has_hash) {
    held_request r;
    r.table = table;
    r.pc = pc;
    r.what = what;
    r.lanes = lanes;
    r.offset = offset;
    r.is_leader = leads(lanes);
    r.one = 1;
    r.hash = has_hash ? hash_of(pc, what, lanes, offset) : 0;
#pragma unroll 1
    for (unsigned i = 0; i < FIGURES; i++)
        r.price.set(i, 0);
    return r;
}
