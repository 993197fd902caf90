/* SPDX-License-Identifier: MIT */
/*
 * JSON strings from texts that may hold any bytes. Only if the JSON library refuses a text, since
 * it is not UTF-8, is it replaced byte by byte.
 */
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

/* ---- Lists of numbers ---- */

enum { LINE_CHARS = 78 };

/* The length of "[ 1, 2 ]"; 0: the list holds something other than numbers. */
static size_t end_of_numbers(const char *text) {
    const size_t length = strspn(text + 1, "0123456789-+.eEnul, \n");
    const char last = text[1 + length];
    return last == ']' && strpbrk(text + 1, "0123456789") < text + 1 + length ? length + 1 : 0;
}

static void put_numbers(FILE *out, const char *text, size_t length, size_t indent) {
    size_t column = LINE_CHARS;
    const char *at = text + 1;
    fputc('[', out);
    for (;;) {
        at += strspn(at, ", \n");
        if (at >= text + length)
            break;
        const size_t digits = strcspn(at, ", \n]");
        const bool is_last = at + digits + strspn(at + digits, " \n") >= text + length;
        if (column + digits + 2 > LINE_CHARS) {
            fprintf(out, "\n%*s", (int)indent + 1, "");
            column = indent + 1;
        } else {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s%s", (int)digits, at, is_last ? "" : ",");
        column += digits + 1;
        at += digits;
    }
    fprintf(out, "\n%*s]", (int)indent, "");
}

void json_put(FILE *out, json_t *root, size_t flags) {
    char *text = json_dumps(root, flags | JSON_INDENT(1));
    bool in_string = false;
    size_t indent = 0, begun = 0;
    for (size_t i = 0; text && text[i] != '\0'; i++) {
        const size_t numbers = !in_string && text[i] == '[' ? end_of_numbers(text + i) : 0;
        if (text[i] == '\n') {
            begun = i + 1;
            indent = strspn(text + begun, " ");
        }
        in_string ^= text[i] == '"';
        if (in_string && text[i] == '\\')
            fputc(text[i++], out);
        if (numbers == 0) {
            fputc(text[i], out);
            continue;
        }
        put_numbers(out, text + i, numbers, indent);
        i += numbers;
    }
    fputc('\n', out);
    free(text);
    json_decref(root);
}
