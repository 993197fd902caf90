/* SPDX-License-Identifier: MIT */
/*
 * Searches for repairs of a source's bank conflicts. Every repair in `patch` was compiled, run and
 * compared. Arrays are handled one by one, the most expensive first; layouts are tried from the
 * smallest change on, until one does what was predicted.
 */
#pragma once

#include "joined.h"
#include "layout_edit.h"
#include "profile_fix.h"
#include "proof.h"
#include "smp_model.h"

/* Figures of one kernel. Those of the whole file have no registers, bytes or resident blocks. */
typedef struct repair_figures {
    uint64_t requests, wavefronts, ideal; /* of shared memory */
    uint64_t sectors, ideal_sectors;
    uint32_t ways;
    uint32_t registers, local_bytes, shared_bytes, resident;
} repair_figures;

/* Moved sectors as a percentage of the ideal from which on other orders of threads are tried. */
enum { REPAIR_TRIED_PER_CENT = 125 };

/* One layout that was tried. */
typedef struct repair_try {
    char kernel[80];                    /* without parameters */
    char change[LAYOUT_WORDS];          /* "tile: rows of 33 instead of 32" */
    unsigned line;                      /* line of the declaration, in the original source */
    bool is_kept;                       /* name in the patch */
    bool has_run;                       /* `after` is valid */
    bool differs;                       /* memory differed afterwards */
    uint32_t races_before, races_after; /* of the whole file */
    repair_figures before, after;       /* of the kernel */
    double before_us, after_us;         /* on a GPU, sum over the changed kernels; 0 if not timed */
    bool is_slower;                     /* not faster */
    uint64_t bytes_drawn;               /* compared on random numbers */
    char why[PROOF_WHY];                /* why it was not kept */
} repair_try;

/* An array that still conflicts, and an unproven suggestion. */
typedef struct repair_advice {
    char array[64], kernel[80];
    unsigned line;  /* 0 if unknown */
    char code[80];  /* for a race, the text of its line */
    bool is_global; /* `excess` counts sectors of the line */
    uint64_t excess;
    uint32_t ways;
    char text[320];
} repair_advice;

enum { PATCH_NAME_BYTES = 4096 };

/* `count` source lines from `first` on are replaced by `text`; 0 lines: it is inserted before
 * `first`. */
typedef struct repair_change {
    uint32_t first, count;
    char *text;
    char file[PATCH_NAME_BYTES]; /* its name in the patch */
} repair_change;

typedef enum repair_end { REPAIR_DONE, REPAIR_OUT_OF_TIME, REPAIR_INTERRUPTED } repair_end;

typedef struct repair {
    repair_try *tries;
    size_t try_count;
    repair_advice *advice;
    size_t advice_count;
    char *text; /* the repaired source; NULL if nothing was repaired */
    size_t length;
    char *patch;            /* NULL: none */
    repair_change *changes; /* of the patch, in its order */
    size_t change_count;
    repair_figures before, after; /* of the whole file */
    uint64_t bytes_compared;      /* of global memory, as the program left it */
    uint64_t bytes_drawn;         /* of the kernels on random numbers, with the last change */
    uint32_t kernels;
    bool is_program; /* memory after each launch, output and exit status were compared */
    uint32_t launches,
        launches_seen; /* launches of a program, and those whose memory was compared */
    proof_printed printed;
    bool is_whole;                      /* all blocks of all launches were run */
    uint32_t races_before, races_after; /* with --races; else seen by the proof of a layout */
    bool has_looked_for_races;          /* one of them was sought */
    bool is_same;                       /* both left the same memory; with races it may differ */
    char gpu[64];                       /* GPU used for timing; "" if none */
    char untimed[200];                  /* why some tries were not timed although there is a GPU */
    char undrawn[PROOF_WHY];            /* why a program's kernels were not compared on random
                                           numbers; "" if they were, or no layout came so far */
    char refused[320];                  /* why the file cannot be repaired; "" if it can */
    repair_end end;
} repair;

typedef struct repair_job {
    proof_job proof;
    const char *text; /* the source, terminated by 0 */
    size_t length;
    const char *name;            /* name in the patch */
    const joined *joined;        /* where `text` comes from; NULL: the file alone */
    const smp_profile *profiled; /* profile that the machine code must match; NULL for none */
    double seconds;              /* no new layout is begun after this time */
    uint64_t max_bytes;          /* limit of shared memory per block; 0 for the hardware's */
    const char *const *keep;     /* arrays to leave alone */
    unsigned keep_count;
    bool keeps_slower; /* also keeps what is not faster on the GPU */
    /* Called before each run. Returning false ends the search with the best result so far. */
    bool (*goes_on)(void *user, const char *what);
    void *user;
} repair_job;

