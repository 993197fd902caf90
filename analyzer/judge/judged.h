/* SPDX-License-Identifier: MIT */
/*
 * Candidates of a kernel, judged without a GPU: each is compiled and run in a process of its own,
 * as many at once as there are cores, within limits of time and memory. Only device code runs, in
 * the emulator; the host code of a candidate is read for launches and never run.
 */
#pragma once

#include "proof.h"

/* Identifier, name in documents. */
#define JUDGED_VERDICTS(X)          \
    X(OK, "ok")                     \
    X(DIFFERS, "differs")           \
    X(FINDING, "finding")           \
    X(NOT_COMPILED, "not compiled") \
    X(NOT_RUN, "not run")           \
    X(TIME, "time")                 \
    X(MEMORY, "memory")             \
    X(CRASHED, "crashed")

typedef enum judged_verdict {
#define JUDGED_ENUM(id, name) JUDGED_##id,
    JUDGED_VERDICTS(JUDGED_ENUM)
#undef JUDGED_ENUM
} judged_verdict;

const char *judged_verdict_name(judged_verdict verdict);

enum { JUDGED_NAME = 200, JUDGED_WHY = 400 };

typedef struct judged_candidate {
    const char *path;
    const char *name;         /* NULL: path */
    const char *launch;       /* as --launch takes it; NULL: as the file says, else as is assumed */
    const char *const *flags; /* of the compiler, behind those of the job */
    uint32_t flag_count;
} judged_candidate;

/* ---- What is compared ---- */

typedef struct judged_results {
    uint64_t values;    /* elements that the reference changed */
    uint64_t differ;    /* elements that differ by more than the tolerance */
    uint64_t unwritten; /* of them, those that hold what they held before the launch */
    double max_error;   /* the largest |is - should| / max(|should|, scale); see tolerance */
    double tolerance;   /* the largest of those that were applied */
    bool has_first;     /* the first element that differs */
    uint32_t argument;  /* from 1 */
    uint64_t index;
    double is, should;
    char kernel[JUDGED_NAME];
    char why_not[JUDGED_WHY]; /* the arrays cannot be compared, because; "" */
} judged_results;

/* A kernel as it ran. */
typedef struct judged_kernel {
    proof_kernel ran;
    char *assumed;                              /* in its launch; "": nothing */
    smp_emu_memory before;                      /* of a reference; else empty */
    smp_launch_array arrays[SMP_ARGUMENTS_MAX]; /* by argument */
    double scale[SMP_ARGUMENTS_MAX];            /* of a reference: root mean square */
    uint64_t values;                            /* of a reference: elements it changed */
    uint64_t instructions;                      /* of warps */
    uint32_t threads;                           /* of a block */
} judged_kernel;

/* Sums over the kernels; `ways` and what a block takes: the most. */
typedef struct judged_figures {
    uint64_t requests, wavefronts, ideal, sectors, ideal_sectors, instructions;
    uint64_t not_modelled; /* requests */
    uint32_t ways, registers, shared_bytes, local_bytes;
    uint32_t resident;      /* blocks of a multiprocessor: the least; 0: unknown */
    uint32_t errors, races; /* findings */
    double cost;            /* judged_cost.c */
} judged_figures;

typedef struct judged {
    const judged_candidate *candidate;
    const struct judged *reference; /* NULL: it is one, or nothing is compared */
    const smp_arch *arch;
    judged_verdict verdict;
    char why[JUDGED_WHY]; /* of any other verdict than OK */
    bool is_reference, is_compiled, has_run;
    bool looks_for_races;
    judged_kernel *kernels;
    uint32_t count;
    smp_profile profile;
    smp_code *code;
    judged_figures figures; /* where has_run */
    bool has_results;
    judged_results results;
    char *notes[16]; /* what was said on the way, malloc'ed */
    unsigned note_count;
    bool has_failed; /* out of memory */
} judged;

/* What one process tells the other beside the line of JSON. */
typedef struct judged_summary {
    judged_verdict verdict;
    judged_figures figures;
    bool has_run;
    char why[JUDGED_WHY];
} judged_summary;

typedef struct judge_job {
    const judged_candidate *candidates;
    size_t count;
    const judged_candidate *reference; /* NULL: nothing is compared */
    const char *launch; /* of candidates that say none, and of the reference; NULL: none */
    smp_launch_wish wish;
    const smp_arch *arch; /* NULL: sm_90 */
    const char *const *flags;
    uint32_t flag_count;
    double tolerance; /* below 0: by the type of the elements */
    uint64_t block_limit, launch_limit;
    uint32_t stack_bytes;
    bool races;
    uint64_t seconds, memory_bytes; /* of one candidate; 0: no limit */
    uint32_t at_once;               /* processes; 0: as many as there are cores */
    /* Writes the candidate's document, in the process that ran it. */
    void (*write)(FILE *out, const judged *of);
    /* Told of each candidate, in their order; `text` is what `write` wrote, or what stands for it.
     */
    void (*told)(void *user, size_t index, const judged_summary *summary, const char *text);
    void *user;
} judge_job;

/* Judges all. SMP_OK whatever their verdicts; other statuses: the reference cannot be compiled or
 * run, or no process be started. */
smp_status judge_all(const judge_job *job, smp_error *error);

/* Candidates that were read, with what their texts lie in. */
typedef struct judged_list {
    judged_candidate *candidates;
    struct json_t **lines;
    size_t count, line_count;
    judged_candidate reference; /* the line that says "reference": true; path NULL: there is none */
} judged_list;

/* Lines of JSON (judged_list.c); SMP_E_SYNTAX names the line. Clear *out in any case. */
smp_status judged_list_read(FILE *in, judged_list *out, smp_error *error);
void judged_list_clear(judged_list *of);

/* ---- Inside ---- */

/* judged_run.c: one candidate (or the reference: `reference` NULL and is_reference), in this
 * process. Clear *out in any case. */
void judged_run(const judge_job *job, const judged_candidate *candidate, const judged *reference,
                bool is_reference, judged *out);
void judged_clear(judged *of);

/* judged_compare.c */
/* The arrays as they are before the launch; `made`: made of its text. What is not said to hold
 * something holds bytes 0xff, so that a value that nobody writes is seen. */
void judged_arrays_unset(const smp_launch_arguments *made, smp_emu_memory *memory);
/* Arrays that grow get the size that the reference needs of them, as its kernel `name` does. */
void judged_arrays_bound(const judged *reference, const char *name,
                         const smp_launch_arguments *made, smp_emu_memory *memory);
/* Fills `before`, `scale` and `values` of a reference. */
smp_status judged_describe(const judged *reference, judged_kernel *kernel, smp_error *error);
void judged_compare(const judged *reference, const judged *candidate, double tolerance,
                    judged_results *out);

/* judged_cost.c */
judged_figures judged_figures_of(const judged *of);
