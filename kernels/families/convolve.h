/* SPDX-License-Identifier: MIT */
/*
 * Sizes shared by the kernels of the convolutions and their scripts, and the launches.
 * Internal to kernels/.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_CONVOLVE_RADIUS 8
#define SMP_CONVOLVE_TAPS (2 * SMP_CONVOLVE_RADIUS + 1)

/* Along rows: each lane of a warp makes SMP_CONVOLVE_EACH results of one row. */
#define SMP_CONVOLVE_EACH 8
#define SMP_CONVOLVE_WARPS 4 /* rows of a block */
#define SMP_CONVOLVE_WIDTH (32 * SMP_CONVOLVE_EACH)
#define SMP_CONVOLVE_SPAN (SMP_CONVOLVE_WIDTH + 2 * SMP_CONVOLVE_RADIUS)
#define SMP_CONVOLVE_PITCH 320 /* words per warp, with padding */

/* Along columns: a block makes a tile of results. */
#define SMP_CONVOLVE_SIDE 32   /* columns */
#define SMP_CONVOLVE_HEIGHT 64 /* rows */
#define SMP_CONVOLVE_TALL (SMP_CONVOLVE_HEIGHT + 2 * SMP_CONVOLVE_RADIUS)
#define SMP_CONVOLVE_BLOCK_WARPS 8

smp_launch_function smp_rows_launch_global, smp_rows_launch_tile, smp_rows_launch_blocked,
    smp_rows_launch_padded, smp_rows_launch_swizzled, smp_rows_launch_vector,
    smp_columns_launch_global, smp_columns_launch_tile, smp_columns_launch_down,
    smp_columns_launch_padded, smp_columns_launch_swizzled;
SMP_C_END
