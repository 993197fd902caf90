/* SPDX-License-Identifier: MIT */
/* Runs a program with our library inside and collects the results of its processes. */
#pragma once

#include "child.h"
#include "note.h"
#include "profile.h"
#include "profile_time.h"
#include "trace_file.h"

typedef struct instrumented_job {
    char *const *argv;
    /* arguments of these options; NULL if absent */
    const char *launches, *kernels, *nvtx, *capture;
    const char *memory; /* "shared" (all but the others), "global", "local" or "all" */
    /* with `overhead`, a folder for launches too heavy to observe; NULL if none */
    const char *sample;
    double overhead; /* the program may take this multiple of its own time; 0 for no limit */
    bool is_timed;   /* a second run of the same launches, with input and output discarded, in which
                        kernels are only timed */
    bool is_again;   /* a second run of the same launches, with output discarded */
    bool own_only;   /* only this process, not those it starts */
    trace_file *trace;      /* receives every request; may be NULL */
    const note_sink *notes; /* receives notes about the results */
} instrumented_job;

/* The profile of one process, with one run. */
typedef struct instrumented_process {
    uint64_t process;
    smp_profile profile; /* not sorted */
} instrumented_process;

typedef struct instrumented_processes {
    instrumented_process *list;
    size_t count;
    child_end end;   /* of the program itself */
    smp_times times; /* of a timed run */
    double ran;      /* seconds of the program */
    double spent;    /* part of these that job.overhead limits: the most of any process */
} instrumented_processes;

/* Checks in advance whether the program can be profiled: no library, no GPU (SMP_E_NO_GPU), another
 * profiler, a program that is a profiler itself. */
smp_status profile_instrumented_check(char *const argv[], smp_error *error);

/* Runs it. Clear *out in any case. */
smp_status profile_instrumented_run(const instrumented_job *job, instrumented_processes *out,
                                    smp_error *error);
void profile_instrumented_clear(instrumented_processes *processes);
