/* SPDX-License-Identifier: MIT */
/* A part of a text, and what can be said of an expression by its text alone. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Valid as long as the text. Empty if length is 0. */
typedef struct text_span {
    const char *text;
    size_t length;
} text_span;

/* Whether the character may be part of a name. */
static inline bool text_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static inline bool text_is_number(text_span span) {
    for (size_t i = 0; i < span.length; i++)
        if (!isdigit((unsigned char)span.text[i]))
            return false;
    return span.length > 0;
}

/* A name, a number or a member: binds tighter than any operator. */
static inline bool text_is_primary(text_span span) {
    for (size_t i = 0; i < span.length; i++)
        if (!text_is_word(span.text[i]) && span.text[i] != '.')
            return false;
    return true;
}

/* Whether no operator of the text binds weaker than +. */
static inline bool text_is_sum(text_span span) {
    for (size_t i = 0; i < span.length; i++)
        if (strchr("<>&|^?=!,", span.text[i]))
            return false;
    return true;
}
