/* SPDX-License-Identifier: MIT */
/* Builds text piece by piece. */
#include "text_buffer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

text_buffer text_buffer_over(char *text, size_t size) {
    text[0] = '\0';
    return (text_buffer){text, size, 0};
}

static void add(text_buffer *out, const char *format, va_list values) {
    const size_t room = out->size - out->length;
    const int wanted = vsnprintf(out->text + out->length, room, format, values);
    if (wanted > 0)
        out->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

void text_add(text_buffer *out, const char *format, ...) {
    va_list values;
    va_start(values, format);
    add(out, format, values);
    va_end(values);
}

void text_join(text_buffer *out, const char *separator, const char *format, ...) {
    va_list values;
    if (out->length > 0)
        text_add(out, "%s", separator);
    va_start(values, format);
    add(out, format, values);
    va_end(values);
}

void text_add_word(text_buffer *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (out->length > 0)
        text_add(out, " ");
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_add(out, "%s", word);
        return;
    }
    text_add(out, "'");
    for (; *word != '\0'; word++)
        text_add(out, *word == '\'' ? "'\\'%c" : "%c", *word);
    text_add(out, "'");
}

size_t text_grouped(uint64_t number, char text[32]) {
    char digits[24];
    size_t count = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number), length = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[length++] = ',';
        text[length++] = digits[i];
    }
    text[length] = '\0';
    return length;
}
