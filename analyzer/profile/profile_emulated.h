/* SPDX-License-Identifier: MIT */
/* profile --no-gpu: runs the program with our CUDA runtime instead of NVIDIA's. */
#pragma once

#include "child.h"
#include "profile.h"
#include "profile_file.h"
#include "run_options.h"
#include "trace_file.h"

typedef struct emulated_job {
    char *const *argv;
    const char *arch;     /* the architecture to emulate; NULL for the code's own */
    const char *launches; /* a number, or "marked"; NULL for all */
    const char *output;   /* file for the program's output; NULL if none */
    /* receives the memory after each launch (runtime_left.c); NULL if not wanted */
    const char *left;
    const char *grouped; /* grouped members of structs in that memory; NULL if none */
    smp_run_options run;
    bool has_budget;
    uint64_t budget_seconds;
    /* if not NULL: a folder for launches that the last quarter of the budget only counts, one of
     * each kernel that did not run before */
    const char *sample;
    const char *capture, *kernels, *nvtx; /* arguments of these options; NULL if absent */
    trace_file *trace;                    /* receives every request, if open */
    /* Called for each file of the program that could not be read completely, and for each line of
     * its messages; a line that begins with a blank continues the previous one. */
    void (*lost)(const char *path, const smp_profile_loss *loss);
    void (*say)(const char *line);
} emulated_job;

/* The results. */
typedef struct emulated_program {
    smp_profile profile;
    unsigned refused; /* calls that need a GPU */
    bool has_lines;   /* messages */
    bool is_stopped;  /* a process was stopped by the time limit */
    bool is_sampled;  /* launches were only counted (emulated_job.sample) */
    child_end end;
} emulated_program;

/* Runs argv. Clear out->profile in any case. SMP_E_READ if it cannot run this way. */
smp_status profile_emulated_run(const emulated_job *job, emulated_program *out, smp_error *error);
/* Runs argv once for each of `count` architectures (for its own if 0), until the program fails, and
 * adds the results to *out. */
smp_status profile_emulated_run_archs(emulated_job *job, const smp_arch *archs, size_t count,
                                      emulated_program *out, smp_error *error);
