/* SPDX-License-Identifier: MIT */
/*
 * A file of kernels where there is no compiler: each by the source model, with the launch that the
 * file says or that is assumed.
 */
#pragma once

#include "note.h"
#include "profile.h"
#include "smp_model.h"
#include "source_layout.h"

typedef struct smp_source_job {
    source_file file;
    const smp_arch *arch;
    smp_launch_wish wish;
    const char *kernels; /* as smp_profile_filter: those that are read; NULL: all */
    const note_sink
        *notes; /* told, in one line a kernel, what was assumed, or why it is left out */
} smp_source_job;

/* Adds every kernel that the model understands to *profile; *refused: how many it does not.
 * SMP_E_SYNTAX: there is no kernel. */
smp_status smp_source_run(const smp_source_job *job, smp_profile *profile, unsigned *refused,
                          smp_error *error);

/* ---- source_look.c ---- */

/* Looks at all blocks of the launch's grid, or at some where all take long, and fills *out, but for
 * its name. `path`: that lines are lines of. SMP_E_OVERFLOW: one block alone takes too long; other
 * failures have their place in made->line and error->position. Clear *out also after failure. */
smp_status source_look(const smp_arch *arch, const char *path, source_layout *made,
                       const smp_assumed_launch *launch, smp_kernel_profile *out, smp_error *error);

/* ---- source_language.c ---- */

/* "HIP", of "a.hip"; NULL: no ending of another language. */
const char *source_language_named(const char *path);
/* SMP_E_SYNTAX: the file is of that language, or no text (`language` NULL); what to do instead. */
smp_status source_language_refuse(const char *path, const char *language, smp_error *error);
/* Reads a .cu file for whether it is a program; the same where it certainly is none of CUDA C++. */
smp_status source_has_main(const char *path, bool *has_main, smp_error *error);
