/* SPDX-License-Identifier: MIT */
/* Selects a part of a profile: some kernels, some source lines. */
#pragma once

#include "profile_rank.h"

typedef struct smp_profile_filter {
    /* extended regular expression, matched anywhere in either name; NULL for all */
    const char *kernel;
    const char *nvtx;               /* the same for its ranges; NULL for all */
    const char *file;               /* the end of a path: "transpose.cu"; NULL for all */
    uint32_t first_line, last_line; /* 0 for all */
    const smp_arch *archs;          /* kernels for these */
    size_t arch_count;              /* 0 for all */
    const char *memory; /* "shared" (all but the others), "global" or "local"; NULL for all */
} smp_profile_filter;

/* Removes whatever does not match, including findings (a race matches by either side). If lines
 * were requested, also removes kernels without instructions and findings. SMP_E_USAGE for an
 * invalid expression. */
smp_status smp_profile_keep(smp_profile *profile, const smp_profile_filter *filter,
                            smp_error *error);

/* Records that its runs show only this memory ("shared", "global", "local"), where none is known.
 */
smp_status smp_profile_name_memory(smp_profile *profile, const char *memory, smp_error *error);

/* True if `path` ends with the whole components `with` ("b.cu" in "/a/b.cu", not in "/a/bb.cu"). */
bool smp_path_ends(const char *path, const char *with);

/* Fails if a filter left nothing: that is a slip, and a gate after it would judge nothing. */
smp_status smp_profile_fits(const smp_profile_filter *filter, bool is_left, smp_error *error);
/* Sorts, filters and ranks. Clear *ranking if this returns SMP_OK. */
smp_status smp_profile_rank(const smp_profile_filter *filter, smp_profile *profile,
                            smp_ranking *ranking, smp_error *error);

/* Removes findings that are notes, not errors. */
void smp_profile_drop_notes(smp_profile *profile);
