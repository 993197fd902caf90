/* SPDX-License-Identifier: MIT */
/* Runs nvcc or ptxas, and again with what it asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "note.h"
#include "smp_model.h"

enum { COMPILER_OPTIONS_MAX = 1024, COMPILER_CHIPS_MAX = 16 };

typedef struct compiler_call {
    const char *tool; /* "nvcc" */
    const char *options[COMPILER_OPTIONS_MAX + 8];
    size_t count;                          /* number of options */
    const char *chips[COMPILER_CHIPS_MAX]; /* "sm_90"; code for each of them */
    size_t chip_count;
    const char *source, *to; /* file names */
    const char *path; /* the file whose project may have headers: the source, or what it includes */
    const note_sink *notes; /* NULL: only the first line of messages is used */
} compiler_call;

/* SMP_E_READ if the tool is missing or failed: its messages become notes, and *error has the last
 * line or what to do. Notes also say what was added to the command. */
smp_status compiler_call_run(const compiler_call *call, smp_error *error);

/* ---- Messages of a compiler that rejects a source: compiler_said.c ---- */

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
