/* SPDX-License-Identifier: MIT */
/* Formats by name and by the ending of a file. */
#include "format.h"
#include "text_buffer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct format_name {
    const char *name, *ending;
} format_name;

static const format_name rows[SMP_FORMAT_COUNT] = {
#define FORMAT_ROW(id, name, ending) {name, ending},
    SMP_FORMAT_LIST(FORMAT_ROW)
#undef FORMAT_ROW
};

const char *smp_format_name(smp_format format) {
    return rows[format].name;
}

static bool is_known(const char *known, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = known; *at != '\0'; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, name, length) == 0)
            return true;
        at += word;
    }
    return false;
}

smp_format smp_format_find(const char *known, const char *name) {
    smp_format format = 0;
    while (format < SMP_FORMAT_COUNT && strcmp(rows[format].name, name) != 0)
        format++;
    return is_known(known, name) ? format : SMP_FORMAT_COUNT;
}

smp_format smp_format_of_ending(const char *known, const char *ending) {
    for (smp_format format = 0; format < SMP_FORMAT_COUNT; format++) {
        const char *own = rows[format].ending;
        if (own && strcmp(own, ending) == 0 && is_known(known, rows[format].name))
            return format;
    }
    return SMP_FORMAT_COUNT;
}

smp_format smp_format_default(const char *known) {
    char first[16];
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(known, " "), known);
    return smp_format_find(known, first);
}

const char *smp_formats_text(const char *known, const char *last, char text[SMP_FORMATS_TEXT_MAX]) {
    text_buffer list = text_buffer_over(text, SMP_FORMATS_TEXT_MAX);
    for (const char *at = known; *at != '\0';) {
        const size_t word = strcspn(at, " ");
        const bool is_last = at[word] == '\0';
        text_join(&list, is_last ? last : ", ", "%.*s", (int)word, at);
        at += is_last ? word : word + 1;
    }
    return text;
}
