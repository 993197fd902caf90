/* SPDX-License-Identifier: MIT */
/*
 * Shapes of the tiled matrix products, shared by their rows (gemm_tile.c) and their kernels
 * (gemm_tile.cu). Internal to kernels/.
 *
 * C = A B, where A has the case's rows and columns, B its columns and rows, and C, always of
 * floats, is square. Matrices are stored with zeros up to whole tiles, B behind A.
 */
#pragma once

#include "families.h"

SMP_C_BEGIN

#define SMP_GEMM_TILE 64     /* rows and columns of C per block; sides are padded to it */
#define SMP_GEMM_THREADS 256 /* threads per block */
#define SMP_GEMM_DEPTH 16    /* columns of A per step, where threads multiply */
#define SMP_GEMM_DEEP 64     /* the same for matrix instructions */
#define SMP_GEMM_PADDED 68   /* elements per padded row of the tile, where threads multiply */
#define SMP_GEMM_PADDED_DEEP 72

typedef struct smp_gemm_plan {
    uint64_t side, depth; /* padded rows and columns of A, in elements */
    uint64_t blocks;
} smp_gemm_plan;

static inline smp_gemm_plan smp_gemm_plan_of(const smp_kernel_case *problem) {
    smp_gemm_plan plan;
    plan.side = smp_divide_up(problem->rows, SMP_GEMM_TILE) * SMP_GEMM_TILE;
    plan.depth = smp_divide_up(problem->columns, SMP_GEMM_TILE) * SMP_GEMM_TILE;
    plan.blocks = plan.side / SMP_GEMM_TILE * (plan.side / SMP_GEMM_TILE);
    return plan;
}

smp_launch_function smp_gemm_launch_scalar, smp_gemm_launch_float4, smp_gemm_launch_float4_padded,
    smp_gemm_launch_ldmatrix, smp_gemm_launch_ldmatrix_padded, smp_gemm_launch_ldmatrix_swizzled;
SMP_C_END
