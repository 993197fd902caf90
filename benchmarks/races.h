/* SPDX-License-Identifier: MIT */
/*
 * Vendor libraries, and variants of the kernel families that race them or a copy: matrix
 * products by wgmma, prefix sums in one pass, transposes whose rows begin anywhere. It has their
 * rows, the sizes that rows and kernels share, and their functions. Built with SMP_BENCHMARKS.
 */
#pragma once

#include "smp_kernels.h"

SMP_C_BEGIN

/* ---- Libraries, the baselines of four families: cub.cu, gemm_cublas.c ---- */

smp_status smp_reduce_launch_cub(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_scan_launch_cub(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_histogram_launch_cub(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_gemm_launch_cublas(const smp_kernel_launch *launch, smp_error *error);

/* ---- gemm-tile: gemm_wgmma.c, gemm_wgmma.cu ---- */

/* The tensor cores read shared memory themselves: rows and columns of C per block, bytes between
 * columns of core matrices, bytes of a tile of A and of one of B. */
#define SMP_WGMMA_TILE 128
#define SMP_WGMMA_PAD 16
#define SMP_WGMMA_BYTES(pad) (2 * (SMP_GEMM_DEEP * SMP_WGMMA_TILE * 2 + 16 * (pad)))
/* The copy engine writes it: columns of C per block, tiles in flight, threads. */
#define SMP_WGMMA_WIDE 256
#define SMP_WGMMA_STAGES 4
#define SMP_WGMMA_THREADS 384
#define SMP_WGMMA_STAGE (SMP_GEMM_DEEP * (SMP_WGMMA_TILE + SMP_WGMMA_WIDE) * 2)
#define SMP_WGMMA_TMA_BYTES (SMP_WGMMA_STAGES * (SMP_WGMMA_STAGE + 2 * 8))

smp_kernel_shape smp_gemm_shape_wgmma(const smp_kernel_case *problem);
smp_kernel_shape smp_gemm_shape_wgmma_padded(const smp_kernel_case *problem);
smp_kernel_shape smp_gemm_shape_wgmma_tma(const smp_kernel_case *problem);
bool smp_gemm_script_wgmma(const smp_kernel_case *problem, uint32_t index,
                           smp_kernel_script *script);
bool smp_gemm_script_wgmma_padded(const smp_kernel_case *problem, uint32_t index,
                                  smp_kernel_script *script);
bool smp_gemm_script_wgmma_swizzled(const smp_kernel_case *problem, uint32_t index,
                                    smp_kernel_script *script);
bool smp_gemm_script_wgmma_tma(const smp_kernel_case *problem, uint32_t index,
                               smp_kernel_script *script);
smp_status smp_gemm_launch_wgmma(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_gemm_launch_wgmma_padded(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_gemm_launch_wgmma_swizzled(const smp_kernel_launch *launch, smp_error *error);
smp_status smp_gemm_launch_wgmma_tma(const smp_kernel_launch *launch, smp_error *error);

/* clang-format off */
#define SMP_GEMM_RACES \
    { \
        .name = "wgmma", \
        .summary = "operands read by the tensor cores; threads write core matrices of 128 bytes", \
        .elements = 1u << SMP_HALF, \
        .needs = SMP_NEEDS_WGMMA, \
        .shape = smp_gemm_shape_wgmma, \
        .script = smp_gemm_script_wgmma, \
        .launch = SMP_LAUNCH(smp_gemm_launch_wgmma), \
    }, \
    { \
        .name = "wgmma-pad", \
        .summary = "the same with 16 bytes between columns of core matrices", \
        .elements = 1u << SMP_HALF, \
        .needs = SMP_NEEDS_WGMMA, \
        .shape = smp_gemm_shape_wgmma_padded, \
        .script = smp_gemm_script_wgmma_padded, \
        .launch = SMP_LAUNCH(smp_gemm_launch_wgmma_padded), \
    }, \
    { \
        .name = "wgmma-xor", \
        .summary = "the same from rows of 128 bytes, swizzled", \
        .elements = 1u << SMP_HALF, \
        .needs = SMP_NEEDS_WGMMA, \
        .shape = smp_gemm_shape_wgmma, \
        .script = smp_gemm_script_wgmma_swizzled, \
        .launch = SMP_LAUNCH(smp_gemm_launch_wgmma_swizzled), \
    }, \
    { \
        .name = "wgmma-tma", \
        .summary = "the copy engine writes the tiles, four ahead of 128 x 256 results a block", \
        .elements = 1u << SMP_HALF, \
        .needs = SMP_NEEDS_WGMMA, \
        .shape = smp_gemm_shape_wgmma_tma, \
        .script = smp_gemm_script_wgmma_tma, \
        .launch = SMP_LAUNCH(smp_gemm_launch_wgmma_tma), \
    },
#define SMP_GEMM_RACE_CLAIMS \
    {"wgmma", "wgmma-pad", "16 bytes of padding a column of core matrices"}, \
    {"wgmma-pad", "wgmma-xor", "a swizzle instead of padding"}, \
    {"wgmma-xor", "wgmma-tma", "the copy engine instead of threads"},
/* clang-format on */

/* ---- scan: scan_look_back.c, scan_look_back.cu ---- */

/* In one pass: threads per block, vectors of four elements per thread, elements per block; fast
 * ones on an H200. */
#define SMP_LOOK_BACK_THREADS 128
#define SMP_LOOK_BACK_VECTORS 16
#define SMP_LOOK_BACK_TILE (SMP_LOOK_BACK_THREADS * SMP_LOOK_BACK_VECTORS * 4)

smp_kernel_shape smp_scan_shape_look_back(const smp_kernel_case *problem);
bool smp_scan_script_look_back(const smp_kernel_case *problem, uint32_t index,
                               smp_kernel_script *script);
const char *smp_scan_waits(const smp_kernel_case *problem);
smp_status smp_scan_launch_look_back(const smp_kernel_launch *launch, smp_error *error);

/* clang-format off */
#define SMP_SCAN_RACES \
    { \
        .name = "look-back", \
        .summary = "one pass: tiles in registers, and a look at what blocks before have summed", \
        .shape = smp_scan_shape_look_back, \
        .script = smp_scan_script_look_back, \
        .not_predicted = smp_scan_waits, \
        .launch = SMP_LAUNCH(smp_scan_launch_look_back), \
    },
#define SMP_SCAN_RACE_CLAIMS \
    {"offset-32", "look-back", "one pass over memory instead of two and more"},
/* clang-format on */

/* ---- transpose: transpose_anywhere.c, transpose_sectors.cu, transpose_strips.cu ---- */

/* Elements of 4 and 8 bytes whose rows begin anywhere: tiles as a smp_vector_tile, and how many
 * half multiprocessors ahead to prefetch into L2; fast ones on an H200. A tile is 256 bytes wide.
 * Its rows are kept as they lie in memory, in the 17 pieces of 16 bytes that they may touch; after
 * as many rows as a piece has elements there is a piece of padding. Each row of the output is
 * written from sector to sector, so a tile also has the rows above it, up to a sector less one. */
#define SMP_ANY_TILE_4 \
    { 96, 64, 256, 5 }
#define SMP_ANY_TILE_8 \
    { 64, 32, 256, 6 }
#define SMP_ANY_HALVES_AHEAD(bytes) ((bytes) == 8 ? 4 : 3)
#define SMP_ANY_PIECES 17
#define SMP_ANY_ABOVE(bytes) (32 / (bytes)-1)

/* Elements of 1 and 2 bytes whose rows begin anywhere: walks down strips of columns. Bytes per row
 * of a strip, threads per block, blocks per multiprocessor, steps of a walk, and steps by which
 * copies are ahead of writes; fast ones on an H200. A warp writes a step of one column, by words.
 */
typedef struct smp_strip_tile {
    uint32_t bytes, threads, blocks, steps, ahead;
} smp_strip_tile;

#define SMP_STRIP_TILE_1 \
    { 256, 512, 2, 2, 1 }
#define SMP_STRIP_TILE_2 \
    { 384, 512, 2, 2, 2 }
#define SMP_STRIP_STEP(bytes) (128 / (bytes))
/* Pieces of 16 bytes in the sectors that a row of this many bytes may touch. */
#define SMP_STRIP_PIECES(bytes) ((bytes) / 16 + 2)
/* Rows in shared memory: a sector of rows above, the steps ahead and the one that is written,
 * rounded up so that a sector begins where the ring begins. */
#define SMP_STRIP_RING(bytes, ahead) \
    ((32 / (bytes) + ((ahead) + 1) * SMP_STRIP_STEP(bytes) + 31) / 32 * 32)

/* Blocks are numbered down the strips. Lane l begins with row l / turn_lanes * turn_rows of a
 * word, so that lanes which would share a bank do not. */
typedef struct smp_strip_plan {
    uint32_t strips, walks; /* walks per strip */
    uint32_t pitch;         /* bytes between rows of the ring */
    uint32_t turn_lanes, turn_rows;
    uint32_t shared_bytes;
} smp_strip_plan;

smp_strip_tile smp_strip_tile_of(const smp_kernel_case *problem);
smp_strip_plan smp_strip_plan_of(const smp_kernel_case *problem);

smp_kernel_shape smp_transpose_shape_anywhere(const smp_kernel_case *problem);
bool smp_transpose_script_anywhere(const smp_kernel_case *problem, uint32_t index,
                                   smp_kernel_script *script);
/* Returns why the counter of loads exceeds the prediction, or NULL. */
const char *smp_transpose_contended(const smp_kernel_case *problem);
smp_status smp_transpose_anywhere(const smp_kernel_launch *launch, smp_error *error);
/* `streams`: the output is evicted first from L2. */
smp_status smp_transpose_strips(const smp_kernel_launch *launch, bool streams, smp_error *error);

/* clang-format off */
#define SMP_TRANSPOSE_RACES \
    { \
        .name = "anywhere", \
        .summary = "the same; rows that begin anywhere are copied as they lie (cp.async) and " \
                   "written in whole sectors", \
        .needs = SMP_NEEDS_ASYNC_COPIES, \
        .shape = smp_transpose_shape_anywhere, \
        .script = smp_transpose_script_anywhere, \
        .not_predicted = smp_transpose_contended, \
        .launch = SMP_LAUNCH(smp_transpose_anywhere), \
    },
/* clang-format on */

SMP_C_END
