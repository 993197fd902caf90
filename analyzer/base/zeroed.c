/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory: the system zeroes a page when it is first touched, so unused memory costs nothing.
 * Apart from list.c, because the playground has no madvise().
 */
#define _DEFAULT_SOURCE /* madvise */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "list.h"

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
