/* SPDX-License-Identifier: MIT */
/*
 * Judges candidates of a kernel without a GPU. Each is compiled and run in its own process, as many
 * at once as there are cores, within limits of time and memory. Only device code runs, in the
 * emulator; host code is searched for launches and never run.
 */
#pragma once

#include "profile_rank.h"
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
    const char *name;         /* NULL: same as path */
    const char *launch;       /* as for --launch; NULL: from the file, or assumed */
    const char *const *flags; /* compiler flags, after those of the job */
    uint32_t flag_count;
} judged_candidate;

/* ---- What is compared ---- */

typedef struct judged_results {
    uint64_t values;    /* elements that the reference changed */
    uint64_t differ;    /* elements that differ by more than the tolerance */
    uint64_t unwritten; /* those among them that the candidate did not change */
    double max_error;   /* the largest |value - expected| / max(|expected|, scale); see tolerance */
    double tolerance;   /* the largest tolerance applied */
    bool has_first;     /* the first element that differs */
    uint32_t argument;  /* argument number, from 1 */
    uint64_t index;
    double is, should;
    char kernel[JUDGED_NAME];
    char why_not[JUDGED_WHY]; /* why the arrays cannot be compared, or "" */
} judged_results;

/* A kernel and the result of its run. */
typedef struct judged_kernel {
    proof_kernel ran;
    char *assumed;                              /* assumptions about its launch, or "" */
    smp_emu_memory before;                      /* memory before the launch, for a reference */
    smp_launch_array arrays[SMP_ARGUMENTS_MAX]; /* by argument */
    double scale[SMP_ARGUMENTS_MAX]; /* root mean square of each array, for a reference */
    uint64_t values;                 /* elements that a reference changed */
    uint64_t instructions;           /* warp instructions */
    uint32_t threads;                /* threads per block */
} judged_kernel;

/* Sums over the kernels; maxima for `ways` and the resources of a block. */
typedef struct judged_figures {
    smp_profile_sums sums;
    uint64_t instructions;
    uint32_t registers, shared_bytes, local_bytes;
    uint32_t resident;      /* fewest resident blocks per multiprocessor; 0: unknown */
    uint32_t errors, races; /* numbers of findings */
    double cost;            /* judged_cost.c */
} judged_figures;

typedef struct judged {
    const judged_candidate *candidate;
    const struct judged *reference; /* NULL: it is the reference, or there is none */
    const smp_arch *arch;
    judged_verdict verdict;
    char why[JUDGED_WHY]; /* reason of any verdict other than OK */
    bool is_reference, is_compiled, has_run;
    bool looks_for_races;
    judged_kernel *kernels;
    uint32_t count;
    smp_profile profile;
    smp_code *code;
    judged_figures figures; /* valid with has_run */
    bool has_results;
    judged_results results;
    char *notes[16]; /* notes during the run, malloc'ed */
    unsigned note_count;
    bool has_failed; /* out of memory */
} judged;

/* What a candidate's process sends besides its line of JSON. */
typedef struct judged_summary {
    judged_verdict verdict;
    judged_figures figures;
    bool has_run;
    char why[JUDGED_WHY];
} judged_summary;

typedef struct judge_job {
    const judged_candidate *candidates;
    size_t count;
    const judged_candidate *reference; /* NULL: no comparison */
    const char
        *launch; /* launch of the reference and of candidates without their own; NULL: none */
    smp_launch_wish wish;
    const smp_arch *arch; /* NULL: sm_90 */
    const char *const *flags;
    uint32_t flag_count;
    double tolerance; /* negative: depends on the element type */
    smp_run_options run;
    uint64_t seconds, memory_bytes; /* limits of one candidate; 0: none */
    uint32_t at_once;               /* processes at once; 0: one per core */
    /* Writes the candidate's document, in the process that ran it. */
    void (*write)(FILE *out, const judged *of);
    /* Called for each candidate in order; `text` is what `write` wrote, or a document in its place.
     */
    void (*told)(void *user, size_t index, const judged_summary *summary, const char *text);
    void *user;
} judge_job;

/* Judges all candidates. Returns SMP_OK whatever their verdicts; it fails if the reference cannot
 * be compiled or run, or no process can be started. */
smp_status judge_all(const judge_job *job, smp_error *error);

/* Candidates that were read, and the owner of their texts. */
typedef struct judged_list {
    judged_candidate *candidates;
    struct json_t **lines;
    size_t count, line_count;
    judged_candidate reference; /* the line with "reference": true; path NULL if there is none */
} judged_list;

/* Reads lines of JSON (judged_list.c); SMP_E_SYNTAX names the line. The caller always clears *out.
 */
smp_status judged_list_read(FILE *in, judged_list *out, smp_error *error);
void judged_list_clear(judged_list *of);

/* ---- Inside ---- */

/* judged_run.c: checks that the files and the tools exist: a missing one is not a candidate's
 * fault. */
smp_status judge_files_find(const judge_job *job, smp_error *error);
/* Runs one candidate in this process, or the reference (`reference` NULL and
 * is_reference). The caller always clears *out. */
void judged_run(const judge_job *job, const judged_candidate *candidate, const judged *reference,
                bool is_reference, judged *out);
void judged_clear(judged *of);

/* judged_compare.c */
/* Sets the arrays for a launch; `made` was made from its text. An array without a given content
 * holds bytes 0xff, so that unwritten values show. */
void judged_arrays_unset(const smp_launch_arguments *made, smp_emu_memory *memory);
/* Gives growing arrays the size that the reference's kernel `name` needs. */
void judged_arrays_bound(const judged *reference, const char *name,
                         const smp_launch_arguments *made, smp_emu_memory *memory);
/* Fills `before`, `scale` and `values` of a reference. */
smp_status judged_describe(const judged *reference, judged_kernel *kernel, smp_error *error);
void judged_compare(const judged *reference, const judged *candidate, double tolerance,
                    judged_results *out);

/* judged_cost.c */
judged_figures judged_figures_of(const judged *of);
