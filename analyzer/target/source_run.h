/* SPDX-License-Identifier: MIT */
/*
 * Analyzes the kernels of a file without a compiler, by the source model, with launches from the
 * file or assumed ones.
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
    const char *kernels; /* kernels to read, as in smp_profile_filter; NULL for all */
    const note_sink
        *notes; /* told in one line per kernel what was assumed, or why it was skipped */
} smp_source_job;

/* Adds every kernel that the model understands to *profile; *refused counts the others.
 * SMP_E_SYNTAX if there is no kernel. */
smp_status smp_source_run(const smp_source_job *job, smp_profile *profile, unsigned *refused,
                          smp_error *error);

/* ---- source_look.c ---- */

/* Evaluates all blocks of the grid, or some if all would take long, and fills *out except its
 * name. `path` is the file of the lines. SMP_E_OVERFLOW if a single block takes too long; for
 * other failures made->line and error->position give the place. The caller clears *out also after
 * failure. */
smp_status source_look(const smp_arch *arch, const char *path, source_layout *made,
                       const smp_assumed_launch *launch, smp_kernel_profile *out, smp_error *error);

/* ---- source_language.c ---- */

/* "HIP" for "a.hip"; NULL if the ending is of no other language. */
const char *source_language_named(const char *path);
/* Sets SMP_E_SYNTAX with what to do instead: the file is in that language, or not text if
 * `language` is NULL. */
smp_status source_language_refuse(const char *path, const char *language, smp_error *error);
/* Tells whether a .cu file is a program, and defines kernels. Refuses files that are certainly not
 * CUDA C++. */
smp_status source_look_at(const char *path, bool *has_main, bool *has_kernels, smp_error *error);
