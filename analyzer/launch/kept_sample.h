/* SPDX-License-Identifier: MIT */
/* Runs some blocks of launches that are too heavy to instrument on the CPU. */
#pragma once

#include "profile.h"

typedef struct kept_sample {
    bool (*wants)(void *user,
                  const char *kernel); /* whether to run a kernel, by its mangled name */
    void *user;
    const smp_arch *arch; /* whose rules cost them; NULL: those of the code */
    uint64_t limit;       /* warp instructions of a launch */
    double seconds;       /* starts no launch after this time; 0 for no limit */
} kept_sample;

/* For each wanted launch in the folder's subfolders, adds a kernel with 0 launches to *profile,
 * with the requests of up to EMULATED_SAMPLE blocks (or clusters) spread over the grid. `blocks`
 * says how many ran (0: they differ too much to scale), not_seen how much they differ and how large
 * the error of scaling may be. A launch that cannot run or depends on memory that was not read is
 * left out. SMP_E_MEMORY or SMP_OK. */
enum { EMULATED_SAMPLE = 16 };
smp_status emulate_kept_sample(const char *folder, const kept_sample *how, smp_profile *profile,
                               smp_error *error);
/* The same for kernels of *profile without any observed launch: their blocks' figures are added. */
smp_status emulate_kept_unseen(const char *folder, smp_profile *profile, smp_error *error);
