/* SPDX-License-Identifier: MIT */
/* "did you mean": the known word at the smallest edit distance. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"

#define WORD_MAX 32

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours between two words. */
static size_t edit_distance(const char *a, const char *b) {
    size_t rows[3][WORD_MAX + 1]; /* rows i, i - 1 and i - 2, alternating */
    const size_t columns = strlen(b);
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    size_t i = 0;
    while (a[i++] != '\0') {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] =
                smaller(above[j - 1] + (a[i - 1] != b[j - 1]), smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][columns];
}

const char *suggest(const char *word, const char *const *candidates, size_t count) {
    const char *best = NULL;
    size_t length = strlen(word);
    size_t limit = length <= 4 ? 2 : 3;
    for (size_t i = 0; length <= WORD_MAX && i < count; i++) {
        if (strlen(candidates[i]) > WORD_MAX)
            continue;
        const size_t distance = edit_distance(word, candidates[i]);
        const bool is_longer = strncmp(word, candidates[i], length) == 0;
        if (distance < limit || (best && distance == limit && is_longer)) {
            limit = distance;
            best = candidates[i];
        }
    }
    return best;
}

const char *suggest_text(const char *word, const char *const *candidates, size_t count,
                         const char *otherwise, char text[SUGGEST_TEXT_MAX]) {
    const char *guess = suggest(word, candidates, count);
    (void)snprintf(text, SUGGEST_TEXT_MAX, guess ? "; did you mean '%s'?" : "%s",
                   guess ? guess : otherwise);
    return text;
}
