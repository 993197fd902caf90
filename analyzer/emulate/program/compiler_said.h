/* SPDX-License-Identifier: MIT */
/*
 * What a compiler says of a source that it refuses: the errors that a reader wants to see, and the
 * words that it asks for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "note.h"
#include "smp_model.h"

enum { COMPILER_WORDS_MAX = 24 };
#define COMPILER_FEATURES "a" /* the word for the features of one chip alone, as in sm_90a */

/* Words that the user did not give and the compiler asked for. */
typedef struct compiler_words {
    char *list[COMPILER_WORDS_MAX]; /* malloc'ed; options, or COMPILER_FEATURES */
    uint32_t count;
} compiler_words;

/* Adds what would answer errors in `said`: the folder of the project of `source` that has a missing
 * header, libraries, features of the chip. True: there is something new, so that it is worth
 * another try. */
bool compiler_words_add(compiler_words *words, const char *said, const char *source);
void compiler_words_clear(compiler_words *words);

/* The first errors in `said`, the last of them or what to do in *error (SMP_E_READ), the ones
 * before to `notes`. */
void compiler_said_show(const char *tool, const char *said, const note_sink *notes,
                        smp_error *error);
