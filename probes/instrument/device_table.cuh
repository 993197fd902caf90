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

/* Broadcasts the value of the lane for which `has` holds, bit by bit: of each bit, lanes ask
 * whether that lane is among those that do not have it. */
DEVICE uint32_t spread(uint32_t lanes, bool has, uint32_t value, unsigned bits) {
    const uint32_t from = warp_ballot(lanes, &has), own = has ? value : 0;
    uint32_t all = 0;
#pragma unroll 4
    for (unsigned bit = 0; bit < bits; bit++) {
        uint32_t without = 0;
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p activemask.b32 %0; }"
                     : "+r"(without)
                     : "r"(own >> bit & 1)
                     : "memory");
        all |= (uint32_t)((without & from) == 0) << bit;
    }
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
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    return multiprocessor % TABLE_COPIES;
}

/* ---- A request ---- */

DEVICE bool leads(uint32_t lanes) {
    uint32_t lower;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
    return (lanes & lower) == 0;
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

DEVICE uint32_t hash_of(uint64_t pc, uint32_t what, uint32_t lanes, uint32_t offset) {
    uint32_t fixed = (uint32_t)pc * 0xc2b2ae3du + what * 0x27d4eb2fu + lanes * 0x9e3779b1u;
    return mix(fixed ^ hash_offsets(lanes, offset));
}

/* A word of an index: a number, and a tag that few other elements have. */
DEVICE uint32_t make_word(uint32_t tag, uint32_t number) {
    return tag << TABLE_NUMBER_BITS | number;
}

/* The word of an element that is being written: its tag is of the hash. */
DEVICE uint32_t pending_word(uint32_t hash) {
    return make_word(hash >> TABLE_NUMBER_BITS, TABLE_PENDING);
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

/* A key's words. The first has 15 bits of the address, `what` the rest: bits 16 to 23 are free
 * there, because no request with an entry has an other_id. GPU addresses have 57 bits at most, and
 * the code of a program does not lie 2^55 bytes apart. */
DEVICE uint32_t key_word(uint32_t pc_high, uint32_t number) {
    return make_word(pc_high, number);
}

DEVICE uint32_t key_what(uint32_t pc_high, uint32_t what) {
    return what ^ pc_high >> 15 << 16;
}

/* Returns the number that a key has for a request; 0 if it is another's or not there yet. */
DEVICE uint32_t number_in(const table_key *at, uint64_t pc, uint32_t what, uint32_t lanes) {
    const uint4 seen = __ldcg((const uint4 *)at);
    const uint32_t number = seen.x & TABLE_PENDING;
    const uint32_t pc_high = (uint32_t)(pc >> 32);
    const bool is_own = (seen.x == key_word(pc_high, number)) & (seen.y == (uint32_t)pc) &
                        (seen.z == key_what(pc_high, what)) & (seen.w == lanes);
    return is_own & (number < TABLE_ENTRIES) ? number : 0;
}

/* Counts a request whose entry exists at its first place, which is the common case, without a
 * branch. False if there is none. The offset is as in table_entry. */
DEVICE bool count_if_known(instrument_table *table, uint64_t pc, uint32_t what, uint32_t lanes,
                           uint32_t offset) {
    const uint32_t hash = hash_of(pc, what, lanes, offset);
    const uint32_t number =
        number_in(&table->entry_index[hash % TABLE_ENTRY_INDEX], pc, what, lanes);
    table_entry *entry = &table->entries[number];
    const bool is_same = (number != 0) & (entry->offset[warp_lane(0)] == offset);
    uint32_t same = 0;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p activemask.b32 %0; }"
                 : "+r"(same)
                 : "r"((unsigned)is_same)
                 : "memory");
    bool is_known = same == lanes;
    add_if(is_known & leads(lanes), &entry->count[copy_number()], 1);
    return is_known;
}
