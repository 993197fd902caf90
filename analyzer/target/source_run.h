/* SPDX-License-Identifier: MIT */
/*
 * A file of kernels where there is no compiler: each by the source model, with the launch that the
 * file says or that is assumed.
 */
#pragma once

#include "note.h"
#include "profile.h"
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
