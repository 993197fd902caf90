/* SPDX-License-Identifier: MIT */
/*
 * What orders of profiles are made of: the first field that differs decides.
 */
#ifndef SMP_PROFILE_ORDER_H
#define SMP_PROFILE_ORDER_H

#include <string.h>

/* No text is before any text. */
static inline int text_compare(const char *a, const char *b) {
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

#define COMPARE_NUMBERS(a, b)          \
    do {                               \
        if ((a) != (b))                \
            return (a) < (b) ? -1 : 1; \
    } while (0)

#endif
