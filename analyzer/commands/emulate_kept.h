/* SPDX-License-Identifier: MIT */
/*
 * emulate FOLDER: launches that profile --capture kept.
 */
#ifndef SMP_EMULATE_KEPT_H
#define SMP_EMULATE_KEPT_H

#include "emulate.h"
#include "emulate_budget.h"

/* Exit status where something was asked for that is not there without a GPU. */
enum { STATUS_REFUSED = 5 };

/* True where `path` is a folder. */
bool emulate_is_kept(const char *path);

typedef struct kept_sums {
    unsigned differ;  /* launches that left memory other than it was after the kept one: said */
    unsigned stopped; /* launches that the time ended, which was not asked for */
    unsigned refused; /* launches that need what is not kept: said, too */
    uint64_t trace_rows, trace_left_out;
} kept_sums;

/* Runs the launch that the folder holds, or those of its folders in the order of their names, each
 * judged by `arch` (NULL: its own code's), and adds to *profile and *sums. `trace`: takes all
 * accesses; NULL: none. */
smp_status emulate_kept(const char *folder, const smp_arch *arch, const emulate_limits *limit,
                        smp_trace_writer *trace, smp_profile *profile, kept_sums *sums,
                        smp_error *error);

/* True, and said: the launch `of` ended at a texture or a surface, "which `why`". */
bool emulate_is_refused(const char *of, const smp_function *function, const smp_emulation *done,
                        const char *why);

#endif
