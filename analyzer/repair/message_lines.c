/* SPDX-License-Identifier: MIT */
/* Replaces line numbers in messages. */
#include "message_lines.h"

#include <stdlib.h>
#include <string.h>

void message_lines_convert(char *message, size_t size,
                           void (*put)(text_buffer *out, unsigned line, const void *user),
                           const void *user) {
    static const char word[] = "line ";
    char *before = strdup(message);
    if (!before) /* then they stay as they are */
        return;
    text_buffer out = text_buffer_over(message, size);
    const char *from = before;
    for (const char *found; (found = strstr(from, word));) {
        char *end;
        found += sizeof word - 1;
        const unsigned line = (unsigned)strtoul(found, &end, 10);
        text_add(&out, "%.*s", (int)(found - from), from);
        if (end != found)
            put(&out, line, user);
        from = end;
    }
    text_add(&out, "%s", from);
    free(before);
}
