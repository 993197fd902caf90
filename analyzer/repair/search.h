/* SPDX-License-Identifier: MIT */
/*
 * What the searches for layouts and for what orders races share: the source, and the best so far.
 */
#pragma once

#include "gpu_driver.h"
#include "repair.h"
#include "thread_edit.h"

typedef enum gpu_state { GPU_UNKNOWN, GPU_NONE, GPU_OPEN } gpu_state;

typedef struct search {
    const repair_job *job;
    repair *out;
    proof_run first, best; /* of the source, and of what is repaired so far */
    proof_run raced;       /* of the source, with its races, where that was needed */
    const proof_run *now;  /* one of them */
    char *text, *blank;    /* the best so far */
    size_t length;
    char grouped[GROUPED_TEXT]; /* of the best so far, or of what is tried */
    double begun;
    bool is_repeated; /* the source has run twice */
    bool is_raced;    /* ... and for its races */
    gpu_state gpu_state;
    gpu_driver gpu; /* if it is open */
    smp_error *error;
} search;

/* Of a clock that only goes forward. */
double search_seconds(void);
/* What s->now points at, whose launches may still be kept. */
proof_run *search_now(search *s);
/* Where a line of the best so far stands in the source, or what stands above it. */
unsigned search_line(const search *s, unsigned line);
/* The same in a text that begins with "line 12 ". */
void search_correct(const search *s, char *text, size_t size);
/* Says what is tried next; false: no more, out->end says why. */
bool search_goes_on(search *s, const char *what);
/* `text` and its run, which move, are the best so far. SMP_E_MEMORY. */
smp_status search_take(search *s, proof_run *run, char *text, size_t length);

/* One more try. NULL: out of memory. */
repair_try *search_begin_try(search *s, const char *kernel, const char *change, unsigned line);
/* Takes the run if it is a proof (tried->is_kept); `run` and `text` move or are freed. `status` is
 * that of the run: only out of memory ends the search. */
smp_status search_end_try(search *s, smp_status status, repair_try *tried, proof_run *run,
                          char *text, size_t length);

/* repair.c: repair_judge, of what every run of the source leaves alike: a copy that prints other
 * words does so perhaps from run to run. */
smp_status search_judge(search *s, const repair_bench *bench, const proof_run *run,
                        repair_try *tried);
/* repair.c: runs it once more: a race that the source does not have is no repair. */
smp_status search_look_for_races(search *s, const proof_run *run, const char *text, size_t length,
                                 repair_try *tried);
/* repair.c: the search for layouts of shared arrays. */
smp_status repair_arrays(search *s);
/* repair_global.c: the search for fewer sectors of global memory. */
smp_status repair_global(search *s);
/* repair_race.c: the search for what orders races. */
smp_status repair_races(search *s);
