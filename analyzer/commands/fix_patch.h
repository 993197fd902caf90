/* SPDX-License-Identifier: MIT */
/* fix FILE.cu with nvcc: a patch that was compiled, run and compared. */
#pragma once

#include "command.h"

/* What fix does, as its arguments decide. */
typedef enum fix_way {
    FIX_ACCESSES, /* accesses or a layout file: searches for a layout */
    FIX_PATCH,    /* one source file or profile, without options of accesses: a tested patch */
    FIX_PROGRAM,  /* "./app [-- COMPILER FLAGS]" or "-- ./app ARGUMENTS": a patch of its source */
    FIX_REFUSED   /* code without its source */
} fix_way;
fix_way fix_way_of(const arguments *args);
/* Whether an option is about tested patches only. */
bool fix_needs_proof(const arguments *args);
/* Profiles the program on the CPU, and repairs the source that its profile names. */
int fix_program_run(const arguments *args);
/* Finds the patch and sets *exit_status. False if the source cannot be compiled here; that was
 * reported, and only the source model's advice remains. */
bool fix_patch_run(const arguments *args, int *exit_status);
/* Says why nothing can be compiled (NULL: without nvcc) or run, and that the answer is advice from
 * the source. */
void fix_say_advice(const smp_error *why);
