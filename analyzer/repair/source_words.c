/* SPDX-License-Identifier: MIT */
/*
 * Removes blanks from a source, to compare texts that differ in them.
 */
#include "source_words.h"

#include <stdlib.h>

char *source_packed(const char *text, size_t length) {
    char *out = malloc(length + 1);
    size_t used = 0;
    for (size_t i = 0; out && i < length; i++)
        if (!isspace((unsigned char)text[i]))
            out[used++] = text[i];
    if (out)
        out[used] = '\0';
    return out;
}
