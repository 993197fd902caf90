/* SPDX-License-Identifier: MIT */
/*
 * profile --no-gpu: the program runs with our CUDA runtime in the place of NVIDIA's.
 */
#pragma once

#include "child.h"
#include "profile.h"
#include "profile_file.h"
#include "trace_file.h"

typedef struct emulated_job {
    char *const *argv;
    const char *arch;     /* the GPU to play; NULL: the code's own */
    const char *launches; /* a number, or "marked"; NULL: all */
    const char *output;   /* a file that it writes in the place of its output; NULL: none */
    const char *left;     /* takes what each launch left in memory (runtime_left.c); NULL: none */
    const char *grouped;  /* members of structs that lie in groups there; NULL: none */
    bool has_limit, has_budget;
    uint64_t block_limit, launch_limit; /* warp instructions; 0: as usual */
    bool races;                         /* looks for them, too */
    uint64_t budget_seconds;
    uint32_t stack_bytes;                 /* of a thread; 0: as the program says */
    const char *capture, *kernels, *nvtx; /* what these options say; NULL: nothing */
    trace_file *trace;                    /* takes every request, if it is open */
    /* Called for a file of the program that could not be read whole, and for each line that it left
     * for people; a line that begins with a blank continues the one before. */
    void (*lost)(const char *path, const smp_profile_loss *loss);
    void (*say)(const char *line);
} emulated_job;

/* What it left. */
typedef struct emulated_program {
    smp_profile profile;
    unsigned refused; /* calls that need a GPU */
    bool has_lines;   /* for people */
    bool is_stopped;  /* a process was, when its time was over */
    child_end end;
} emulated_program;

/* Runs argv. Clear out->profile in any case. SMP_E_READ: it cannot run so. */
smp_status profile_emulated_run(const emulated_job *job, emulated_program *out, smp_error *error);
