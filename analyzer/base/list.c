/* SPDX-License-Identifier: MIT */
/*
 * Growing lists, and zeroed memory: the system zeroes a page when it is first touched, so unused
 * memory costs nothing.
 */
#define _DEFAULT_SOURCE /* madvise */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* ---- Zeroed memory ---- */

enum { LEAST_BYTES = 4 << 20, PART = 16 };

void *zeroed_alloc(size_t bytes) {
    char *made = calloc(1, bytes);
    const long page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
    if (!made || page <= 0 || pages <= 0 || bytes < LEAST_BYTES ||
        bytes / (size_t)page > (size_t)pages / PART)
        return made;
#ifdef MADV_HUGEPAGE
    const size_t before = (size_t)page - (uintptr_t)made % (size_t)page;
    (void)madvise(made + before, bytes - before, MADV_HUGEPAGE); /* refused: small pages */
#endif
    return made;
}
