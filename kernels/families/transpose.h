/* SPDX-License-Identifier: MIT */
/*
 * Sizes shared by the kernels of `transpose` and their scripts, and the launches. Internal to
 * kernels/.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_TILE 32       /* rows and columns of a tile; a block has one */
#define SMP_TILE_WARPS 8  /* warps per block; each moves every eighth row of the tile */
#define SMP_SMALL_TILE 16 /* for one thread per element */

/* Tiles that are moved by 16 bytes per lane: rows and columns in elements, threads per block,
 * blocks per multiprocessor. */
typedef struct smp_vector_tile {
    uint32_t rows, columns, threads, blocks;
} smp_vector_tile;

/* By element size: fast ones of those tried on an H200, where 256 bytes per row and enough loads
 * in flight mattered most. Bytes in rows that end within a sector need taller tiles. */
#define SMP_VECTOR_TILE_1 \
    { 128, 256, 128, 4 }
#define SMP_VECTOR_TILE_2 \
    { 128, 128, 256, 4 }
#define SMP_VECTOR_TILE_4 \
    { 64, 64, 256, 5 }
#define SMP_VECTOR_TILE_8 \
    { 64, 32, 512, 4 }

/* The fastest variant moves elements of 4 and 8 bytes by tiles of the same size and threads, with
 * three blocks per multiprocessor: more blocks leave less memory to L1, through which the loads
 * go, and cost 1 %. For bytes its tiles are taller. */
#define SMP_ROWS_THREADS 512
#define SMP_ROWS_BLOCKS 3
#define SMP_ROWS_CARVEOUT 28 /* per cent: 64 KiB on 9.0 */
#define SMP_FASTEST_TILE_1 \
    { 256, 128, 128, 4 }

/* Vectors need rows that begin at multiples of 16 bytes on both sides. */
bool smp_transpose_takes_vectors(const smp_kernel_case *problem);

smp_launch_function smp_transpose_naive_read, smp_transpose_naive_write, smp_transpose_tiled16,
    smp_transpose_tiled32, smp_transpose_padded, smp_transpose_swizzled, smp_transpose_vector,
    smp_transpose_vector_xor, smp_transpose_vector_down, smp_transpose_fastest;

/* The functions of every transpose, also of `occupancy`, which solves the same problem. */
smp_kernel_bytes smp_transpose_bytes(const smp_kernel_case *problem);
void smp_transpose_fill(const smp_kernel_case *problem, void *in);
void smp_transpose_solve(const smp_kernel_case *problem, const void *in, void *out);
smp_status smp_transpose_verify(const smp_kernel_case *problem, const void *in, const void *out,
                                smp_error *error);
#define SMP_TRANSPOSE_PARTS                                                                 \
    .bytes = smp_transpose_bytes, .fill = smp_transpose_fill, .solve = smp_transpose_solve, \
    .verify = smp_transpose_verify

/* The tile of the family `occupancy`, and its launches. */
#define SMP_LARGE_ROWS 112
#define SMP_SMALLER_ROWS 104 /* with padding, four blocks again */
#define SMP_LARGE_COLUMNS 128
#define SMP_LARGE_WARPS 4 /* few enough that every resident block counts */
smp_launch_function smp_occupancy_plain, smp_occupancy_padded, smp_occupancy_smaller,
    smp_occupancy_swizzled;
SMP_C_END
