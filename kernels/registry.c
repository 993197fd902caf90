/* SPDX-License-Identifier: MIT */
/*
 * registry.c: every variant of every kernel family, in display order.
 */
#include "smp_kernels.h"
#include "transpose.h"

static const smp_kernel_variant rows[] = {
    {
        .family = "transpose",
        .name = "naive",
        .summary = "global memory only: coalesced reads, scattered writes",
        .shared_bytes_per_block = 0,
        .threads_per_block = SMP_TILE * SMP_TILE_WARPS,
        .trace = smp_transpose_trace_naive,
        .launch = smp_transpose_launch_naive,
        .reference = smp_transpose_reference,
    },
    {
        .family = "transpose",
        .name = "tiled",
        .summary = "through a 32 x 32 tile in shared memory",
        .shared_bytes_per_block = SMP_TILE * SMP_TILE * sizeof(float),
        .threads_per_block = SMP_TILE * SMP_TILE_WARPS,
        .trace = smp_transpose_trace_tiled,
        .launch = smp_transpose_launch_tiled,
        .reference = smp_transpose_reference,
    },
    {
        .family = "transpose",
        .name = "padded",
        .summary = "through a 32 x 33 tile, whose columns are free of bank conflicts",
        .shared_bytes_per_block = SMP_TILE * (SMP_TILE + 1) * sizeof(float),
        .threads_per_block = SMP_TILE * SMP_TILE_WARPS,
        .trace = smp_transpose_trace_padded,
        .launch = smp_transpose_launch_padded,
        .reference = smp_transpose_reference,
    },
};

const smp_kernel_variant *smp_kernel_variants(size_t *count) {
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
