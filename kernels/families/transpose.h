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

/* The quickest moves elements of 4 and 8 bytes by tiles as large, by as many threads, three blocks
 * a multiprocessor: more of them, with less of its memory left to the L1, through which the loads
 * go, cost 1 %. Of bytes its tiles are taller. */
#define SMP_ROWS_THREADS 512
#define SMP_ROWS_BLOCKS 3
#define SMP_ROWS_CARVEOUT 28 /* of a hundred: 64 KiB on 9.0 */
#define SMP_FASTEST_TILE_1 \
    { 256, 128, 128, 4 }

/* Elements of 4 and 8 bytes whose rows begin anywhere: tiles as a smp_vector_tile, and for how many
 * half multiprocessors ahead the L2 is asked to fetch; quick ones on an H200. A tile is 256 bytes
 * wide. Its rows are kept as they lie in memory, in the 17 pieces of 16 bytes that they may touch,
 * and behind as many rows as a piece has elements there is a piece of space. Each row of the output
 * is written from sector to sector, for which a tile has up to a sector less one of rows above. */
#define SMP_ANY_TILE_4 \
    { 96, 64, 256, 5 }
#define SMP_ANY_TILE_8 \
    { 64, 32, 256, 6 }
#define SMP_ANY_HALVES_AHEAD(bytes) ((bytes) == 8 ? 4 : 3)
#define SMP_ANY_PIECES 17
#define SMP_ANY_ABOVE(bytes) (32 / (bytes)-1)

/* Elements of 1 and 2 bytes whose rows begin anywhere: walks down strips of columns. Bytes of a
 * strip's rows, threads of a block, blocks of a multiprocessor, steps of a walk, and steps that
 * copies are ahead of writes; quick ones on an H200. A warp writes a step of one column, by words.
 */
typedef struct smp_strip_tile {
    uint32_t bytes, threads, blocks, steps, ahead;
} smp_strip_tile;

#define SMP_STRIP_TILE_1 \
    { 256, 512, 2, 2, 1 }
#define SMP_STRIP_TILE_2 \
    { 384, 512, 2, 2, 2 }
#define SMP_STRIP_STEP(bytes) (128 / (bytes))
/* Of 16 bytes, in the sectors that a row of so many bytes may touch. */
#define SMP_STRIP_PIECES(bytes) ((bytes) / 16 + 2)
/* Rows that shared memory holds: a sector of rows above, the steps ahead and the one that is
 * written, so many that a sector of the ring begins where the ring does. */
#define SMP_STRIP_RING(bytes, ahead) \
    ((32 / (bytes) + ((ahead) + 1) * SMP_STRIP_STEP(bytes) + 31) / 32 * 32)

/* Blocks are numbered down the strips. Lane l takes the rows of a word from row
 * l / turn_lanes * turn_rows of it on, so that lanes which would meet on a bank do not. */
typedef struct smp_strip_plan {
    uint32_t strips, walks; /* a strip has as many walks */
    uint32_t pitch;         /* bytes from row to row of the ring */
    uint32_t turn_lanes, turn_rows;
    uint32_t shared_bytes;
} smp_strip_plan;

smp_strip_tile smp_strip_tile_of(const smp_kernel_case *problem);
smp_strip_plan smp_strip_plan_of(const smp_kernel_case *problem);

/* Of matrices whose rows begin anywhere. */
void smp_transpose_script_anywhere(const smp_kernel_case *problem, smp_kernel_script *script);
smp_kernel_shape smp_transpose_shape_anywhere(const smp_kernel_case *problem);

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
/* `streams`: the output gives way in the L2. */
smp_status smp_transpose_strips(const smp_kernel_launch *launch, bool streams, smp_error *error);

#ifdef __cplusplus
}
#endif
#endif
