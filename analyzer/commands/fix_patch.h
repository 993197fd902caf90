/* SPDX-License-Identifier: MIT */
/*
 * fix FILE.cu where nvcc is: a patch that was compiled, run and compared.
 */
#pragma once

#include "command.h"

/* Whether the words ask for it: one source and nothing of the source model. */
bool fix_patch_is_asked(const arguments *args);
/* Runs it. False: the source cannot be compiled here, which was said, so there is only advice from
 * the source model; else *exit_status. */
bool fix_patch_run(const arguments *args, int *exit_status);
