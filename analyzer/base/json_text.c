/* SPDX-License-Identifier: MIT */
/*
 * Strings of JSON from texts that may hold any bytes. The library refuses what is not UTF-8; only
 * then is the text looked at byte by byte.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "visible_text.h"

json_t *json_text(const char *text, size_t length) {
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *string = json_stringn(text, length);
    char *copy = string || length > SIZE_MAX / 3 ? NULL : malloc(3 * length + 1);
    size_t used = 0;
    if (!copy)
        return string;
    for (size_t i = 0; i < length;) {
        const size_t bytes = smp_utf8_bytes(text + i, length - i);
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

json_t *json_text_or_null(const char *text) {
    return text ? json_text_of(text) : json_null();
}

json_t *json_count(bool is_known, uint64_t value) {
    return is_known ? json_integer((json_int_t)value) : json_null();
}
