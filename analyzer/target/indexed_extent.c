/* SPDX-License-Identifier: MIT */
/*
 * The extent of a block, as a kernel's indices tell it.
 */
#include <stdio.h>
#include <string.h>

#include "launch_found.h"

enum { EXTENT_MAX = 1024 };

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t\r\n\v\f");
}

/* The factor of a block index, up to a "+": X of "blockIdx.x * X + threadIdx.x". */
static bool factor_at(const char *at, char axis, host_span *out) {
    char thread[16];
    (void)snprintf(thread, sizeof thread, "threadIdx.%c", axis);
    at = skip_blanks(at);
    if (*at != '*')
        return false;
    at = skip_blanks(at + 1);
    *out = (host_span){at, 0};
    while (host_is_word(at[out->length]))
        out->length++;
    const char *plus = skip_blanks(at + out->length);
    return out->length > 0 && *plus == '+' &&
           strncmp(skip_blanks(plus + 1), thread, strlen(thread)) == 0;
}

uint32_t indexed_extent(host_scope *inside, host_span body, char axis) {
    const char *at = body.text, *end = at + body.length;
    char block[16];
    host_span factor;
    int64_t value;
    (void)snprintf(block, sizeof block, "blockIdx.%c", axis);
    while ((at = strstr(at, block)) != NULL && at < end) {
        at += strlen(block);
        const unsigned before = inside->assumed_count;
        if (factor_at(at, axis, &factor) && host_value(inside, factor, &value) &&
            inside->assumed_count == before && value > 1 && value <= EXTENT_MAX)
            return (uint32_t)value;
        inside->assumed_count = before;
    }
    return 0;
}
