/* SPDX-License-Identifier: MIT */
/*
 * A source compiled and run, and whether a changed one does the same: its launches are those of the
 * first run, their arrays hold the same values before, and every byte is compared afterwards.
 */
#pragma once

#include "proof_left.h"
#include "target_run.h"

/* What one kernel did. */
typedef struct proof_kernel {
    char *name;                                    /* demangled */
    char *launch;                                  /* as --launch takes it; NULL: of a program */
    smp_emu_memory memory;                         /* as it left it; of a program: nothing */
    uint32_t registers, local_bytes, shared_bytes; /* shared: static and dynamic, of a block */
    uint32_t resident;                             /* blocks of a multiprocessor; 0: unknown */
    uint64_t blocks_run, blocks;
} proof_kernel;

typedef struct proof_run {
    smp_profile profile;
    proof_kernel *kernels; /* in the order of the code, or of the program's first launches */
    uint32_t count;
    smp_code *code;  /* NULL: of a program */
    char *program;   /* its file; NULL: there is none */
    char *copy;      /* what its lines call the source; NULL: its own name */
    int exit_status; /* of a program */
    proof_left left; /* the same */
    char *kept;      /* the folder of its first launches; NULL: they were not kept */
    bool has_failed; /* out of memory */
} proof_run;

typedef struct proof_job {
    smp_program_file file; /* whose path is the source that the user gave */
    const smp_arch *arch;  /* whose rules judge */
    bool has_main;         /* run as the program that it is */
    smp_launch_wish wish;
    const char *launch; /* of the only kernel that is run (file.kernel); NULL: as the file says */
    uint64_t block_limit, launch_limit;
    uint64_t seconds;       /* that a program may run; 0: no limit */
    bool races;             /* are looked for, too */
    const char *grouped;    /* members of structs that lie in groups (grouped_bytes.h); "": none */
    const note_sink *notes; /* of the first run */
} proof_job;

/* Compiles `text` as if it lay where the file does, and runs it; by the launches of `like`, if that
 * is not NULL, else the file itself. `is_same`: it is the text of `like`. Clear *out in any case.
 */
smp_status proof_make(const proof_job *job, const char *text, size_t length, const proof_run *like,
                      bool is_same, proof_run *out, smp_error *error);
void proof_clear(proof_run *run);
/* By its demangled name; NULL: it is not there. */
const proof_kernel *proof_kernel_find(const proof_run *run, const char *name);

/* Threads that wait for a phase of an mbarrier which never ends: `missing` says why. */
bool proof_is_stuck(const smp_profile_finding *one);
/* What lines that order may mend: a race that is no note, or such a wait. */
bool proof_is_race(const smp_profile_finding *one);
/* The first finding that is neither a note nor a race (nor such a wait, where it is for races);
 * NULL: nothing was wrong. */
const smp_profile_finding *proof_first_error(const proof_run *run, bool is_for_races);
/* Those of a kernel that lines which order may mend; NULL: of all. */
uint32_t proof_races(const proof_run *run, const char *mangled);

/* Whether both left the same in memory, of programs also in what they print: *bytes of memory that
 * were compared, else why not. */
bool proof_equal(const proof_run *before, const proof_run *after, uint64_t *bytes,
                 char why[PROOF_WHY]);

/* Up to the end of the last page of an array that a run has touched. */
uint64_t proof_touched_bytes(const smp_emu_array *array);

/* Pages of two arrays of `size` bytes each; a page that neither has touched holds zeros in both. */
typedef struct proof_pages {
    const uint8_t *x, *y;
    uint64_t size, at, bytes; /* of the page */
    size_t page;
    unsigned char *left, *right;
} proof_pages;
proof_pages proof_pages_of(const uint8_t *x, const uint8_t *y, uint64_t size);
/* The next one that was touched; false: there is none. */
bool proof_pages_next(proof_pages *of);
void proof_pages_clear(proof_pages *of);

/* Sums of shared memory over a kernel's instructions; `kernel` NULL: over all. */
typedef struct proof_sums {
    uint64_t wavefronts, ideal, sectors, ideal_sectors; /* sectors: of global memory */
    uint32_t ways;
} proof_sums;
proof_sums proof_sums_of(const proof_run *run, const smp_kernel_profile *kernel);

/* proof_program.c: the same of a program; `program`: it is linked already, else NULL. */
smp_status proof_make_program(const proof_job *job, const smp_program_file *copy,
                              const char *program, proof_run *out, smp_error *error);
/* Runs it once more to keep its launches: of->kept. */
smp_status proof_keep_program(const proof_job *job, proof_run *of, smp_error *error);
/* How many of its blocks a multiprocessor holds. */
void proof_kernel_fit(proof_kernel *of, const smp_arch *arch, uint32_t threads);
