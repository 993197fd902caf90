/* SPDX-License-Identifier: MIT */
/*
 * fix FILE.cu where nvcc is: a patch that was compiled, run and compared.
 */
#pragma once

#include "command.h"
#include "profile.h"
#include "repair.h"

/* Whether the words ask for it: one source and nothing of the source model. */
bool fix_patch_is_asked(const arguments *args);
/* Runs it. False: the source cannot be compiled here, which was said, so there is only advice from
 * the source model; else *exit_status. */
bool fix_patch_run(const arguments *args, int *exit_status);

/* ---- fix_apply.c ---- */

/* Before any work: a file that may not be written is refused; without `is_forced` also one that git
 * does not have as it is, or whose tree has other changes. SMP_E_WRITE says which. */
smp_status fix_apply_check(const char *path, bool is_forced, smp_error *error);
/* The file itself, unless it is another one by now. */
smp_status fix_apply(const repair_job *job, const repair *found, smp_error *error);

/* ---- fix_profile.c ---- */

/* The .cu file whose lines have most excess wavefronts of shared memory, malloc'ed, and the
 * architecture of that kernel. Only files that the profile may show (source_line.h). SMP_E_READ:
 * there is none, one line says why. */
smp_status fix_profile_source(const smp_profile *profile, const char *name, char **path,
                              const smp_arch **arch, smp_error *error);
