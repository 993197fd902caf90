/* SPDX-License-Identifier: MIT */
/*
 * Some blocks of launches that are too heavy to be looked at otherwise, run on the CPU.
 */
#pragma once

#include "profile.h"

typedef struct kept_sample {
    bool (*wants)(void *user, const char *kernel); /* a kernel by its mangled name */
    void *user;
    const smp_arch *arch; /* judges them; NULL: each by its own code's */
    uint64_t limit;       /* warp instructions of a launch */
    double seconds;       /* after these no other launch is begun; 0: all are */
} kept_sample;

/* Adds a kernel of no launches to *profile for each launch of the folder's folders that is wanted,
 * with what up to EMULATED_SAMPLE of its blocks (or clusters) ask for, spread over the grid:
 * `blocks` says how many ran (0: they differ too much to be scaled), not_seen how much they differ,
 * and how far what is scaled may be off. One that cannot be run, or depends on memory that was not
 * read, is left out. SMP_E_MEMORY or SMP_OK. */
enum { EMULATED_SAMPLE = 16 };
smp_status emulate_kept_sample(const char *folder, const kept_sample *how, smp_profile *profile,
                               smp_error *error);
/* The same for kernels of *profile of which no launch was seen, which get what their blocks say. */
smp_status emulate_kept_unseen(const char *folder, smp_profile *profile, smp_error *error);
