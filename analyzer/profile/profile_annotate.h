/* SPDX-License-Identifier: MIT */
/*
 * One source file of a profile, line by line, with what each line costs in all kernels together.
 */
#pragma once

#include "profile_rank.h"

typedef struct smp_annotated_line {
    uint32_t number;
    const char *text; /* not terminated; NULL: the file is not here */
    size_t length;
    smp_profile_sums sums;
    uint32_t worst; /* index in the ranking's `worst` of its costliest kernel; UINT32_MAX: none */
} smp_annotated_line;

typedef struct smp_annotation {
    const char *file; /* as the profile names it, which owns it */
    char *source;     /* NULL: not found, or not read; then only lines with figures are there */
    smp_annotated_line *lines;
    uint32_t line_count;
    smp_profile_sums sums; /* of the file */
    uint64_t most;         /* excess wavefronts and sectors of the costliest line */
} smp_annotation;

/* `file`: the end of a path, "transpose.cu"; NULL: the file with the most excess. SMP_E_USAGE where
 * the profile has no such file or several, SMP_E_SYNTAX where it has no line information,
 * SMP_E_MEMORY. The ranking must stay; smp_annotation_clear frees the rest. */
smp_status smp_annotate(const smp_ranking *ranking, const char *file, smp_annotation *out,
                        smp_error *error);
void smp_annotation_clear(smp_annotation *annotation);
