/* SPDX-License-Identifier: MIT */
/*
 * Characters that are not visible are shown as numbers. A name with an escape sequence must not
 * colour or clear a terminal, or fake the end of a line.
 */
#include "visible_text.h"

#include <string.h>

size_t smp_utf8_bytes(const char *text, size_t length) {
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

/* Characters that change the direction of their neighbours, or end a line: a name with one would be
 * shown as another name. U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool turns(const unsigned char *at, size_t bytes) {
    return (bytes == 2 && at[0] == 0xd8 && at[1] == 0x9c) ||
           (bytes == 3 && at[0] == 0xe2 && at[1] == 0x80 &&
            (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae))) ||
           (bytes == 3 && at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
}

size_t smp_visible_bytes(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text;
    const size_t bytes = smp_utf8_bytes(text, length);
    const bool is_control =
        at[0] < 0x20 || at[0] == 0x7f || (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0);
    const bool is_none = bytes == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
    return is_control || is_none || turns(at, bytes) ? 0 : bytes;
}

void smp_visible_put(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t bytes = smp_visible_bytes(text + i, length - i);
        if (bytes > 0)
            (void)fwrite(text + i, 1, bytes, out);
        else
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
        i += bytes > 0 ? bytes : 1;
    }
}

const char *smp_visible_copy(char *out, size_t size, const char *text) {
    const size_t length = strlen(text);
    size_t at = 0;
    for (size_t i = 0; i < length;) {
        const size_t bytes = smp_visible_bytes(text + i, length - i);
        if (at + (bytes > 0 ? bytes : 4) >= size)
            break;
        if (bytes > 0)
            memcpy(out + at, text + i, bytes);
        else
            (void)snprintf(out + at, size - at, "\\x%02x", (unsigned)(unsigned char)text[i]);
        at += bytes > 0 ? bytes : 4;
        i += bytes > 0 ? bytes : 1;
    }
    out[at] = '\0';
    return out;
}

const char *smp_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- XML ---- */

static const char *const references[256] = {
    ['&'] = "&amp;", ['<'] = "&lt;",   ['>'] = "&gt;",  ['"'] = "&quot;",
    ['\t'] = "&#9;", ['\n'] = "&#10;", ['\r'] = "&#13;"};

void xml_put(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t bytes = smp_visible_bytes(text + i, length - i);
        const char *reference = references[(unsigned char)text[i]];
        if (reference)
            fputs(reference, out);
        else
            smp_visible_put(out, text + i, bytes > 0 ? bytes : 1);
        i += bytes > 0 ? bytes : 1;
    }
}
