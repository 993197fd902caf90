/* SPDX-License-Identifier: MIT */
/* Suggestions for misspelt words. */
#pragma once

#include <stddef.h>

/* The candidate closest to `word`, or NULL if none is close. */
const char *suggest(const char *word, const char *const *candidates, size_t count);
/* The same behind a message: "; did you mean 'it'?", or `otherwise`. Returns `text`. */
enum { SUGGEST_TEXT_MAX = 64 };
const char *suggest_text(const char *word, const char *const *candidates, size_t count,
                         const char *otherwise, char text[SUGGEST_TEXT_MAX]);
