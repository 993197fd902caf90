/* SPDX-License-Identifier: MIT */
/*
 * A recorded launch on a GPU. Its arrays get their old addresses if the driver grants them;
 * otherwise words of parameters and memory that point into them are adjusted.
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
    uint64_t first, end; /* recorded addresses of the arrays */
    uint64_t moved;      /* distance from the recorded address to the present one */
    gpu_piece *pieces;   /* separately mapped parts of memory */
    uint32_t piece_count;
    uint8_t *parameters;
    uint32_t copies; /* copies of the grid along z; 1 unless the caller sets it */
} gpu_launch;

/* Loads the code and the arrays. `kept` remains the caller's and must outlive *out, which the
 * caller clears in any case. SMP_E_CUDA gives the step that the driver refused. */
smp_status gpu_launch_make(gpu_driver *driver, const smp_kept_launch *kept, gpu_launch *out,
                           smp_error *error);
void gpu_launch_clear(gpu_launch *of);

/* The kernel's demangled name, for messages. */
const char *gpu_launch_name(const gpu_launch *of);
/* Restores arrays and variables to what they were before the launch. */
smp_status gpu_launch_reset(gpu_launch *of, smp_error *error);
/* Starts the kernel without waiting for it. */
smp_status gpu_launch_run(gpu_launch *of, smp_error *error);
/* Copies array `number` of kept->arrays to `to`, with pointers as in the recorded launch. */
smp_status gpu_launch_get(const gpu_launch *of, uint32_t number, uint8_t *to, smp_error *error);

/* ---- Two versions of one launch, compared and timed alternately: gpu_turns.c ---- */

typedef struct gpu_turns {
    const char
        *grouped; /* set by the caller: struct members that the second version keeps in groups */
    double before_us, after_us; /* median time of one launch */
    bool is_equal;    /* both leave the same bytes, or the first one varies from run to run */
    smp_error failed; /* error of `after` alone, SMP_OK if it ran. After an error is_equal is false
                         and the GPU must not be used any more */
    uint32_t rounds;
} gpu_turns;

/* Both launches must have been made, with `copies` set for timing. */
smp_status gpu_turns_take(gpu_launch *before, gpu_launch *after, gpu_turns *out, smp_error *error);
