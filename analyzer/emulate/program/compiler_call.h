/* SPDX-License-Identifier: MIT */
/*
 * A call of nvcc or ptxas, repeated with what it asks for.
 */
#pragma once

#include <stddef.h>

#include "note.h"
#include "smp_model.h"

enum { COMPILER_OPTIONS_MAX = 1024, COMPILER_CHIPS_MAX = 16 };

typedef struct compiler_call {
    const char *tool; /* "nvcc" */
    const char *options[COMPILER_OPTIONS_MAX + 8];
    size_t count;                          /* of options */
    const char *chips[COMPILER_CHIPS_MAX]; /* "sm_90"; of several, code for each */
    size_t chip_count;
    const char *source, *to; /* files */
    const char *path;        /* whose project may have headers: source, or what it includes */
    const note_sink *notes;  /* NULL: only the first line of what it says is wanted */
} compiler_call;

/* SMP_E_READ: it is not there, or failed; what it said is noted, the last line or what to do stands
 * in *error. What it asked for and was given is noted, too. */
smp_status compiler_call_run(const compiler_call *call, smp_error *error);
