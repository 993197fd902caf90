/* SPDX-License-Identifier: MIT */
/* One source file of a profile with the cost of each line, summed over all kernels. */
#pragma once

#include "profile_rank.h"

typedef struct smp_annotated_line {
    uint32_t number;
    const char *text; /* not terminated; NULL if the file was not found */
    size_t length;
    smp_profile_sums sums;
    uint32_t worst; /* index in the ranking's `worst` of its costliest kernel; UINT32_MAX if none */
} smp_annotated_line;

typedef struct smp_annotation {
    const char *file; /* path, owned by the profile */
    char *source; /* NULL if not found or not readable; then only lines with figures are listed */
    smp_annotated_line *lines;
    uint32_t line_count;
    smp_profile_sums sums; /* of the file */
    uint64_t most;         /* excess wavefronts and sectors of the costliest line */
} smp_annotation;

/* `file` is the end of a path, "transpose.cu"; NULL for the file with the most excess. SMP_E_USAGE
 * if the profile has no such file or several, SMP_E_SYNTAX if it has no line information,
 * SMP_E_MEMORY. The ranking must outlive the result; smp_annotation_clear frees the rest. */
smp_status smp_annotate(const smp_ranking *ranking, const char *file, smp_annotation *out,
                        smp_error *error);
void smp_annotation_clear(smp_annotation *annotation);
