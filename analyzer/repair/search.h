/* SPDX-License-Identifier: MIT */
/*
 * Shared by the searches for layouts and for synchronization: the source and the best version so
 * far.
 */
#pragma once

#include "gpu_driver.h"
#include "repair.h"
#include "thread_edit.h"

typedef enum gpu_state { GPU_UNKNOWN, GPU_NONE, GPU_OPEN } gpu_state;

typedef struct search {
    const repair_job *job;
    repair *out;
    proof_run first, best; /* runs of the original and of the best version */
    proof_run raced;       /* run of the original that looked for races, made when needed */
    proof_run drawn;       /* run of the original's kernels on random numbers, made when needed */
    const proof_run *now;  /* `first` or `best` */
    char *text, *blank;    /* the best version so far */
    size_t length;
    uint64_t tried[CANDIDATES_MAX]; /* hashes of the texts that were tried for one array */
    unsigned tried_count;
    char grouped[GROUPED_TEXT * 4]; /* of the best version or the one being tried */
    double begun;
    bool is_repeated; /* the original has run twice */
    bool is_raced;    /* `raced` has run */
    bool is_drawn;    /* `drawn` has run; out->undrawn says why it cannot be used */
    gpu_state gpu_state;
    gpu_driver gpu; /* valid if GPU_OPEN */
    smp_error *error;
} search;

/* Converts a line of the best version to a line of the original, or to the nearest one above. */
unsigned search_line(const search *s, unsigned line);
/* Converts the line numbers in a text: "before line 12". */
void search_correct(const search *s, char *text, size_t size);
/* Announces the next try. False if the search must end; out->end says why. */
bool search_goes_on(search *s, const char *what);
/* Makes `text` and its run, which it takes over, the best version. May fail with SMP_E_MEMORY. */
smp_status search_take(search *s, proof_run *run, char *text, size_t length);

/* Adds a try; NULL if out of memory. */
repair_try *search_begin_try(search *s, const char *kernel, const char *change, unsigned line);
/* Keeps the run if it is a proof (tried->is_kept). Takes over or frees `run` and `text`. `status`
 * is that of the run; only lack of memory ends the search. */
smp_status search_end_try(search *s, smp_status status, repair_try *tried, proof_run *run,
                          char *text, size_t length);

/* repair.c: compiles, runs and judges a text. What takes more time, comparing on random numbers,
 * looking for races, and timing, is done while it is a proof and better than `best` (NULL for
 * none).
 */
smp_status search_prove(search *s, const repair_bench *bench, const char *text, size_t length,
                        const repair_try *best, repair_try *tried, proof_run *run);
/* repair_drawn.c: of a program, also compares the kernels on random numbers: its own may be all
 * equal, and then even a wrong layout leaves the same memory. `run` is that of the program with the
 * text. Sets `why` if they differ or if neither comparison had anything but zeros, or out->undrawn
 * if the kernels cannot be compared. */
smp_status search_compare_drawn(search *s, const proof_run *run, const char *text, size_t length,
                                repair_try *tried);
/* repair.c: the search for layouts of shared arrays. */
smp_status repair_arrays(search *s);
/* repair_global.c: the search for fewer sectors of global memory. */
smp_status repair_global(search *s);
/* repair_race.c: the search for what orders races. */
smp_status repair_races(search *s);

/* ---- Times: repair_time.c ---- */

/* Runs the kernels that `run` changes alternately with the best version so far. Sets the times of
 * `tried`, and `why` if it is not faster or leaves different values. */
void repair_time(search *s, proof_run *run, repair_try *tried);
