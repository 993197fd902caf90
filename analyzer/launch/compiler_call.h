/* SPDX-License-Identifier: MIT */
/* Runs nvcc or ptxas, and again with what it asked for. */
#pragma once

#include <stddef.h>

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
