/* SPDX-License-Identifier: MIT */
/*
 * The family `gemm-tile`: the accesses to the tiles of a matrix product when they are read by
 * single elements, by four elements or by operands of matrix instructions. Matrices are padded to
 * whole tiles, so all of them and their rows begin at multiples of 128 bytes.
 *
 * Elements are whole numbers from -4 to 4: their products and sums are exact in every type and
 * order, so a result is either right or wrong.
 */
#include "gemm_tile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4, SPREAD = 2 * LARGEST + 1 };
#define ROWS_MAX UINT64_C(32768)
/* Sums of products up to 16 stay below 2^24, where floats are exact. */
#define COLUMNS_MAX (UINT64_C(1) << 19)

/* ---- Scripts ---- */

static void define(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t depth,
                   uint32_t pitch) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    script->shape = (smp_kernel_shape){plan.blocks, SMP_GEMM_THREADS,
                                       2 * depth * pitch * smp_element_bytes(problem)};
    smp_script_define_type(script, problem);
    SMP_DEFINE(script, {"SIDE", plan.side}, {"DEPTH", plan.depth}, {"TILE", SMP_GEMM_TILE},
               {"TILE_DEPTH", depth}, {"PITCH", pitch}, {"THREADS", SMP_GEMM_THREADS},
               {"BLOCKS", plan.blocks});
    smp_script_add_block(script, 0, plan.blocks);
}

static void threads_script(smp_kernel_script *script, const smp_kernel_case *problem, bool fours,
                           uint32_t pitch) {
    define(script, problem, SMP_GEMM_DEPTH, pitch);
    SMP_DEFINE(script, {"FOURS", fours});
    smp_script_define_text(script, "FOUR", problem->element == SMP_HALF ? "uint2" : "float4");
    smp_script_take(script, "gemm-threads");
}

SMP_SCRIPT_ONCE(script_scalar, threads_script(script, problem, false, SMP_GEMM_TILE))
SMP_SCRIPT_ONCE(script_float4, threads_script(script, problem, true, SMP_GEMM_TILE))
SMP_SCRIPT_ONCE(script_float4_padded, threads_script(script, problem, true, SMP_GEMM_PADDED))

static void warps_script(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t pitch,
                         const char *swizzle) {
    define(script, problem, SMP_GEMM_DEEP, pitch);
    smp_script_define_text(script, "SWIZZLE(row)", swizzle);
    smp_script_take(script, "gemm-warps");
}

SMP_SCRIPT_ONCE(script_ldmatrix, warps_script(script, problem, SMP_GEMM_DEEP, "0"))
SMP_SCRIPT_ONCE(script_ldmatrix_padded, warps_script(script, problem, SMP_GEMM_PADDED_DEEP, "0"))
SMP_SCRIPT_ONCE(script_ldmatrix_swizzled,
                warps_script(script, problem, SMP_GEMM_DEEP, "row % 8 * 8"))

/* ---- The numbers ---- */

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    const uint64_t in = 2 * plan.side * plan.depth * smp_element_bytes(problem);
    const uint64_t out = plan.side * plan.side * sizeof(float);
    return (smp_kernel_bytes){.in = in, .out = out, .work = in, .moved = in + out};
}

/* Whole numbers up to LARGEST as halves. */
static const uint16_t halves[LARGEST + 1] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
#define HALF_SIGN 0x8000u

static void put(const smp_kernel_case *problem, void *matrix, uint64_t i, int value) {
    const uint16_t size = halves[value < 0 ? -value : value];
    if (problem->element == SMP_HALF)
        ((uint16_t *)matrix)[i] = (uint16_t)(size | (value < 0 ? HALF_SIGN : 0));
    else
        ((float *)matrix)[i] = (float)value;
}

static int get(const smp_kernel_case *problem, const void *matrix, uint64_t i) {
    int value = 0;
    if (problem->element != SMP_HALF)
        return (int)((const float *)matrix)[i];
    const uint16_t half = ((const uint16_t *)matrix)[i];
    while (value < LARGEST && halves[value] != (half & ~HALF_SIGN))
        value++;
    return half & HALF_SIGN ? -value : value;
}

/* Elements inside the case are digits; padding is 0. */
static void fill(const smp_kernel_case *problem, void *in) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    uint64_t state = problem->seed * 2 + 1;
    memset(in, 0, (size_t)bytes(problem).in);
    for (uint64_t i = 0; i < problem->rows; i++)
        for (uint64_t k = 0; k < problem->columns; k++) {
            const uint64_t noise = smp_noise(&state) >> 32;
            put(problem, in, i * plan.depth + k, (int)(noise % SPREAD) - LARGEST);
            put(problem, in, plan.side * plan.depth + k * plan.side + i,
                (int)(noise / SPREAD % SPREAD) - LARGEST);
        }
}

/* One row of C, exact. */
static void solve_row(const smp_kernel_case *problem, const void *in, uint64_t row, float *out) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    memset(out, 0, plan.side * sizeof *out);
    for (uint64_t k = 0; k < problem->columns && row < problem->rows; k++) {
        const int factor = get(problem, in, row * plan.depth + k);
        const uint64_t from = plan.side * plan.depth + k * plan.side;
        for (uint64_t j = 0; j < problem->rows; j++)
            out[j] += (float)(factor * get(problem, in, from + j));
    }
}

static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    const uint64_t side = smp_gemm_plan_of(problem).side;
    for (uint64_t row = 0; row < side; row++)
        solve_row(problem, in, row, (float *)out + row * side);
}

