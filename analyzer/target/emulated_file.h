/* SPDX-License-Identifier: MIT */
/*
 * Runs the machine code of a file on the CPU: one launch of a kernel, recorded launches, or every
 * kernel as the file launches it.
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
    compile_flags flags; /* file.flags points into it */
    const char *command; /* command line recorded in the profile */
    smp_launch_text text;
    uint32_t cluster;
    bool is_cooperative;
    smp_run_options run;
    uint64_t seconds;      /* time limit for everything */
    bool is_budget_asked;  /* the user gave the limit */
    const smp_arch *archs; /* requested ones; file.arch points into them */
    size_t arch_count;
    bool all_archs;
    const char *const *compare; /* expected contents of arrays, for smp_launch_compare */
    unsigned compare_count;
    smp_launch_wish wish;
    bool is_whole_file;      /* run every kernel, with launches found or assumed */
    bool is_kept;            /* file.path is a folder of recorded launches */
    const char *capture;     /* folder to record the launch in; NULL for none */
    smp_trace_writer *trace; /* receives all accesses; NULL for none */
    void (*told)(void *user, const smp_emulation_step *step); /* as smp_launch.told */
    const note_sink *notes,
        *notes_once; /* notes_once: notes that every architecture would repeat */
    /* Set: */
    uint64_t trace_rows, trace_left_out;
    int exit_status; /* 1 if results differ from --compare; 130 if interrupted after a kernel ran */
    /* Of the run alone: */
    bool is_fixed;        /* the code has one fixed architecture */
    bool is_judged_again; /* fixed code has run, and is judged again by other rules */
    smp_code *code;
    const smp_function *function;
} emulated_file;

/* Adds the results to *profile. The caller clears *job in any case. */
smp_status emulated_file_run(emulated_file *job, smp_profile *profile, smp_error *error);
void emulated_file_clear(emulated_file *job);
