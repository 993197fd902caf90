/* SPDX-License-Identifier: MIT */
/*
 * Profiles of many processes, a file each: read side by side, merged as they come, and how they
 * differ. In memory are the sum (which grows with the code that ran, not with the files), one file
 * a thread, and some hundred bytes a file for its runs and their spread.
 */
#pragma once

#include "profile_file.h"
#include "profile_filter.h"
#include "profile_rank.h"

typedef struct smp_profile_part {
    const char *path; /* the caller's */
    uint64_t cost;    /* of its accesses: wavefronts and sectors */
    bool is_idle;     /* a whole file without kernels, whatever the filter: a launcher's */
} smp_profile_part;

/* What went wrong with files. */
typedef struct smp_profile_told {
    /* A part of one is lost; called by several threads. */
    void (*lost)(const char *path, const smp_profile_loss *loss);
    /* One is left out; called in their order, at the end. The message has its name. */
    void (*bad)(const char *path, const smp_error *error);
} smp_profile_told;

/* Merges `count` files ("-": standard input) into *out, each filtered first. `parts` (NULL: not
 * wanted) is for their costs, in their order; of one that is left out its `path` is NULL. Fails
 * where all of them are bad, as the first is, or with SMP_E_MEMORY. */
smp_status smp_profile_read_many(const char *const *paths, size_t count,
                                 const smp_profile_filter *filter, smp_profile *out,
                                 smp_profile_part *parts, const smp_profile_told *told,
                                 smp_error *error);

/* How the costs of those with kernels lie. */
typedef struct smp_spread {
    const smp_profile_part *parts;
    size_t count;       /* of parts */
    size_t idle;        /* those without kernels, which nothing below counts; all: zeros */
    size_t least, most; /* indices */
    uint64_t median;    /* the middle cost, or the lower of two */
    size_t odd;         /* the one furthest from the median, if it is far: 5 times the median
                         * distance and 1 % of the median at least; count: none, or fewer than 3
                         * with kernels */
    /* Set by smp_spread_find_line; NULL: not known. */
    const smp_profile_line *odd_line; /* in the ranking of all: where most of the difference is */
    int64_t odd_difference;           /* of its cost there to the mean of the others */
} smp_spread;

/* `parts` must stay. SMP_E_MEMORY or SMP_OK. */
smp_status smp_spread_make(const smp_profile_part *parts, size_t count, smp_spread *out,
                           smp_error *error);
/* Of all files and of the odd one; both must stay. */
void smp_spread_find_line(smp_spread *spread, const smp_ranking *all, const smp_ranking *odd);
