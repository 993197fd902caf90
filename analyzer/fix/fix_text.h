/* SPDX-License-Identifier: MIT */
/* Source text of fixed layouts: uses of arrays and their replacements. Internal to the analyzer. */
#pragma once

#include <string.h>

#include "fix.h"

static inline const char *fix_skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}
/* The length of `word` if it is the word at `at`; otherwise 0. */
static inline size_t fix_word_at(const char *at, const char *end, const char *word) {
    const size_t length = strlen(word), room = (size_t)(end - at);
    return room >= length && memcmp(at, word, length) == 0 &&
                   (room == length || !text_is_word(at[length]))
               ? length
               : 0;
}
/* "tile[i][j]" in a text, from the name to the last index. */
typedef struct fix_mention {
    const char *begin, *end;
    uint32_t index_count;
    fix_span index[SMP_DIMS_MAX];
} fix_mention;

/* Finds the first mention of `array` from `at` on. */
bool fix_mention_find(const char *at, const char *end, const smp_array *array, fix_mention *out);
/* The text from *at to the next comma outside brackets, or to `end`, trimmed; moves *at past the
 * comma. */
fix_span fix_argument(const char **at, const char *end);
/* True if indices must be rewritten. Swizzles need that only if the text cannot declare them. */
bool fix_form_rewrites(const smp_fix_form *form, bool spells_swizzles);
/* Writes `text` with new indices for every changed array. */
void fix_rewrite(FILE *out, const smp_fix *fix, const char *text, size_t length,
                 bool spells_swizzles);

/* fix_write.c: the line that declares an array, without its comment. */
fix_span fix_declaration_line(const smp_fix *fix, const smp_array *array);
/* Writes the declarator of an array in its new form; `end` is the end of its original text. */
void fix_declarator_put(FILE *out, const fix_array *array, const char *end, bool has_swizzles);
