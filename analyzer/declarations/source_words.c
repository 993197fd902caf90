/* SPDX-License-Identifier: MIT */
/* Brackets, lines and types of a text, and a text without its blanks. */
#include "source_words.h"

#include <stdlib.h>

#include "launch_type.h"
#include "shared_source.h"

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

size_t shared_behind(const char *text, size_t at) {
    return (size_t)(host_behind(text + at) - text);
}

size_t shared_block_end(const char *text, size_t at) {
    int depth = 0;
    for (; text[at] != '\0'; at++) {
        depth += (text[at] == '{') - (text[at] == '}');
        if (depth < 0)
            return at;
    }
    return at;
}

/* The type without "__align__(16)", const and volatile. */
static host_span bare_type(host_span type) {
    static const char *const words[] = {"const", "volatile", "static"};
    for (size_t i = 0; i < type.length; i++)
        if (type.text[i] == ')')
            return bare_type((host_span){type.text + i + 1, type.length - i - 1});
    type = host_trim(type);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (type.length > length && memcmp(type.text, words[i], length) == 0 &&
            isspace((unsigned char)type.text[length]))
            return bare_type((host_span){type.text + length, type.length - length});
    }
    return type;
}

uint32_t shared_element_bytes(host_span type) {
    smp_element_type known;
    type = bare_type(type);
    return smp_element_type_named(type.text, type.length, &known)
               ? (uint32_t)known.bytes * known.components
               : 0;
}

uint32_t shared_type_bytes(const char *text, host_span type) {
    enum { ALIASES_MAX = 4 };
    uint32_t bytes = shared_element_bytes(type);
    for (unsigned i = 0; text && bytes == 0 && i < ALIASES_MAX; i++) {
        if (!host_alias(text, bare_type(type), &type))
            return 0;
        bytes = shared_element_bytes(type);
    }
    return bytes;
}

unsigned shared_line(const char *text, size_t at) {
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n' || text[i] == '\v';
    return line;
}
