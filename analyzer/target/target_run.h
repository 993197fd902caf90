/* SPDX-License-Identifier: MIT */
/*
 * A file of kernels and nothing else said: each is launched as the file says, or as is assumed.
 */
#pragma once

#include "assumed_launch.h"
#include "emulate.h"
#include "launch_text.h"
#include "note.h"
#include "program_file.h"

/* What a kernel's run left. */
typedef struct smp_target_left {
    const smp_function *function;
    const char *launch;     /* as --launch takes it */
    const char *assumed;    /* in it: "nx = 1024, block 32x8"; "": nothing */
    smp_emu_memory *memory; /* whoever takes it leaves an empty one */
    const smp_launch_arguments *arguments;
    const smp_emulation *done;
    uint64_t blocks; /* of the grid */
} smp_target_left;

typedef struct smp_target_job {
    const char *path;     /* a source is read for launches; other files have none */
    smp_code *code;       /* smp_target_open */
    const smp_arch *arch; /* whose rules judge the accesses */
    smp_launch_wish wish;
    const char *const *flags; /* of the compiler, whose -DNAME=INTEGER the file's text means, too */
    uint32_t flag_count;
    const char *launch; /* of the only kernel that is run; NULL: each as the file says */
    bool is_whole;      /* all blocks, however long that takes */
    uint32_t threads;   /* as in smp_launch */
    uint64_t block_limit, launch_limit; /* as in smp_launch */
    uint32_t stack_bytes;               /* the same */
    bool races, reach;                  /* the same */
    const note_sink *notes;             /* told, in one line a kernel, what was assumed */
    bool is_quiet;                      /* what kernels print is not shown */
    /* The launch of a kernel, by an earlier run; it returns NULL, or is NULL: none. */
    const char *(*launch_of)(void *user, const smp_function *function);
    /* Told of each run, in the order of the code's functions; NULL: nobody is. */
    void (*left)(void *user, const smp_target_left *left);
    /* Told when a kernel's arrays are made and filled; NULL: nobody is. */
    void (*made)(void *user, const smp_function *function, const smp_launch_arguments *arguments,
                 smp_emu_memory *memory);
    void *user;
} smp_target_job;

/* The machine code of the file, all its kernels disassembled. The caller closes *code, also after
 * failure. SMP_E_READ: no compiler, or it failed; SMP_E_SYNTAX: there is no kernel. */
smp_status smp_target_open(const smp_program_file *file, smp_code **code, smp_error *error);
/* Runs every kernel, of a large grid some blocks, and adds it to *profile. */
smp_status smp_target_run(const smp_target_job *job, smp_profile *profile, smp_error *error);
