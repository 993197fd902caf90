/* SPDX-License-Identifier: MIT */
/*
 * Sets of sectors.
 */
#include <stdlib.h>

#include "sector_set.h"

enum { FIRST_ROOM = 1 << 10, ROOM_MAX = 1 << 22 };

static void put(uint64_t *keys, size_t room, uint64_t key, size_t *count) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
    while (keys[at] != 0 && keys[at] != key)
        at = (at + 1) & (room - 1);
    *count += keys[at] == 0;
    keys[at] = key;
}

static void grow(sector_set *set) {
    const size_t room = set->room > 0 ? 2 * set->room : FIRST_ROOM;
    uint64_t *keys = room <= ROOM_MAX ? calloc(room, sizeof *keys) : NULL;
    size_t count = 0;
    set->is_full = keys == NULL;
    for (size_t i = 0; keys && i < set->room; i++) {
        if (set->keys[i] != 0)
            put(keys, room, set->keys[i], &count);
    }
    if (!keys)
        return;
    free(set->keys);
    set->keys = keys;
    set->room = room;
}

void sector_set_add(sector_set *set, uint64_t number) {
    if (!set->is_full && 2 * set->count >= set->room)
        grow(set);
    if (!set->is_full)
        put(set->keys, set->room, number + 1, &set->count);
}

uint64_t sector_set_count(const sector_set *set) {
    return set->is_full ? 0 : set->count;
}

void sector_set_clear(sector_set *set) {
    free(set->keys);
    *set = (sector_set){0};
}
