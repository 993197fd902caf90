/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How machine code is to run on the CPU. */
typedef struct smp_run_options {
    uint64_t block_limit;  /* warp instructions of one block; 0: a billion */
    uint64_t launch_limit; /* the same for all blocks; 0: a hundred billion */
    uint32_t stack_bytes;  /* of a thread, beyond one frame of each function; 0: 2048 */
    bool races;            /* look for races */
} smp_run_options;
