/* SPDX-License-Identifier: MIT */
/*
 * Compiles and runs a source, and checks whether a changed one does the same: it repeats the
 * launches of the first run on the same inputs, and every byte is compared afterwards.
 */
#pragma once

#include "kept_launch.h"
#include "proof_left.h"
#include "target_run.h"

/* What one kernel did in a run. */
typedef struct proof_kernel {
    char *name;            /* demangled */
    char *launch;          /* in the form of --launch; NULL for a program */
    smp_emu_memory memory; /* memory after the launch; empty for a program */
    uint32_t registers, local_bytes, shared_bytes; /* shared_bytes: static and dynamic, per block */
    uint32_t resident;                             /* blocks per multiprocessor; 0 if unknown */
    uint64_t blocks_run, blocks;
} proof_kernel;

typedef struct proof_run {
    smp_profile profile;
    proof_kernel *kernels; /* in the order of the code, or of first launches */
    uint32_t count;
    smp_code *code;  /* NULL for a program */
    char *program;   /* the executable; NULL without a main */
    char *copy;      /* name of the temporary source in line information; NULL if the original was
                        compiled */
    int exit_status; /* of a program */
    proof_left left; /* of a program */
    char *kept;      /* folder with its recorded first launches; NULL if they were not recorded */
    bool has_failed; /* out of memory */
} proof_run;

typedef struct proof_job {
    smp_program_file file; /* its path is the user's source */
    const smp_arch *arch;  /* architecture whose rules apply */
    bool is_joined;        /* the text is not the file's: it contains headers */
    bool has_main;         /* runs the source as a program */
    smp_launch_wish wish;
    const char *launch; /* --launch, for file.kernel alone; NULL to take launches from the file */
    const proof_left *shaped; /* gives each kernel shape and values of its first launch here; or
                                 NULL */
    uint64_t block_limit, launch_limit;
    uint64_t seconds;       /* a program may take half of it; 0: no limit */
    bool races;             /* also looks for races */
    bool is_plain;          /* compiles without optimization */
    const char *grouped;    /* struct members kept in groups (grouped_bytes.h); "" if none */
    const note_sink *notes; /* receives the notes of the first run */
} proof_job;

/* Compiles `text` as if it were the file, and runs it with the launches of `like`; if that is
 * NULL, runs the file itself. `is_same` says that `text` is that of `like`. The caller clears *out
 * in any case. */
smp_status proof_make(const proof_job *job, const char *text, size_t length, const proof_run *like,
                      bool is_same, proof_run *out, smp_error *error);
void proof_clear(proof_run *run);
/* Finds a kernel by its demangled name; NULL if it did not run. */
const proof_kernel *proof_kernel_find(const proof_run *run, const char *name);

/* Moves what a launch left, including its memory, to *to as the result of `launch`, which differs
 * from left->launch if it belongs to an earlier run; the dynamic bytes are those of left->launch.
 * The caller frees what *to has in any case. Returns the threads per block; 0 if out of memory. */
uint32_t proof_kernel_take(proof_kernel *to, const smp_arch *arch, const smp_target_left *left,
                           const char *launch);

/* Whether threads wait for a phase of an mbarrier that never ends; `missing` says why. */
bool proof_is_stuck(const smp_profile_finding *one);
/* Whether inserted synchronization may repair it: a race that is an error, or such a wait. */
bool proof_is_race(const smp_profile_finding *one);
/* The first error that is not a race (nor, with `is_for_races`, an endless wait); NULL if none. */
const smp_profile_finding *proof_first_error(const proof_run *run, bool is_for_races);
/* Number of races and endless waits. */
uint32_t proof_races(const proof_run *run);

/* Whether both runs left the same bytes in memory and, for programs, printed the same. Sets *bytes
 * to the bytes compared, else `why`. */
bool proof_equal(const proof_run *before, const proof_run *after, uint64_t *bytes,
                 char why[PROOF_WHY]);

/* Bytes of the array up to the end of the last page that the run touched. */
uint64_t proof_touched_bytes(const smp_emu_array *array);

/* Iterates over the pages of two arrays of `size` bytes that at least one run touched. All other
 * pages are zero in both. */
typedef struct proof_pages {
    const uint8_t *x, *y;
    uint64_t size, at, bytes; /* the current page */
    size_t page;
    unsigned char *left, *right;
} proof_pages;
proof_pages proof_pages_of(const uint8_t *x, const uint8_t *y, uint64_t size);
/* Advances to the next touched page; false at the end. */
bool proof_pages_next(proof_pages *of);
void proof_pages_clear(proof_pages *of);

/* proof_program.c: the same for a program. `program` is the executable if it is already linked,
 * else NULL. */
smp_status proof_make_program(const proof_job *job, const smp_program_file *copy,
                              const char *program, proof_run *out, smp_error *error);
/* Runs the program again to record its launches in of->kept. */
smp_status proof_keep_program(const proof_job *job, proof_run *of, smp_error *error);
/* Sets the number of resident blocks per multiprocessor. */
void proof_kernel_fit(proof_kernel *of, const smp_arch *arch, uint32_t threads);

/* ---- Launches of a proof with their inputs, to repeat them on a GPU: proof_keep.c ---- */

/* Makes the launch of the kernel with that demangled name. For a program this is the first launch,
 * and the program runs again to record it. The caller clears *out after SMP_OK. */
smp_status proof_keep(const proof_job *job, proof_run *run, const char *name, smp_kept_launch *out,
                      smp_error *error);
