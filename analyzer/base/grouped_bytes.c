/* SPDX-License-Identifier: MIT */
/* Member by member: its values lie side by side in each group. */
#include "grouped_bytes.h"

#include <stdlib.h>
#include <string.h>

/* Reads the next size and moves *at past it; 0 at the end. */
static size_t next_size(const char **at) {
    char *end;
    const unsigned long size = strtoul(*at, &end, 10);
    *at = *end == ',' ? end + 1 : end;
    return size;
}

static size_t sum_of(const char *sizes) {
    size_t sum = 0;
    for (size_t size; (size = next_size(&sizes)) > 0;)
        sum += size;
    return sum;
}

bool grouped_bytes_is_part(const char *sizes, uint64_t bytes) {
    const size_t whole = sum_of(sizes);
    return whole > 0 && bytes % whole == 0 && bytes / whole % GROUPED_STRUCTS != 0;
}

uint64_t grouped_bytes_before(const char *sizes, uint64_t bytes) {
    const size_t group = sum_of(sizes) * GROUPED_STRUCTS;
    for (const char *at = strchr(sizes, ';'); at; at = strchr(at, ';')) {
        const uint64_t before = strtoull(++at, NULL, 10);
        if (before < bytes && before + group > bytes)
            return before;
    }
    return bytes;
}

bool grouped_bytes_order(const char *sizes, const uint8_t *from, uint8_t *to, size_t bytes) {
    const size_t whole = sum_of(sizes), group = whole * GROUPED_STRUCTS;
    if (whole == 0 || bytes % group != 0)
        return false;
    for (size_t at = 0; at < bytes; at += group) {
        const char *next = sizes;
        for (size_t size, offset = 0; (size = next_size(&next)) > 0; offset += size)
            for (size_t i = 0; i < GROUPED_STRUCTS; i++)
                memcpy(to + at + i * whole + offset,
                       from + at + offset * GROUPED_STRUCTS + i * size, size);
    }
    return true;
}
