/* SPDX-License-Identifier: MIT */
/* Growing lists. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

enum { FIRST_ROOM = 4 };

bool list_room(void *list, size_t count, size_t bytes) {
    char *items;
    memcpy(&items, list, sizeof items);
    if (count == 0 || (count >= FIRST_ROOM && (count & (count - 1)) == 0)) {
        const size_t room = count > 0 ? 2 * count : FIRST_ROOM;
        items = room <= SIZE_MAX / 2 / bytes ? realloc(items, room * bytes) : NULL;
        if (!items)
            return false;
        memcpy(list, &items, sizeof items);
    }
    memset(items + count * bytes, 0, bytes);
    return true;
}

void *list_find(const void *list, size_t count, size_t bytes, const char *text) {
    const char *begin;
    for (const char *at = list; count > 0; at += bytes, count--) {
        memcpy(&begin, at, sizeof begin);
        if (begin && strcmp(begin, text) == 0)
            return (void *)(uintptr_t)at;
    }
    return NULL;
}
