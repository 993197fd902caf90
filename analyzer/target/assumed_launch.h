/* SPDX-License-Identifier: MIT */
/*
 * A launch for a kernel of which nobody said one: from the <<<>>> of its file, its launch bounds
 * and its shared arrays, else from assumptions, each of which is named.
 */
#ifndef SMP_ASSUMED_LAUNCH_H
#define SMP_ASSUMED_LAUNCH_H

#include "disassembly.h"
#include "host_text.h"

/* What the user says of it; zeros: nothing. */
typedef struct smp_launch_wish {
    host_name known[HOST_NAMES_MAX]; /* values of names */
    unsigned known_count;
    uint32_t block[3], grid[3]; /* [0] is 0: not said */
    bool is_try;                /* `block` is an assumption of the caller's */
    int64_t extent;             /* that sizes are assumed to be; 0: 1024 */
} smp_launch_wish;

typedef struct smp_assumed_launch {
    char *launch;          /* as --launch takes it; the caller frees it */
    char *assumed;         /* "nx = 1024, block 32x8"; "": nothing; the caller frees it */
    bool is_block_assumed; /* so another one may be right */
    bool is_block_of_rows; /* the kernel reads threadIdx.y */
} smp_assumed_launch;

/* `text`: of host_text_make, or "" for machine code without a source. SMP_E_SYNTAX names the
 * parameter that no assumption fits. */
smp_status smp_launch_assume(const smp_function *function, const char *text,
                             const smp_launch_wish *wish, smp_assumed_launch *out,
                             smp_error *error);

#endif
