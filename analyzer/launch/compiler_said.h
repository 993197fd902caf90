/* SPDX-License-Identifier: MIT */
/*
 * A compiler's messages about a source that it rejects: the errors worth showing, and the options
 * that would help.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "note.h"
#include "smp_model.h"

enum { COMPILER_WORDS_MAX = 24 };
#define COMPILER_FEATURES "a" /* requests the features of one chip, as in sm_90a */

/* Words that the user did not give and the compiler needs. */
typedef struct compiler_words {
    char *list[COMPILER_WORDS_MAX]; /* malloc'ed options, or COMPILER_FEATURES */
    uint32_t count;
} compiler_words;

/* Adds what would fix errors that `tool` said: chip-specific features and, for nvcc, the project
 * folder of `source` that has a missing header, libraries, chip-specific features. True if
 * something new was added, so that another attempt is worthwhile. */
bool compiler_words_add(compiler_words *words, const char *tool, const char *said,
                        const char *source);
void compiler_words_clear(compiler_words *words);

/* Shows the first errors in `said`: the last of them, or what to do, in *error (SMP_E_READ), the
 * earlier ones as notes. */
void compiler_said_show(const char *tool, const char *said, const note_sink *notes,
                        smp_error *error);
