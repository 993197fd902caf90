/* SPDX-License-Identifier: MIT */
/*
 * Compares two profiles line by line. Lines match by kernel name, file and line number; without
 * line information a whole kernel counts as one line. A file matches one of the same name in
 * another folder, and one of another name if each profile has only one file that the other lacks.
 */
#pragma once

#include "profile_rank.h"

typedef struct smp_against_line {
    const smp_kernel_profile
        *kernel;            /* from the later profile, or the earlier one if only that has it */
    const smp_frame *frame; /* NULL for the whole kernel */
    bool in_before, in_after;
    smp_profile_sums before, after;
} smp_against_line;

typedef struct smp_against {
    smp_against_line *lines; /* by change of cost, worse first */
    uint32_t line_count;
    smp_profile_sums before, after;
    const char *before_file, *after_file; /* a renamed file; NULL if none */
} smp_against;

/* Both rankings and their profiles must outlive the result. SMP_E_MEMORY or SMP_OK. */
smp_status smp_against_make(const smp_ranking *before, const smp_ranking *after, smp_against *out,
                            smp_error *error);
void smp_against_clear(smp_against *against);

/* Wavefronts and sectors after minus before. */
int64_t smp_against_change(const smp_against_line *line);
