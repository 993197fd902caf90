/* SPDX-License-Identifier: MIT */
/*
 * A file of kernels and nothing else said: each is launched as the file says, or as is assumed.
 */
#ifndef SMP_TARGET_RUN_H
#define SMP_TARGET_RUN_H

#include "assumed_launch.h"
#include "emulate.h"
#include "note.h"
#include "program_file.h"

typedef struct smp_target_job {
    const char *path;     /* a source is read for launches; other files have none */
    smp_code *code;       /* smp_target_open */
    const smp_arch *arch; /* whose rules judge the accesses */
    smp_launch_wish wish;
    uint64_t block_limit, launch_limit; /* as in smp_launch */
    uint32_t stack_bytes;               /* the same */
    bool races;                         /* looks for them, too */
    const note_sink *notes;             /* told, in one line a kernel, what was assumed */
} smp_target_job;

/* The machine code of the file, all its kernels disassembled. The caller closes *code, also after
 * failure. SMP_E_READ: no compiler, or it failed; SMP_E_SYNTAX: there is no kernel. */
smp_status smp_target_open(const smp_program_file *file, smp_code **code, smp_error *error);
/* Runs every kernel, of a large grid some blocks, and adds it to *profile. */
smp_status smp_target_run(const smp_target_job *job, smp_profile *profile, smp_error *error);

#endif
