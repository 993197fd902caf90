/* SPDX-License-Identifier: MIT */
/* Blanks and words in a text from host_text.h. */
#pragma once

#include <string.h>

#include "host_text.h"

/* The first place from `at` on that is not blank. */
static inline size_t source_behind_blanks(const char *text, size_t at) {
    return (size_t)(host_behind_blanks(text + at) - text);
}

/* The place after the last character before `at` that is not blank. */
static inline size_t source_before_blanks(const char *text, size_t at) {
    return (size_t)(host_before_blanks(text, text + at) - text);
}

/* The place after the last of `ends` before `at`: "\n" finds the line, ";{}" the statement. */
static inline size_t source_behind_last(const char *text, size_t at, const char *ends) {
    return (size_t)(host_behind_last(text, text + at, ends) - text);
}

/* The blanks at the beginning of the line. */
static inline host_span source_margin(const char *text, size_t at) {
    const char *line = host_behind_last(text, text + at, "\n");
    return (host_span){line, strspn(line, " \t")};
}

/* The word that begins at `at`; length 0 if none does. */
static inline host_span source_word(const char *text, size_t at) {
    return host_word(text + at);
}

/* The word that ends at `end`; length 0 if none does. */
static inline host_span source_word_before(const char *text, size_t end) {
    return host_word_before(text, text + end);
}

/* The same for a word that blanks may follow. */
static inline host_span source_name_before(const char *text, size_t end) {
    return source_word_before(text, source_before_blanks(text, end));
}

static inline bool source_is_word_at(const char *text, size_t at, host_span word) {
    return host_is_word_at(text, text + at, word);
}

/* The next place from `at` on with `word` as a whole word; `end` if there is none before it. */
static inline size_t source_next_word(const char *text, host_span word, size_t at, size_t end) {
    for (; at + word.length <= end; at++)
        if (source_is_word_at(text, at, word))
            return at;
    return end;
}

/* The next of `ends` outside brackets from `at` on, or the end of the text. */
static inline size_t source_until(const char *text, size_t at, const char *ends) {
    return (size_t)(host_until(text + at, ends) - text);
}

/* The text without blanks, which the caller frees; NULL if out of memory. */
char *source_packed(const char *text, size_t length);
