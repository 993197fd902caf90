/* SPDX-License-Identifier: MIT */
/*
 * One run of a program with our library inside, and what its processes left.
 */
#pragma once

#include "child.h"
#include "note.h"
#include "profile.h"
#include "profile_time.h"
#include "trace_file.h"

typedef struct instrumented_job {
    char *const *argv;
    const char *launches, *kernels, *nvtx, *capture; /* what these options say; NULL: nothing */
    const char *memory; /* "shared" (all but the others), "global", "local" or "all" */
    const char *sample; /* with `overhead`, a folder for launches that are too heavy; NULL: none */
    double overhead;    /* times its own time that the program may take; 0: no limit */
    bool is_timed;     /* a second run of the same launches: it reads and writes nothing, nothing is
                        * patched, and only times are taken */
    bool own_only;     /* not the processes that it starts */
    trace_file *trace; /* takes every request; NULL: none does */
    const note_sink *notes; /* hears what is wrong with what was seen */
} instrumented_job;

/* What one process did, with one run. */
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
    double spent;    /* of these, by what job.overhead limits: the most of any process */
} instrumented_processes;

/* What stands in the way, before anything is run: no library, no GPU (SMP_E_NO_GPU), another
 * profiler, a program that is a profiler. */
smp_status profile_instrumented_check(char *const argv[], smp_error *error);

/* Runs it. Clear *out in any case. */
smp_status profile_instrumented_run(const instrumented_job *job, instrumented_processes *out,
                                    smp_error *error);
void profile_instrumented_clear(instrumented_processes *processes);