/* SMP_E_RESULT with the first wrong element of a row; SMP_OK if there is none. */
static smp_status compare_row(const smp_kernel_case *problem, const void *in, uint64_t row,
                              const float *found, smp_error *error) {
    const uint64_t side = smp_gemm_plan_of(problem).side;
    float *expected = malloc(side * sizeof *expected);
    smp_status status = SMP_OK;
    if (!expected)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory for a row");
    solve_row(problem, in, row, expected);
    for (uint64_t j = 0; j < side && status == SMP_OK; j++)
        if (!(found[j] == expected[j]))
            status = smp_error_set(error, SMP_E_RESULT, -1,
                                   "row %" PRIu64 ", column %" PRIu64 " is %.9g, the CPU has %.9g",
                                   row, j, (double)found[j], (double)expected[j]);
    free(expected);
    return status;
}

/* The row times x, modulo 2^64. False if an element is not a whole number in the range of the
 * sums. */
static bool project(const float *row, const uint64_t *x, uint64_t count, uint64_t *out) {
    *out = 0;
    for (uint64_t j = 0; j < count; j++) {
        if (!(fabsf(row[j]) <= 16777216.0f) || truncf(row[j]) != row[j])
            return false;
        *out += (uint64_t)(int64_t)row[j] * x[j];
    }
    return true;
}

/* Fills x with noise, and y with B x. */
static void project_b(const smp_kernel_case *problem, const void *in, uint64_t *x, uint64_t *y) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    uint64_t state = problem->seed * 2 + 3;
    for (uint64_t j = 0; j < plan.side; j++)
        x[j] = smp_noise(&state);
    for (uint64_t k = 0; k < plan.depth; k++) {
        const uint64_t from = plan.side * plan.depth + k * plan.side;
        y[k] = 0;
        for (uint64_t j = 0; j < plan.side; j++)
            y[k] += (uint64_t)(int64_t)get(problem, in, from + j) * x[j];
    }
}

/* Compares exactly. C x must equal A (B x) for a vector x of noise: this takes n^2 steps instead
 * of n^3 and misses a wrong row at most once in 2^60. A row that fails is computed to name the
 * element. */
static smp_status verify(const smp_kernel_case *problem, const void *in, const void *out,
                         smp_error *error) {
    const smp_gemm_plan plan = smp_gemm_plan_of(problem);
    uint64_t *x = malloc((plan.side + plan.depth) * sizeof *x);
    smp_status status = SMP_OK;
    if (!x)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory for a column");
    uint64_t *y = x + plan.side;
    project_b(problem, in, x, y);
    for (uint64_t row = 0; row < plan.side && status == SMP_OK; row++) {
        const float *found = (const float *)out + row * plan.side;
        uint64_t expected = 0, projected;
        for (uint64_t k = 0; k < plan.depth; k++)
            expected += (uint64_t)(int64_t)get(problem, in, row * plan.depth + k) * y[k];
        if (!project(found, x, plan.side, &projected) || projected != expected)
            status = compare_row(problem, in, row, found, error);
    }
    free(x);
    return status;
}

static const smp_kernel_variant variants[] = {
    {SMP_VARIANT("scalar",
                 "4 x 4 results per thread, 16 apart; operands read one element at a time",
                 script_scalar, smp_gemm_launch_scalar)},
    {SMP_VARIANT("float4", "4 x 4 results side by side; operands read four elements at a time",
                 script_float4, smp_gemm_launch_float4)},
    {SMP_VARIANT("float4-padded",
                 "the same with rows of 68 elements, for the transposed write of A",
                 script_float4_padded, smp_gemm_launch_float4_padded)},
    {SMP_VARIANT("ldmatrix", "tensor cores, operands by ldmatrix from rows of 128 bytes",
                 script_ldmatrix, smp_gemm_launch_ldmatrix),
     .elements = 1u << SMP_HALF},
    {SMP_VARIANT("ldmatrix-pad", "the same from rows of 144 bytes", script_ldmatrix_padded,
                 smp_gemm_launch_ldmatrix_padded),
     .elements = 1u << SMP_HALF},
    {SMP_VARIANT("ldmatrix-xor",
                 "the same from rows of 128 bytes, pieces of 16 exclusive-ored with the row",
                 script_ldmatrix_swizzled, smp_gemm_launch_ldmatrix_swizzled),
     .elements = 1u << SMP_HALF},
    SMP_GEMM_RACES};

static const smp_kernel_claim claims[] = {
    {"scalar", "float4", "reading four elements at a time"},
    {"float4", "float4-padded", "four elements of padding a row"},
    {"ldmatrix", "ldmatrix-pad", "16 bytes of padding a row"},
    {"ldmatrix-pad", "ldmatrix-xor", "a swizzle instead of padding"},
    SMP_GEMM_RACE_CLAIMS};

const smp_kernel_family smp_gemm_tile_family = {
    .name = "gemm-tile",
    .summary = "matrix product A B, A of ROWSxCOLUMNS and B of COLUMNSxROWS, by tiles",
    .elements = 1u << SMP_HALF | 1u << SMP_FLOAT,
    .standard = {.element = SMP_HALF, .rows = 2048, .columns = 2048, .seed = 1},
    .is_matrix = true,
    .most_rows = ROWS_MAX,
    .most_columns = COLUMNS_MAX,
    .baseline_name = "cuBLAS",
    .baseline = SMP_BASELINE(smp_gemm_launch_cublas),
    SMP_FAMILY_PARTS,
};
