/* SPDX-License-Identifier: MIT */
/*
 * Blanks and words of a source that host_text.h has read.
 */
#pragma once

#include <string.h>

#include "host_text.h"

/* The first place from `at` on that is no blank. */
static inline size_t source_behind_blanks(const char *text, size_t at) {
    return at + strspn(text + at, " \t\r\n\v\f");
}

/* Behind the last character in front of `at` that is no blank. */
static inline size_t source_before_blanks(const char *text, size_t at) {
    while (at > 0 && isspace((unsigned char)text[at - 1]))
        at--;
    return at;
}

/* Behind the last one of `ends` in front of `at`: a line behind "\n", a statement behind ";{}". */
static inline size_t source_behind_last(const char *text, size_t at, const char *ends) {
    while (at > 0 && !strchr(ends, text[at - 1]))
        at--;
    return at;
}

/* The word that begins at `at`; length 0: none does. */
static inline host_span source_word(const char *text, size_t at) {
    host_span out = {text + at, 0};
    while (host_is_word(out.text[out.length]))
        out.length++;
    return out;
}

/* The word that ends at `end`; length 0: none does. */
static inline host_span source_word_before(const char *text, size_t end) {
    size_t begin = end;
    while (begin > 0 && host_is_word(text[begin - 1]))
        begin--;
    return (host_span){text + begin, end - begin};
}

static inline bool source_is_word_at(const char *text, size_t at, host_span word) {
    return strncmp(text + at, word.text, word.length) == 0 &&
           !host_is_word(text[at + word.length]) && (at == 0 || !host_is_word(text[at - 1]));
}

/* The next place from `at` on where `word` stands as a word; `end`: nowhere before it. */
static inline size_t source_next_word(const char *text, host_span word, size_t at, size_t end) {
    for (; at + word.length <= end; at++)
        if (source_is_word_at(text, at, word))
            return at;
    return end;
}

/* source_words.c: without blanks, in what the caller frees; NULL: out of memory. */
char *source_packed(const char *text, size_t length);