/* Returns SMP_OK even if nothing was repaired. Other statuses mean that the source could not be
 * compiled or run. */
smp_status repair_find(const repair_job *job, repair *out, smp_error *error);
void repair_clear(repair *of);

/* ---- Inside ---- */

/* What a changed source is compared with. */
typedef struct repair_bench {
    const repair_job *job;
    const proof_run *first, *now;     /* the original and the best version so far */
    const smp_kernel_profile *kernel; /* kernel of `now` that uses the changed array */
    uint64_t wavefronts;              /* of that array */
    bool of_sectors;                  /* the goal is fewer sectors, not wavefronts */
} repair_bench;

/* repair_judge.c: sets `after`, and `why` if the run proves nothing. */
void repair_judge(const repair_bench *s, const proof_run *run, repair_try *tried);
/* Sets `why` if the run has a race that the original does not have. Both runs looked for races. */
void repair_judge_races(const proof_run *first, const proof_run *run, repair_try *tried);
/* Sums over one kernel; NULL sums over all. */
repair_figures repair_figures_of(const proof_run *run, const smp_kernel_profile *kernel);
/* Finds a kernel by its full name; NULL if it did not run. */
const smp_kernel_profile *repair_kernel_named(const proof_run *run, const char *name);

/* candidates.c: layouts to try for an array, the smallest change first. */
enum { CANDIDATES_MAX = 16 };
typedef struct candidates {
    layout_change list[CANDIDATES_MAX];
    unsigned count;
    char why[240]; /* why there are none, or "" */
} candidates;
smp_status candidates_find(const smp_kernel_profile *kernel, const smp_shared_array *array,
                           const shared_declaration *of, host_scope *scope, candidates *out,
                           smp_error *error);
/* Usual layouts, for an array whose accesses cannot be told apart in the machine code. */
void candidates_guess(const smp_kernel_profile *kernel, const shared_declaration *of,
                      host_scope *scope, candidates *out);
/* Finds the array's declaration in the kernel's body, else the only one in the text. */
bool candidates_declaration(const char *text, const smp_kernel_profile *of, const char *name,
                            shared_declaration *out);
/* Converts a suggested layout exactly. False if such a declaration cannot express it. */
bool candidates_seen(const smp_kernel_profile *kernel, const smp_shared_array *array,
                     const shared_declaration *of, const host_scope *scope,
                     const smp_seen_fix *seen, layout_change *out);

/* ---- A program's profile: program_profile.c ---- */

/* Runs `command` of `count` words and writes its profile to the file `profile`. */
smp_status program_profile_make(const char *const *command, unsigned count, const char *profile,
                                smp_error *error);

/* ---- The repaired file: applied_file.c ---- */

/* The name by which patch -p1 finds the file from the working folder: the path below that folder,
 * or else the file name alone. */
void patch_name_of(const char *path, char out[PATCH_NAME_BYTES]);
/* Checks, before any work, that the file may be written. Without `is_forced` the file must also be
 * committed to git in its present form, in a tree without other changes. SMP_E_WRITE gives the
 * reason. */
smp_status applied_file_check(const char *path, bool is_forced, smp_error *error);
/* Writes the repaired text, unless a file has changed since it was read; headers are checked as
 * above. */
smp_status applied_file_write(const repair_job *job, const repair *found, bool is_forced,
                              smp_error *error);
/* Finds the .cu file whose lines cause the most excess wavefronts in shared memory (*path,
 * malloc'ed), and the architecture of that kernel. Considers only files that the profile may show
 * (source_line.h). SMP_E_READ gives the reason if there is none. */
smp_status applied_file_of_profile(const smp_profile *profile, const char *name, char **path,
                                   const smp_arch **arch, smp_error *error);

/* ---- Advice: advised.c ---- */

typedef struct advised_source {
    const char *name; /* name in the patch */
    const char *text;
    size_t length;
} advised_source;

/* The unified diff, which the caller frees. NULL: out of memory, or the layout cannot be written as
 * it was judged: the source has no such array, or uses of it that are not understood. */
char *advised_patch(const advised_source *source, const smp_kernel_profile *kernel,
                    const smp_shared_array *array, const smp_seen_fix *fix);
