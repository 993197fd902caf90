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

/* Returns the first of `count` elements of `bytes` that begins with a pointer to this text; NULL if
 * none does. Pointers may be NULL. */
void *list_find(const void *list, size_t count, size_t bytes, const char *text);
#define LIST_FIND(list, count, text) list_find(list, count, sizeof *(list), text)
#define ROWS_FIND(rows, text) LIST_FIND(rows, sizeof rows / sizeof *rows, text)

/* ---- Walks ---- */

/* Runs the statement for each of `count` elements; `item` points to it. The list must not move or
 * grow meanwhile. */
#define EACH(type, item, list, count)                                                              \
    for (type *item = (list), *const item##_end = item ? item + (count) : item; item < item##_end; \
         item++)

/* The first element for which the expression on `item`, a pointer to it, is true; NULL if there is
 * none. */
#define FIND(item, list, count, ...)                                                    \
    __extension__({                                                                     \
        __typeof__(*(list)) *item = (list), *item##_end = item ? item + (count) : item; \
        while (item < item##_end && !(__VA_ARGS__))                                     \
            item++;                                                                     \
        item < item##_end ? item : NULL;                                                \
    })
#define ANY(...) (!!FIND(__VA_ARGS__))
/* Whether the expression is true for each element; it is not evaluated behind the first for which
 * it is false. */
#define EVERY(item, list, count, ...) (!FIND(item, list, count, !(__VA_ARGS__)))

/* Removes the elements for which the expression on `item`, a pointer to it, is true; it releases
 * what they own. */
#define DROP_IF(item, list, count, ...)                                                 \
    do {                                                                                \
        __typeof__(*(list)) *item = (list), *item##_end = item ? item + (count) : item; \
        __typeof__(count) item##_kept = 0;                                              \
        for (; item < item##_end; item++)                                               \
            if (!(__VA_ARGS__))                                                         \
                (list)[item##_kept++] = *item;                                          \
        (count) = item##_kept;                                                          \
    } while (0)

/* ---- Zeroed memory ---- */

/* Like calloc(1, bytes); free it with free. For a large block that is still a small part of the
 * machine's memory, asks for large pages, which cost one page fault instead of 512. */
void *zeroed_alloc(size_t bytes);

/* The elements at a pointer that several CPU threads share: the first to ask makes `count` zeroed
 * ones. NULL if out of memory. */
#define ZEROED_ONCE(pointer, count)                                                                \
    __extension__({                                                                                \
        __typeof__(pointer) there = __atomic_load_n(&(pointer), __ATOMIC_ACQUIRE);                 \
        const __typeof__(there) made = there ? NULL : zeroed_alloc((count) * sizeof *made);        \
        if (made && __atomic_compare_exchange_n(&(pointer), &there, made, false, __ATOMIC_ACQ_REL, \
                                                __ATOMIC_ACQUIRE))                                 \
            there = made;                                                                          \
        else                                                                                       \
            free(made);                                                                            \
        there;                                                                                     \
    })
