/* SPDX-License-Identifier: MIT */
/* emulate FOLDER: replays launches that profile --capture kept. */
#pragma once

#include "emulate.h"
#include "note.h"
#include "profile.h"

/* Exit status if something is needed that is not available without a GPU. */
enum { STATUS_REFUSED = 5 };

/* True if `path` is a folder. */
bool emulate_is_kept(const char *path);

typedef struct kept_sums {
    unsigned differ;  /* launches with other results than the kept ones, which are noted */
    unsigned stopped; /* launches that the default time limit stopped */
    unsigned refused; /* launches that need something that was not kept, which is noted */
    uint64_t trace_rows, trace_left_out;
    uint32_t cc; /* of the last launch's code */
} kept_sums;

/* How to run kept launches. */
typedef struct kept_replay {
    const smp_arch *arch; /* whose rules cost them; NULL: those of the code */
    smp_run_options run;
    bool is_judged_again;    /* as emulate_end.is_judged_before */
    smp_trace_writer *trace; /* like emulate_end.is_judged_before */
    const note_sink *notes;
} kept_replay;

/* Runs the launch in the folder, or those in its subfolders in the order of their names, and adds
 * to *profile and *sums. */
smp_status emulate_kept(const char *folder, const kept_replay *how, smp_profile *profile,
                        kept_sums *sums, smp_error *error);

/* ---- Some blocks of launches that are too heavy to instrument: kept_sample.c ---- */

typedef struct kept_sample {
    bool (*wants)(void *user,
                  const char *kernel); /* whether to run a kernel, by its mangled name */
    /* The blocks of all launches of the sampled kernel's kind (smp_kept_launch), 0 if unknown;
     * NULL: unknown for all. */
    uint64_t (*blocks_of)(void *user, const smp_profile *sampled, unsigned kind);
    void *user;
    const smp_arch *arch; /* whose rules cost them; NULL: those of the code */
    uint64_t limit;       /* warp instructions of a launch */
    double seconds;       /* starts no launch after this time; 0 for no limit */
    uint64_t code_bytes;  /* leaves out kernels that reach more machine code; 0 for no limit */
} kept_sample;

/* For each wanted launch in the folder's subfolders, adds a kernel with 0 launches to *profile,
 * with the requests of up to EMULATED_SAMPLE blocks (or clusters) spread over the grid. `blocks`
 * says how many ran (0: they differ too much to scale), not_seen how much they differ and how large
 * the error of scaling may be. A launch that cannot run or depends on memory that was not read is
 * left out. SMP_E_MEMORY or SMP_OK. */
enum { EMULATED_SAMPLE = 16 };
smp_status emulate_kept_sample(const char *folder, const kept_sample *how, smp_profile *profile,
                               smp_error *error);
/* kept_unseen.c: the same for kernels of *profile without any observed launch: their blocks'
 * figures are added. `arch`, `seconds`: as in kept_sample. Ctrl-C ends it. */
smp_status emulate_kept_unseen(const char *folder, const smp_arch *arch, double seconds,
                               smp_profile *profile, smp_error *error);
