/* SPDX-License-Identifier: MIT */
/* Runs every kernel of a file, with launches from the file or assumed ones. */
#pragma once

#include <stdint.h>

#include "assumed_launch.h"
#include "emulate.h"
#include "launch_text.h"
#include "note.h"
#include "program_file.h"

/* The result of one kernel's run. */
typedef struct smp_target_left {
    const smp_function *function;
    const char *launch;     /* in the form of --launch */
    const char *assumed;    /* what was assumed in it: "nx = 1024, block 32x8", or "" */
    smp_emu_memory *memory; /* the receiver may take it and leave an empty one */
    const smp_launch_arguments *arguments;
    const smp_emulation *done;
    uint64_t blocks; /* blocks of the grid */
} smp_target_left;

typedef struct smp_target_job {
    const char *path;     /* searched for launches if it is a source */
    smp_code *code;       /* from smp_target_open */
    const smp_arch *arch; /* architecture whose rules apply */
    smp_launch_wish wish;
    const char *const *flags; /* compiler flags; -DNAME=INTEGER and -I also apply to the text */
    uint32_t flag_count;
    const char *launch;  /* launch of the only kernel to run; NULL to take launches from the file */
    bool is_whole;       /* runs all blocks, however long that takes */
    uint32_t threads;    /* as in smp_launch */
    smp_run_options run; /* the same */
    bool reach;          /* the same */
    const note_sink *notes; /* told in one line per kernel what was assumed */
    bool is_quiet;          /* hides what kernels print */
    /* Changes what the user gives for a kernel's launch. May be NULL. */
    void (*wish_of)(void *user, const smp_function *function, smp_launch_wish *wish);
    /* Returns a kernel's launch in an earlier run, or NULL. May be NULL. */
    const char *(*launch_of)(void *user, const smp_function *function);
    /* Called after each run, in the order of the functions in the code. May be NULL. */
    void (*left)(void *user, const smp_target_left *left);
    /* Called when a kernel's arrays are made and filled. May be NULL. */
    void (*made)(void *user, const smp_function *function, const smp_launch_arguments *arguments,
                 smp_emu_memory *memory);
    void *user;
} smp_target_job;

/* Compiles the file and disassembles all its kernels. The caller closes *code, also after failure.
 * SMP_E_READ if the compiler is missing or fails, SMP_E_SYNTAX if there is no kernel. */
smp_status smp_target_open(const smp_program_file *file, smp_code **code, smp_error *error);
/* Runs every kernel (some blocks of a large grid) and adds it to *profile. */
smp_status smp_target_run(const smp_target_job *job, smp_profile *profile, smp_error *error);

/* ---- Some blocks of a grid that would take too long ---- */

enum { LOOKED_AT = 5 };

/* Chooses the first, the middle, the last and two more of `count` blocks in rows of `row`; returns
 * their number. */
uint32_t looked_at_blocks(uint64_t row, uint64_t count, uint64_t out[LOOKED_AT]);
/* "5 of 4096 blocks were run: ...", which the caller frees; NULL if all were run, or out of
 * memory. */
char *looked_at_text(uint64_t seen, uint64_t count);
