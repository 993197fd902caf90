/* SPDX-License-Identifier: MIT */
/* Sets of accesses: rows, and a hash table of row numbers with open addressing. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

smp_access smp_access_canonical(const smp_access *access) {
    smp_access out = {
        .op = access->op, .width_bytes = access->width_bytes, .active_mask = access->active_mask};
    const smp_space space = smp_ops(NULL)[access->op].space;
    const uint32_t lanes = smp_access_lanes(access);
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if ((lanes >> l & 1) == 0)
            continue;
        out.offset_bytes[l] = space != SMP_SPACE_GLOBAL ? access->offset_bytes[l] : 0;
        if (space == SMP_SPACE_GLOBAL || space == SMP_SPACE_COPY)
            out.address_bytes[l] = access->address_bytes[l];
    }
    return out;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const smp_access *access, uint32_t tag) {
    uint64_t hash = mix(mix(access->op, tag), access->active_mask);
    hash = mix(hash, access->width_bytes);
    for (unsigned l = 0; l < SMP_LANES; l++)
        hash = mix(hash, access->offset_bytes[l] ^ access->address_bytes[l] << 16);
    return hash;
}

static bool is_same(const smp_access *a, const smp_access *b) {
    return a->op == b->op && a->width_bytes == b->width_bytes && a->active_mask == b->active_mask &&
           memcmp(a->offset_bytes, b->offset_bytes, sizeof a->offset_bytes) == 0 &&
           memcmp(a->address_bytes, b->address_bytes, sizeof a->address_bytes) == 0;
}

/* The slot of an access, or the free slot for it. */
static uint32_t *slot_of(const smp_access_set *set, const smp_access *access, uint32_t tag) {
    const uint64_t mask = set->slot_count - 1;
    for (uint64_t at = hash_of(access, tag) & mask;; at = (at + 1) & mask) {
        const smp_set_row *row = set->slots[at] > 0 ? &set->rows[set->slots[at] - 1] : NULL;
        if (!row || (row->tag == tag && is_same(&row->access, access)))
            return &set->slots[at];
    }
}

static bool grow(smp_access_set *set) {
    smp_access_set larger = *set;
    larger.slot_count = set->slot_count > 0 ? 2 * set->slot_count : 256;
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t i = 0; i < set->count; i++)
        *slot_of(&larger, &set->rows[i].access, set->rows[i].tag) = i + 1;
    free(set->slots);
    *set = larger;
    return true;
}

int64_t smp_access_set_find(const smp_access_set *set, const smp_access *access, uint32_t tag) {
    return set->count > 0 ? (int64_t)*slot_of(set, access, tag) - 1 : -1;
}

int64_t smp_access_set_add(smp_access_set *set, const smp_access *access, uint32_t tag) {
    if (2 * (set->count + 1) > set->slot_count && !grow(set))
        return -1;
    uint32_t *slot = slot_of(set, access, tag);
    if (*slot > 0)
        return (int64_t)*slot - 1;
    if (!LIST_ROOM(set->rows, set->count))
        return -1;
    set->rows[set->count].access = *access;
    set->rows[set->count].tag = tag;
    *slot = ++set->count;
    return (int64_t)*slot - 1;
}

void smp_access_set_clear(smp_access_set *set) {
    free(set->rows);
    free(set->slots);
    *set = (smp_access_set){0};
}
