/* SPDX-License-Identifier: MIT */
/* What the host and the generic access kernels agree on. Internal to kernels/. */
#pragma once

#include "smp_model.h"

SMP_C_BEGIN

/* The number of accesses that fit in 4 KB of kernel parameters, which every architecture accepts.
 */
#define SMP_ACCESS_BATCH 8
#define SMP_CLOCK_WARPS 8

typedef struct smp_access_args {
    uint32_t count; /* accesses; for the clock kernel: repetitions */
    uint32_t dry;
    uint32_t *sink; /* NULL: results are dropped */
    uint32_t mask[SMP_ACCESS_BATCH];
    uint32_t offset[SMP_ACCESS_BATCH][SMP_LANES];
    uint64_t address[SMP_ACCESS_BATCH][SMP_LANES];
} smp_access_args;

/* One machine instruction that can be run. `id` is an smp_op or a number chosen by the caller. */
typedef struct smp_access_row {
    int id;
    uint32_t width_bytes;
    uint8_t first_cc;
    bool cluster;
    const void *access_kernel, *clock_kernel;
} smp_access_row;

/* Runs accesses through the kernels of `row`; otherwise like smp_access_launch. */
smp_status smp_access_run(const smp_access_row *row, const smp_access *accesses, size_t count,
                          bool dry, void *scratch, smp_error *error);
/* Like smp_access_clock, for the kernels of `row`. */
smp_status smp_access_run_clock(const smp_access_row *row, const smp_access *access, void *scratch,
                                double *cycles, smp_error *error);

SMP_C_END
