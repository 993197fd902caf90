/* SPDX-License-Identifier: MIT */
/*
 * emulate FOLDER: launches that profile --capture kept.
 */
#pragma once

#include "emulate.h"
#include "note.h"

/* Exit status where something was asked for that is not there without a GPU. */
enum { STATUS_REFUSED = 5 };

/* True where `path` is a folder. */
bool emulate_is_kept(const char *path);

typedef struct kept_sums {
    unsigned differ;  /* launches that left memory other than it was after the kept one: said */
    unsigned stopped; /* launches that the time ended, which was not asked for */
    unsigned refused; /* launches that need what is not kept: said, too */
    uint64_t trace_rows, trace_left_out;
    uint32_t cc; /* of the code of the last */
} kept_sums;

/* How kept launches are run. */
typedef struct kept_replay {
    const smp_arch *arch;               /* judges them; NULL: each by its own code's */
    uint64_t block_limit, launch_limit; /* warp instructions; 0: as usual */
    uint32_t stack_bytes;               /* as in smp_launch */
    bool races;                         /* looks for them, too */
    bool is_judged_again;               /* as emulate_end.is_judged_before */
    smp_trace_writer *trace;            /* takes all accesses; NULL: none */
    const note_sink *notes;
} kept_replay;

/* Runs the launch that the folder holds, or those of its folders in the order of their names, and
 * adds to *profile and *sums. */
smp_status emulate_kept(const char *folder, const kept_replay *how, smp_profile *profile,
                        kept_sums *sums, smp_error *error);
