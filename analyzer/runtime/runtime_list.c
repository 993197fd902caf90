/* SPDX-License-Identifier: MIT */
/*
 * Lists of objects whose addresses programs have as handles. Each object begins with the pointer to
 * the next.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static void *next_of(const void *object) {
    void *next;
    memcpy(&next, object, sizeof next);
    return next;
}

static void set_next(void *object, const void *next) {
    memcpy(object, &next, sizeof next);
}

void *rt_list_add(void *first, size_t bytes) {
    void *made = calloc(1, bytes);
    if (made) {
        set_next(made, next_of(first));
        set_next(first, made);
    }
    return made;
}

bool rt_list_has(const void *first, const void *object) {
    const void *at = next_of(first);
    while (at && at != object)
        at = next_of(at);
    return at;
}

bool rt_list_remove(void *first, const void *object) {
    void *link = first;
    while (next_of(link) && next_of(link) != object)
        link = next_of(link);
    if (!next_of(link))
        return false;
    set_next(link, next_of(object));
    return true;
}
