/* SPDX-License-Identifier: MIT */
/* The extent of a block, as a kernel's launch bounds, indices, tiles and template arguments tell
 * it. */
#include <stdio.h>
#include <string.h>

#include "launch_found.h"

enum { EXTENT_MAX = 1024 };

/* The factor of a block index, up to a "+": X of "blockIdx.x * X + threadIdx.x". */
static bool factor_at(const char *at, char axis, host_span *out) {
    char thread[16];
    (void)snprintf(thread, sizeof thread, "threadIdx.%c", axis);
    at = host_behind_blanks(at);
    if (*at != '*')
        return false;
    at = host_behind_blanks(at + 1);
    *out = (host_span){at, 0};
    while (text_is_word(at[out->length]))
        out->length++;
    const char *plus = host_behind_blanks(at + out->length);
    return out->length > 0 && *plus == '+' &&
           strncmp(host_behind_blanks(plus + 1), thread, strlen(thread)) == 0;
}

uint32_t indexed_extent(host_scope *inside, host_span body, char axis) {
    const char *at = body.text, *end = at + body.length;
    char block[16];
    host_span factor;
    int64_t value;
    (void)snprintf(block, sizeof block, "blockIdx.%c", axis);
    while ((at = strstr(at, block)) && at < end) {
        at += strlen(block);
        const unsigned before = inside->assumed_count;
        if (factor_at(at, axis, &factor) && host_value(inside, factor, &value) &&
            inside->assumed_count == before && value > 1 && value <= EXTENT_MAX)
            return (uint32_t)value;
        inside->assumed_count = before;
    }
    return 0;
}

/* "256" of "__launch_bounds__(256, 2)"; empty if there is none. */
static host_span written_bound(const host_kernel *kernel) {
    static const char word[] = "__launch_bounds__";
    const char *at = strstr(kernel->words.text, word);
    if (!at || at >= kernel->name.text || !(at = strchr(at, '(')))
        return (host_span){kernel->words.text, 0};
    const host_span list = {at + 1, (size_t)(kernel->name.text - at - 1)};
    const size_t length = strcspn(list.text, ",)");
    return host_trim((host_span){list.text, length < list.length ? length : list.length});
}

uint32_t launch_bound(const char *text, const host_kernel *kernel) {
    host_scope scope = {.text = text, .at = kernel->body.text};
    const host_span part = written_bound(kernel);
    int64_t value;
    return part.length > 0 && host_value(&scope, part, &value) && scope.assumed_count == 0 &&
                   value > 0 && value < UINT32_MAX
               ? (uint32_t)value
               : 0;
}

/* Whether the body declares "NAME[SIZE]" as __shared__ and has "NAME[threadIdx.x]". */
static bool is_array_of_threads(host_span body, host_span size) {
    const char *at = body.text, *end = at + body.length;
    char index[80];
    while ((at = strstr(at, "__shared__")) && at < end) {
        const char *open = at + strcspn(at, "[;=");
        const char *close = *open == '[' ? strchr(open, ']') : NULL;
        at += 10;
        if (!close || close >= end || close[1] == '[' ||
            !host_same(host_between(open + 1, close), size))
            continue;
        const host_span name = host_declared_name((host_span){at, (size_t)(open - at)});
        (void)snprintf(index, sizeof index, "%.*s[threadIdx.x]", SPAN(name));
        if (name.length > 0 && name.length < 48 && host_contains(body, index))
            return true;
    }
    return false;
}

bool is_block_extent(const host_kernel *kernel, host_span name) {
    const char *at = kernel->body.text, *end = at + kernel->body.length;
    host_span factor;
    if (host_same(written_bound(kernel), name))
        return true;
    if (host_contains(kernel->body, "threadIdx.y"))
        return false;
    while ((at = strstr(at, "blockIdx.x")) && at < end) {
        at += strlen("blockIdx.x");
        if (factor_at(at, 'x', &factor) && host_same(factor, name))
            return true;
    }
    return is_array_of_threads(kernel->body, name);
}

uint32_t template_threads(const host_scope *inside, unsigned given, uint32_t most) {
    int64_t found = 0;
    for (unsigned i = given; i < inside->known_count; i++) {
        const int64_t value = inside->known[i].value;
        if (value <= 0 || value > most || value % 32 != 0)
            continue;
        if (found > 0)
            return 0;
        found = value;
    }
    return (uint32_t)found;
}

bool tile_extents(host_scope *inside, host_span body, int64_t *rows, int64_t *columns) {
    const char *at = body.text, *end = at + body.length;
    int64_t extents[4];
    while ((at = strstr(at, "__shared__")) && at < end) {
        unsigned count = 0;
        for (at += 10; at < end && *at != ';' && *at != '[' && *at != '='; at++)
            continue;
        while (at < end && *at == '[' && count < 4) {
            const char *close = memchr(at, ']', (size_t)(end - at));
            if (!close ||
                !host_value(inside, (host_span){at + 1, (size_t)(close - at - 1)}, &extents[count]))
                break;
            count++;
            at = close + 1;
        }
        if (count == 0)
            continue;
        *columns = extents[count - 1];
        *rows = count > 1 ? extents[count - 2] : 0;
        return true;
    }
    return false;
}
