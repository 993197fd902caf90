/* SPDX-License-Identifier: MIT */
/*
 * The accesses of the products in gemm_wgmma.cu. The tensor cores read the tiles
 * themselves, free of conflicts in any layout (model/FINDINGS.md, 10); the layouts differ in what
 * writing them costs.
 */
#include "gemm_tile.h"

#include <inttypes.h>

enum { TILE = SMP_WGMMA_TILE, ACROSS = SMP_GEMM_DEEP / 8, WARPGROUP = 4 * SMP_LANES };

static uint64_t blocks_of(const smp_kernel_case *problem, uint32_t columns) {
    const uint64_t side = smp_gemm_plan_of(problem).side;
    return smp_divide_up(side, TILE) * smp_divide_up(side, columns);
}

smp_kernel_shape smp_gemm_shape_wgmma(const smp_kernel_case *problem) {
    return (smp_kernel_shape){.blocks = blocks_of(problem, TILE),
                              .threads = SMP_GEMM_THREADS,
                              .shared_bytes = 2 * SMP_WGMMA_BYTES(0)};
}

smp_kernel_shape smp_gemm_shape_wgmma_padded(const smp_kernel_case *problem) {
    smp_kernel_shape shape = smp_gemm_shape_wgmma(problem);
    shape.shared_bytes = 2 * SMP_WGMMA_BYTES(SMP_WGMMA_PAD);
    return shape;
}

smp_kernel_shape smp_gemm_shape_wgmma_tma(const smp_kernel_case *problem) {
    return (smp_kernel_shape){.blocks = blocks_of(problem, SMP_WGMMA_WIDE),
                              .threads = SMP_WGMMA_THREADS,
                              .shared_bytes = SMP_WGMMA_TMA_BYTES};
}

/* `threads` threads hold C; a block computes TILE rows and `columns` columns of it. */
static void begin(const smp_kernel_case *problem, smp_kernel_shape shape, uint32_t columns,
                  smp_kernel_script *script) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    smp_script_add(script,
                   "#define SIDE %" PRIu64 "\n#define DEPTH %" PRIu64 "\n#define COLUMNS %" PRIu32
                   "\n#define ACROSS %" PRIu64
                   "\nglobal half a[SIDE][DEPTH]\nglobal half b[DEPTH][SIDE]\n"
                   "global float c[SIDE][SIDE]\nblock %" PRIu32 "\ngrid %" PRIu64 "\n",
                   plan.side, plan.depth, columns, smp_divide_up(plan.side, columns), shape.threads,
                   shape.blocks);
    smp_script_add(script,
                   "let t = threadIdx.x\nlet row0 = blockIdx.x / ACROSS * %d\n"
                   "let column0 = blockIdx.x %% ACROSS * COLUMNS\n",
                   TILE);
    smp_script_add_tiles(script, smp_divide_up(plan.side, TILE), smp_divide_up(plan.side, columns),
                         1);
}

/* Two warpgroups, one above the other. */
static void end(smp_kernel_script *script) {
    smp_script_add(script,
                   "for (int i = 0; i < COLUMNS / 4; i += 1) {\n"
                   "let c_row = row0 + warpid * 16 + laneid / 4 + i %% 2 * 8\n"
                   "let c_column = column0 + i / 2 * 8 + laneid %% 4 * 2\n"
                   "if (t < %d && c_row < SIDE && c_column < SIDE) "
                   "st *(float2 *)&c[c_row][c_column]   # global write\n}\n",
                   2 * WARPGROUP);
}

/* `a_place` and `b_place` count pieces of 16 bytes. */
static bool script_threads(const smp_kernel_case *problem, uint32_t index, uint32_t pad,
                           const char *a_place, const char *b_place, smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin(problem, smp_gemm_shape_wgmma(problem), TILE, script);
    smp_script_add(
        script,
        "#define A_PITCH %" PRIu32 "\n#define B_PITCH %" PRIu32
        "\nshared uint4 as[%d]\nshared uint4 bs[%d]\n"
        "for (int k = 0; k < DEPTH; k += %d) {\nfor (int i = 0; i < %d; i += %d) {\n"
        "let row = (t + i) / %d\nlet at = (t + i) %% %d\n"
        "if (row0 + row < SIDE) ld *(uint4 *)&a[row0 + row][k + at * 8]   # global read\n"
        "st as[%s]   # write of A\n",
        TILE + pad / 16, SMP_GEMM_DEEP + pad / 16, SMP_WGMMA_BYTES(SMP_WGMMA_PAD) / 32,
        SMP_WGMMA_BYTES(SMP_WGMMA_PAD) / 32, SMP_GEMM_DEEP, TILE * ACROSS, SMP_GEMM_THREADS, ACROSS,
        ACROSS, a_place);
    smp_script_add(script,
                   "let b_row = (t + i) / %d\nlet b_at = (t + i) %% %d\n"
                   "if (column0 + b_at * 8 < SIDE) "
                   "ld *(uint4 *)&b[k + b_row][column0 + b_at * 8]   # global read\n"
                   "st bs[%s]   # write of B\n}\n}\n",
                   TILE / 8, TILE / 8, b_place);
    end(script);
    return true;
}

#define CORES "at * A_PITCH + row", "b_at * B_PITCH + b_row"

bool smp_gemm_script_wgmma(const smp_kernel_case *problem, uint32_t index,
                           smp_kernel_script *script) {
    return script_threads(problem, index, 0, CORES, script);
}

bool smp_gemm_script_wgmma_padded(const smp_kernel_case *problem, uint32_t index,
                                  smp_kernel_script *script) {
    return script_threads(problem, index, SMP_WGMMA_PAD, CORES, script);
}

bool smp_gemm_script_wgmma_swizzled(const smp_kernel_case *problem, uint32_t index,
                                    smp_kernel_script *script) {
    return script_threads(problem, index, 0, "row * 8 + (at ^ row % 8)",
                          "(b_at / 8 * 64 + b_row) * 8 + (b_at % 8 ^ b_row % 8)", script);
}

/* The counters of loads and stores do not see what the copy engine moves. */
bool smp_gemm_script_wgmma_tma(const smp_kernel_case *problem, uint32_t index,
                               smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin(problem, smp_gemm_shape_wgmma_tma(problem), SMP_WGMMA_WIDE, script);
    end(script);
    return true;
}
