/* SPDX-License-Identifier: MIT */
/*
 * transpose.h: the sizes that the variants of `transpose` and what is said of them share, and their
 * launches. Internal to kernels/.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_TILE 32       /* rows and columns of a tile, one a block */
#define SMP_TILE_WARPS 8  /* warps of a block; each moves every eighth row of the tile */
#define SMP_SMALL_TILE 16 /* with one thread an element */

/* Tiles that are moved by 16 bytes a lane: rows and columns in elements, threads of a block, blocks
 * of a multiprocessor. */
typedef struct smp_vector_tile {
    uint32_t rows, columns, threads, blocks;
} smp_vector_tile;

/* By bytes of an element: quick ones of those that were tried on an H200, where 256 bytes of a row,
 * and enough loads under way, counted most. Bytes in rows that end within a sector want taller
 * tiles. */
#define SMP_VECTOR_TILE_1 \
    { 128, 256, 128, 4 }
#define SMP_VECTOR_TILE_2 \
    { 128, 128, 256, 4 }
#define SMP_VECTOR_TILE_4 \
    { 64, 64, 256, 5 }
#define SMP_VECTOR_TILE_8 \
    { 64, 32, 512, 4 }

/* The quickest moves elements of 4 and 8 bytes by tiles as large, by as many threads, three blocks
 * a multiprocessor: more of them, with less of its memory left to the L1, through which the loads
 * go, cost 1 %. Of bytes its tiles are taller. */
#define SMP_ROWS_THREADS 512
#define SMP_ROWS_BLOCKS 3
#define SMP_ROWS_CARVEOUT 28 /* of a hundred: 64 KiB on 9.0 */
#define SMP_FASTEST_TILE_1 \
    { 256, 128, 128, 4 }

/* Vectors need rows that begin at multiples of 16 bytes on both sides. */
bool smp_transpose_takes_vectors(const smp_kernel_case *problem);

smp_launch_function smp_transpose_naive_read, smp_transpose_naive_write, smp_transpose_tiled16,
    smp_transpose_tiled32, smp_transpose_padded, smp_transpose_swizzled, smp_transpose_vector,
    smp_transpose_vector_xor, smp_transpose_vector_down, smp_transpose_fastest;

/* What a transpose by any kernel has: `occupancy` solves the same problem. */
smp_status smp_transpose_check(const smp_kernel_case *problem, smp_error *error);
smp_kernel_bytes smp_transpose_bytes(const smp_kernel_case *problem);
void smp_transpose_fill(const smp_kernel_case *problem, void *in);
void smp_transpose_solve(const smp_kernel_case *problem, const void *in, void *out);
smp_status smp_transpose_verify(const smp_kernel_case *problem, const void *in, const void *out,
                                smp_error *error);
#define SMP_TRANSPOSE_PARTS                                                                 \
    .check = smp_transpose_check, .bytes = smp_transpose_bytes, .fill = smp_transpose_fill, \
    .solve = smp_transpose_solve, .verify = smp_transpose_verify

/* The tile of the family `occupancy`, and its launches. */
#define SMP_LARGE_ROWS 112
#define SMP_SMALLER_ROWS 104 /* with padding, four blocks again */
#define SMP_LARGE_COLUMNS 128
#define SMP_LARGE_WARPS 4 /* so few that each block at once counts */
smp_launch_function smp_occupancy_plain, smp_occupancy_padded, smp_occupancy_smaller,
    smp_occupancy_swizzled;
SMP_C_END
