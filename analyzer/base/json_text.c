/* SPDX-License-Identifier: MIT */
/*
 * Strings of JSON from texts that may hold any bytes. The library refuses what is not UTF-8; only
 * then is the text looked at byte by byte.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"

/* Bytes of the character that `text` begins with, 0 if it begins with none (RFC 3629, section 4).
 */
static size_t character_bytes(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text;
    const size_t bytes = at[0] < 0x80                     ? 1
                         : at[0] >= 0xc2 && at[0] <= 0xdf ? 2
                         : at[0] >= 0xe0 && at[0] <= 0xef ? 3
                         : at[0] >= 0xf0 && at[0] <= 0xf4 ? 4
                                                          : 0;
    if (bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const bool is_overlong =
        bytes > 1 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90));
    const bool is_outside =
        bytes > 1 && ((at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f));
    return is_overlong || is_outside ? 0 : bytes;
}

json_t *json_text(const char *text, size_t length) {
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *string = json_stringn(text, length);
    char *copy = string || length > SIZE_MAX / 3 ? NULL : malloc(3 * length + 1);
    size_t used = 0;
    if (!copy)
        return string;
    for (size_t i = 0; i < length;) {
        const size_t bytes = character_bytes(text + i, length - i);
        const size_t put = bytes > 0 ? bytes : sizeof replacement - 1;
        memcpy(copy + used, bytes > 0 ? text + i : replacement, put);
        used += put;
        i += bytes > 0 ? bytes : 1;
    }
    string = json_stringn(copy, used);
    free(copy);
    return string;
}

json_t *json_text_of(const char *text) {
    return json_text(text, strlen(text));
}
