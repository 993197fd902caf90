/* SPDX-License-Identifier: MIT */
/* Names with values: lists of them, and the value that is assumed where the text gives none. */
#include <string.h>

#include "host_text.h"

typedef struct name_row {
    const char *part; /* part of the name, in lower case; after ^, its beginning */
    int64_t value;
} name_row;

/* The first row whose part is in the name applies. Others are lengths. */
static const name_row name_rows[] = {
    {"iter", 2},     {"step", 2},     {"repeat", 2}, {"reps", 2},   {"epoch", 1},  {"batch", 2},
    {"head", 2},     {"radius", 3},   {"seed", 1},   {"offset", 0}, {"start", 0},  {"begin", 0},
    {"shift", 0},    {"axis", 0},     {"level", 1},  {"device", 0}, {"pass", 0},   {"bins", 256},
    {"channel", 4},  {"value", 1},    {"pad", 0},    {"dilat", 1},  {"kernel", 3}, {"filter", 3},
    {"stride_h", 1}, {"stride_w", 1}, {"mask_", 3},  {"^k_", 3},    {"^kh", 3},    {"^kw", 3},
    {"ksize", 3},
};

int64_t host_assumed_value(const host_scope *scope, host_span name) {
    char small[HOST_LOWER_BYTES];
    while (name.length > 1 && name.text[name.length - 1] == '_') /* "k_" is a k, not a "k_rows" */
        name.length--;
    host_lower(name, small);
    if (host_is(name, "C")) /* channels; 16 bytes even of 16-bit numbers */
        return 8;
    if (host_is(name, "stride")) /* of a window; that of rows has other names */
        return 1;
    for (size_t i = 0; i < sizeof name_rows / sizeof name_rows[0]; i++)
        if (*name_rows[i].part == '^'
                ? strncmp(small, name_rows[i].part + 1, strlen(name_rows[i].part + 1)) == 0
                : !!strstr(small, name_rows[i].part))
            return name_rows[i].value;
    return scope->extent > 0 ? scope->extent : HOST_EXTENT;
}

void host_name_add(host_name *names, unsigned *count, host_span name, int64_t value) {
    if (*count == HOST_NAMES_MAX || name.length == 0 || name.length >= sizeof names->name)
        return;
    host_name *to = &names[(*count)++];
    memcpy(to->name, name.text, name.length);
    to->name[name.length] = '\0';
    to->value = value;
}

void host_scope_add(host_scope *scope, host_span name, int64_t value) {
    host_name_add(scope->known, &scope->known_count, name, value);
}
