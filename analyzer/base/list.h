/* SPDX-License-Identifier: MIT */
/*
 * Lists that grow by one element: a pointer and a count, which the owner keeps. The room
 * follows from the count alone, so elements may only be added with this. Setting the count to 0
 * starts the list again. Internal to analyzer/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes room for an element of `bytes` after `count` others, and zeroes it. `list` is the address
 * of the pointer to the first, which is NULL for an empty list. The elements may move. False if out
 * of memory: the list is unchanged. */
bool list_room(void *list, size_t count, size_t bytes);
#define LIST_ROOM(list, count) list_room(&(list), count, sizeof *(list))

/* ---- Zeroed memory ---- */

/* Like calloc(1, bytes); free it with free. For a large block that is still a small part of the
 * machine's memory, asks for large pages, which cost one page fault instead of 512. */
void *zeroed_alloc(size_t bytes);
