/* SPDX-License-Identifier: MIT */
/*
 * list.h: lists that grow by one element: a pointer and a count, which the owner keeps. The room
 * follows from the count alone, so elements may only be added with this. Setting the count to 0
 * starts the list again. Internal to analyzer/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes room for an element of `bytes` behind `count` others, and zeroes it. `list` is the address
 * of the pointer to the first; NULL there is an empty list. The elements may move. False: out of
 * memory, and the list is as it was. */
bool list_room(void *list, size_t count, size_t bytes);
#define LIST_ROOM(list, count) list_room(&(list), count, sizeof *(list))

/* ---- zeroed.c ---- */

/* As calloc(1, bytes); free it with free. If it is large, and yet a small part of the machine's
 * memory, the system is asked for large pages, each of which costs one page fault and not 512. */
void *zeroed_alloc(size_t bytes);
