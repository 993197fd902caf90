/* SPDX-License-Identifier: MIT */
/* Sizes of structs by name, for callers that cannot include the headers. */
#pragma once

#include <stddef.h>
#include <string.h>

typedef struct size_row {
    const char *type;
    size_t bytes;
} size_row;

#define SIZE(type) \
    { #type, sizeof(type) }

/* The size of a type among `count` rows; 0 if it is not there. */
static inline size_t abi_size_find(const size_row *rows, size_t count, const char *type) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].type, type) == 0)
            return rows[i].bytes;
    return 0;
}
