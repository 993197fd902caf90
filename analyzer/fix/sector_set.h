/* SPDX-License-Identifier: MIT */
/*
 * Different numbers, counted: open addressing, up to a limit beyond which it says 0.
 */
#ifndef SECTOR_SET_H
#define SECTOR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sector_set {
    uint64_t *keys; /* number + 1; owned */
    size_t room, count;
    bool is_full; /* too many, or no memory: not counted */
} sector_set;

void sector_set_add(sector_set *set, uint64_t number);
/* 0 if they were too many. */
uint64_t sector_set_count(const sector_set *set);
void sector_set_clear(sector_set *set);

#endif
