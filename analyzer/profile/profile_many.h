/* SPDX-License-Identifier: MIT */
/*
 * Reads the profiles of many processes in parallel, merges them, and compares them. Memory holds
 * the sum (which grows with the code that ran, not with the number of files), one file per thread,
 * and some hundred bytes per file for its runs and their spread.
 */
#pragma once

#include "profile_file.h"
#include "profile_filter.h"
#include "profile_rank.h"

typedef struct smp_profile_part {
    const char *path; /* the caller's */
    uint64_t cost;    /* of its accesses: wavefronts and sectors */
    bool is_idle;     /* a complete file without kernels, regardless of the filter: a launcher's */
} smp_profile_part;

/* Callbacks for damaged files. */
typedef struct smp_profile_told {
    /* A part of a file is lost; called by several threads. */
    void (*lost)(const char *path, const smp_profile_loss *loss);
    /* A file is left out; called in order at the end. The message contains its name. */
    void (*bad)(const char *path, const smp_error *error);
} smp_profile_told;

/* Merges `count` files ("-" for standard input) into *out, each filtered first. `parts` (may be
 * NULL) receives their costs, in order; `path` is NULL for a file that is left out. If all of them
 * are bad, fails with the first one's error; SMP_E_MEMORY. */
smp_status smp_profile_read_many(const char *const *paths, size_t count,
                                 const smp_profile_filter *filter, smp_profile *out,
                                 smp_profile_part *parts, const smp_profile_told *told,
                                 smp_error *error);

/* The spread of costs over the files with kernels. */
typedef struct smp_spread {
    const smp_profile_part *parts;
    size_t count; /* of parts */
    /* files without kernels, not counted below; if that is all of them, the rest is 0 */
    size_t idle;
    size_t least, most; /* indices */
    uint64_t median;    /* the median cost, the lower of two */
    size_t odd; /* the one furthest from the median, if at least 5 times the median distance and 1 %
                   of the median away; `count` if none is, or fewer than 3 have kernels */
    /* Set by smp_spread_find_line; NULL if unknown. */
    /* in the ranking of all: the line with most of the difference */
    const smp_profile_line *odd_line;
    int64_t odd_difference; /* its cost there minus the mean of the others */
} smp_spread;

/* `parts` must outlive the result. SMP_E_MEMORY or SMP_OK. */
smp_status smp_spread_make(const smp_profile_part *parts, size_t count, smp_spread *out,
                           smp_error *error);
/* Rankings of all files and of the odd one; both must outlive the result. */
void smp_spread_find_line(smp_spread *spread, const smp_ranking *all, const smp_ranking *odd);
