/* SPDX-License-Identifier: MIT */
/*
 * transpose.h: the sizes that the variants of `transpose` and what is said of them share, and their
 * launches. Internal to kernels/.
 */
#ifndef SMP_TRANSPOSE_H
#define SMP_TRANSPOSE_H

#include "families.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Tiles of matrices whose rows begin anywhere, as a smp_vector_tile and for how many half
 * multiprocessors ahead the L2 is asked to fetch; quick ones on an H200. A tile is 256 bytes wide.
 * Its rows are kept as they lie in memory, in the 17 pieces of 16 bytes that they may touch, and
 * behind as many rows as a piece has elements there is a piece of space. Each row of the output is
 * written from sector to sector, for which a tile has up to a sector less one of rows above. */
#define SMP_ANY_TILE_1 \
    { 128, 256, 512, 3 }
#define SMP_ANY_TILE_2 \
    { 128, 128, 256, 5 }
#define SMP_ANY_TILE_4 \
    { 96, 64, 256, 5 }
#define SMP_ANY_TILE_8 \
    { 64, 32, 256, 6 }
#define SMP_ANY_HALVES_AHEAD(bytes) ((bytes) == 1 ? 0 : (bytes) == 8 ? 4 : 3)
#define SMP_ANY_PIECES 17
#define SMP_ANY_ABOVE(bytes) (32 / (bytes)-1)

smp_status smp_transpose_naive_read(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_naive_write(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_tiled16(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_tiled32(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_padded(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_swizzled(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_vector(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_vector_xor(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_vector_down(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_fastest(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_transpose_anywhere(const smp_kernel_launch *launch, smp_error *error);

#ifdef __cplusplus
}
#endif
#endif
