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

/* The word that begins at `at`; length 0: none does. */
static inline host_span source_word(const char *text, size_t at) {
    host_span out = {text + at, 0};
    while (host_is_word(out.text[out.length]))
        out.length++;
    return out;
}

/* The next place from `at` on where `word` stands as a word; `end`: nowhere before it. */
static inline size_t source_next_word(const char *text, host_span word, size_t at, size_t end) {
    for (; at + word.length <= end; at++)
        if (memcmp(text + at, word.text, word.length) == 0 &&
            (at == 0 || !host_is_word(text[at - 1])) && !host_is_word(text[at + word.length]))
            return at;
    return end;
}

/* source_words.c: without blanks, in what the caller frees; NULL: out of memory. */
char *source_packed(const char *text, size_t length);
