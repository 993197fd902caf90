/* SPDX-License-Identifier: MIT */
/*
 * A part of a profile: some kernels, some source lines.
 */
#pragma once

#include "profile_rank.h"

typedef struct smp_profile_filter {
    const char *kernel; /* extended regular expression, anywhere in either name; NULL: all */
    const char *nvtx;   /* the same, in one of its ranges; NULL: all */
    const char *file;   /* the end of a path: "transpose.cu"; NULL: all */
    uint32_t first_line, last_line; /* 0: all */
    const smp_arch *archs;          /* kernels of these */
    size_t arch_count;              /* 0: all */
    const char *memory; /* "shared" (all but the others), "global" or "local"; NULL: all */
} smp_profile_filter;

/* Takes away what does not fit, also of the findings (a race fits by either side); kernels without
 * instructions and findings go, too, where lines were asked for. SMP_E_USAGE for an expression that
 * is none. */
smp_status smp_profile_keep(smp_profile *profile, const smp_profile_filter *filter,
                            smp_error *error);

/* True if `with` is the last part of `path` ("b.cu" of "/a/b.cu", not of "/a/bb.cu"). */
bool smp_path_ends(const char *path, const char *with);

/* A filter that leaves nothing is a slip, and a gate behind it would have looked at nothing: an
 * error. */
smp_status smp_profile_fits(const smp_profile_filter *filter, bool is_left, smp_error *error);
/* Sorts, filters and ranks: *ranking is to be cleared where this is SMP_OK. */
smp_status smp_profile_rank(const smp_profile_filter *filter, smp_profile *profile,
                            smp_ranking *ranking, smp_error *error);
