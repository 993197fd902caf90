/* SPDX-License-Identifier: MIT */
/*
 * A kept launch on a GPU: its arrays lie where they were, if the driver grants the address; if not,
 * words of parameters and memory that point into them are moved along.
 */
#pragma once

#include "gpu_driver.h"
#include "kept_launch.h"

typedef struct gpu_piece {
    uint64_t at, size_bytes;
} gpu_piece;

typedef struct gpu_launch {
    gpu_driver *driver;
    const smp_kept_launch *kept;
    void *module, *kernel;
    uint64_t first, end; /* of the arrays, as they were */
    uint64_t moved;      /* where they are, less where they were */
    gpu_piece *pieces;   /* of memory, each mapped for itself */
    uint32_t piece_count;
    uint8_t *parameters;
    uint32_t copies; /* of the grid, in z; 1 unless the caller sets it */
} gpu_launch;

/* Loads the code and puts the arrays there. `kept` is the caller's and must live as long. Clear
 * *out in any case. SMP_E_CUDA says what the driver refused. */
smp_status gpu_launch_make(gpu_driver *driver, const smp_kept_launch *kept, gpu_launch *out,
                           smp_error *error);
void gpu_launch_clear(gpu_launch *of);

/* Of its kernel, for people. */
const char *gpu_launch_name(const gpu_launch *of);
/* Arrays and variables as they were before the launch. */
smp_status gpu_launch_reset(gpu_launch *of, smp_error *error);
/* Launches without waiting. */
smp_status gpu_launch_run(gpu_launch *of, smp_error *error);
/* The bytes of array `number` of kept->arrays into `to`, pointers as they were in the kept launch.
 */
smp_status gpu_launch_get(const gpu_launch *of, uint32_t number, uint8_t *to, smp_error *error);
