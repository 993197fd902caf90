/* SPDX-License-Identifier: MIT */
/*
 * Repairs of a source's bank conflicts that were compiled, run and compared. Arrays are taken one
 * after the other, the one that costs most first; of each, layouts are tried from the smallest
 * change on, and the first stays that keeps what it promised. What is not in `patch` was not
 * proven.
 */
#pragma once

#include "layout_edit.h"
#include "profile_fix.h"
#include "proof.h"

/* Of one kernel, or (wavefronts, ideal, ways) of the whole file. */
typedef struct repair_figures {
    uint64_t wavefronts, ideal;
    uint64_t sectors, ideal_sectors;
    uint32_t ways;
    uint32_t registers, local_bytes, shared_bytes, resident;
} repair_figures;

/* A layout that was tried. */
typedef struct repair_try {
    char kernel[80];                    /* without parameters */
    char change[LAYOUT_WORDS];          /* "tile: rows of 33 instead of 32" */
    unsigned line;                      /* of the declaration in the text at that time */
    bool is_kept;                       /* in the patch */
    bool has_run;                       /* `after` is known */
    bool differs;                       /* in what it left in memory */
    uint32_t races_before, races_after; /* of the whole file */
    repair_figures before, after;       /* of the kernel */
    double before_us, after_us;         /* of the kernels that it changes, on a GPU; 0: not timed */
    bool is_slower;                     /* ... or as fast */
    char why[PROOF_WHY];                /* not kept, because */
} repair_try;

/* What is not proven: an array that conflicts still, and what may be done about it. */
typedef struct repair_advice {
    char array[64], kernel[80];
    unsigned line;  /* 0: not known */
    char code[80];  /* of a race: what stands in its line */
    bool is_global; /* excess counts sectors, of the worst instruction */
    uint64_t excess;
    uint32_t ways;
    char text[320];
} repair_advice;

typedef enum repair_end { REPAIR_DONE, REPAIR_OUT_OF_TIME, REPAIR_INTERRUPTED } repair_end;

typedef struct repair {
    repair_try *tries;
    size_t try_count;
    repair_advice *advice;
    size_t advice_count;
    char *text; /* the repaired source; NULL: nothing was repaired */
    size_t length;
    char *patch;                  /* NULL: none */
    repair_figures before, after; /* of the whole file */
    uint64_t bytes_compared;      /* of global memory */
    uint32_t kernels;
    bool is_program; /* compared after each launch, by what it printed and its exit status */
    uint32_t launches, launches_seen; /* of a program; whose memory was compared */
    proof_printed printed;
    bool is_whole;                      /* all blocks of all launches were run */
    uint32_t races_before, races_after; /* where they were looked for */
    bool is_same;      /* what it left in memory; a source with races may leave anything */
    char gpu[64];      /* that tries were timed on; "": none */
    char untimed[200]; /* why some were not, though there is a GPU; "" */
    char refused[320]; /* why the file was not looked at; "": it was */
    repair_end end;
} repair;

typedef struct repair_job {
    proof_job proof;
    const char *text; /* of the source; a 0 stands behind it */
    size_t length;
    const char *name;            /* in the patch */
    const smp_profile *profiled; /* its kernels are those of this one, or it is refused; NULL */
    double seconds;              /* after which no other layout is begun */
    uint64_t max_bytes;          /* of shared memory that a block may take; 0: what it can have */
    const char *const *keep;     /* arrays that stay as they are */
    unsigned keep_count;
    bool keeps_slower; /* what a GPU here runs no faster stays, too */
    /* Told before each run; false: ends with the best so far. */
    bool (*goes_on)(void *user, const char *what);
    void *user;
} repair_job;

/* SMP_OK also where nothing was repaired. Other statuses: the source could not be compiled or run.
 */
smp_status repair_find(const repair_job *job, repair *out, smp_error *error);
void repair_clear(repair *of);

/* ---- Inside ---- */

/* What a changed source is held against. */
typedef struct repair_bench {
    const repair_job *job;
    const proof_run *first, *now;     /* the source, and the best so far */
    const smp_kernel_profile *kernel; /* of `now`, with the array that is changed */
    uint64_t wavefronts;              /* of that array */
    bool of_sectors;                  /* fewer sectors are what is wanted, not wavefronts */
} repair_bench;

/* repair_judge.c: fills `after`, and `why` if the run is no proof. */
void repair_judge(const repair_bench *s, const proof_run *run, repair_try *tried);
/* With races looked for in both: fills `why` if there is one that the source has not. */
void repair_judge_races(const proof_run *first, const proof_run *run, repair_try *tried);
/* `kernel` NULL: of all. */
repair_figures repair_figures_of(const proof_run *run, const smp_kernel_profile *kernel);
/* The kernel of that name; NULL: it is not there. */
const smp_kernel_profile *repair_kernel_named(const proof_run *run, const char *name);

/* candidates.c: layouts of the array, the smallest change first. */
enum { CANDIDATES_MAX = 16 };
typedef struct candidates {
    layout_change list[CANDIDATES_MAX];
    unsigned count;
    char why[240]; /* there is none, because; "" */
} candidates;
smp_status candidates_find(const smp_kernel_profile *kernel, const smp_shared_array *array,
                           const shared_declaration *of, host_scope *scope, candidates *out,
                           smp_error *error);
/* The same where the machine code does not tell which array is accessed: the usual ones. */
void candidates_guess(const shared_declaration *of, host_scope *scope, candidates *out);
/* The declaration of the array in the kernel's body, else the only one in the text. */
bool candidates_declaration(const char *text, const smp_kernel_profile *of, const char *name,
                            shared_declaration *out);
/* Exactly the layout that was judged; false: it cannot be written for such a declaration. */
bool candidates_seen(const smp_kernel_profile *kernel, const smp_shared_array *array,
                     const shared_declaration *of, const host_scope *scope,
                     const smp_seen_fix *seen, layout_change *out);
