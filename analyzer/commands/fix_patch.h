/* SPDX-License-Identifier: MIT */
/* fix FILE.cu with nvcc: a patch that was compiled, run and compared. */
#pragma once

#include "command.h"

/* Whether the arguments ask for a patch: one source file, and no option of the source model. */
bool fix_patch_is_asked(const arguments *args);
/* Reads --max-bytes; refuses 0. */
smp_status ask_max_bytes(const arguments *args, uint64_t *bytes, smp_error *error);
/* Whether the words name a program: "./app [-- COMPILER FLAGS]" or "-- ./app ARGUMENTS". */
bool fix_program_is_asked(const arguments *args);
/* Profiles the program on the CPU, and repairs the source that its profile names. */
int fix_program_run(const arguments *args);
/* Finds the patch and sets *exit_status. False if the source cannot be compiled here; that was
 * reported, and only the source model's advice remains. */
bool fix_patch_run(const arguments *args, int *exit_status);
/* Says why nothing can be compiled or run, and that the answer is advice from the source. */
void fix_say_advice(const char *why);
