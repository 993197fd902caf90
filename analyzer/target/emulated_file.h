/* SPDX-License-Identifier: MIT */
/*
 * A file whose machine code runs on the CPU: one launch of a kernel, launches that were kept, or
 * every kernel as the file launches it.
 */
#pragma once

#include "assumed_launch.h"
#include "compile_flags.h"
#include "emulate.h"
#include "launch_text.h"
#include "note.h"
#include "program_file.h"
#include "smp_trace.h"

typedef struct emulated_file {
    smp_program_file file;
    compile_flags flags; /* that file.flags points to */
    const char *command; /* of the run, in the profile */
    smp_launch_text text;
    uint32_t cluster;
    bool is_cooperative, races;
    uint64_t block_limit, launch_limit; /* 0: as usual */
    uint32_t stack_bytes;               /* 0: as usual */
    uint64_t seconds;                   /* that all of it may take */
    bool is_budget_asked;               /* the user said how long */
    const smp_arch *archs;              /* that are asked for; file.arch points into them */
    size_t arch_count;
    bool all_archs;
    const char *const *compare; /* what arrays must hold then, as smp_launch_compare takes it */
    unsigned compare_count;
    smp_launch_wish wish;
    bool is_whole_file;      /* every kernel of it, by launches that are found or assumed */
    bool is_kept;            /* file.path is a folder of kept launches */
    const char *capture;     /* a new folder for the launch; NULL: it is not kept */
    smp_trace_writer *trace; /* takes all accesses; NULL: none */
    void (*told)(void *user, const smp_emulation_step *step); /* as smp_launch.told */
    const note_sink *notes, *notes_once; /* _once: of what each architecture would say again */
    /* Set: */
    uint64_t trace_rows, trace_left_out;
    int exit_status; /* of what the profile does not hold: 1: results differ; refused */
    /* Of the run alone: */
    bool is_fixed;        /* the code is of one architecture, whatever is asked for */
    bool is_judged_again; /* code that is fixed has run, and is now judged by others' rules */
    smp_code *code;
    const smp_function *function;
} emulated_file;

/* Adds all of it to *profile. Clear *job in any case. */
smp_status emulated_file_run(emulated_file *job, smp_profile *profile, smp_error *error);
void emulated_file_clear(emulated_file *job);
