/* SPDX-License-Identifier: MIT */
/*
 * The families `convolve-rows` and `convolve-columns`: a matrix convolved with 17 weights, 1 to 9
 * and back to 1, along its rows or its columns; elements outside it are 0. Elements are whole
 * numbers below 256, so every sum is exact in any order. Matrices begin at a multiple of 128 bytes.
 *
 * The families show that eight results per lane read three words per result instead of 17, but
 * lanes are then eight words apart, and lanes in a column of a tile are a whole row apart.
 */
#include "convolve.h"

#include <string.h>

enum { LINE_WORDS = 32 };

/* ---- Scripts ---- */

/* How a variant reads its inputs, numbered as in the scripts. */
enum { GLOBAL, BESIDE, BLOCKED, DOWN = BLOCKED };

static void define(smp_kernel_script *script, const smp_kernel_case *problem, uint64_t reads,
                   uint32_t warps, uint64_t down, uint64_t across, uint32_t shared_words) {
    script->shape =
        (smp_kernel_shape){down * across, SMP_LANES * warps,
                           reads == GLOBAL ? 0 : shared_words * (uint32_t)sizeof(float)};
    SMP_DEFINE(script, {"READS", reads}, {"ROWS", problem->rows}, {"COLUMNS", problem->columns},
               {"WARPS", warps}, {"ACROSS", across}, {"BLOCKS", down * across},
               {"RADIUS", SMP_CONVOLVE_RADIUS}, {"TAPS", SMP_CONVOLVE_TAPS},
               {"EACH", SMP_CONVOLVE_EACH});
}

/* `place` is the index of element i in the tile; lanes read one element or four. */
static void rows_script(smp_kernel_script *script, const smp_kernel_case *problem, uint64_t reads,
                        const char *place, bool by_four) {
    const uint64_t down = smp_divide_up(problem->rows, SMP_CONVOLVE_WARPS);
    const uint64_t across = smp_divide_up(problem->columns, SMP_CONVOLVE_WIDTH);
    define(script, problem, reads, SMP_CONVOLVE_WARPS, down, across,
           SMP_CONVOLVE_WARPS * SMP_CONVOLVE_PITCH);
    SMP_DEFINE(script, {"WIDTH", SMP_CONVOLVE_WIDTH}, {"SPAN", SMP_CONVOLVE_SPAN},
               {"PITCH", SMP_CONVOLVE_PITCH}, {"STEP", by_four ? 4 : 1});
    smp_script_define_text(script, "PLACE(i)", place);
    smp_script_define_text(script, "TAKE(element)", by_four ? "*(float4 *)&element" : "element");
    smp_script_take(script, "convolve-rows");
    smp_script_add_edges(script, down, LINE_WORDS / SMP_CONVOLVE_WARPS, across);
}

SMP_SCRIPT_ONCE(script_rows_global, rows_script(script, problem, GLOBAL, "i", false))
SMP_SCRIPT_ONCE(script_rows_tile, rows_script(script, problem, BESIDE, "i", false))
SMP_SCRIPT_ONCE(script_rows_blocked, rows_script(script, problem, BLOCKED, "i", false))
SMP_SCRIPT_ONCE(script_rows_padded, rows_script(script, problem, BLOCKED, "(i + i / EACH)", false))
SMP_SCRIPT_ONCE(script_rows_swizzled,
                rows_script(script, problem, BLOCKED, "(i ^ i / 32 % EACH)", false))
SMP_SCRIPT_ONCE(script_rows_vector,
                rows_script(script, problem, BLOCKED, "(i ^ i / 32 % 2 * 4)", true))

/* `place` is the column of element (y, x) in a tile whose rows have `pitch` elements. */
static void columns_script(smp_kernel_script *script, const smp_kernel_case *problem,
                           uint64_t reads, uint32_t pitch, const char *place) {
    const uint64_t down = smp_divide_up(problem->rows, SMP_CONVOLVE_HEIGHT);
    const uint64_t across = smp_divide_up(problem->columns, SMP_CONVOLVE_SIDE);
    const uint32_t tall = SMP_CONVOLVE_TALL + (reads == DOWN ? SMP_CONVOLVE_HEIGHT : 0);
    define(script, problem, reads, SMP_CONVOLVE_BLOCK_WARPS, down, across, tall * pitch);
    SMP_DEFINE(script, {"HEIGHT", SMP_CONVOLVE_HEIGHT}, {"TALL", SMP_CONVOLVE_TALL},
               {"SIDE", SMP_CONVOLVE_SIDE}, {"PITCH", pitch});
    smp_script_define_text(script, "PLACE(y, x)", place);
    smp_script_take(script, "convolve-columns");
    smp_script_add_edges(script, down, 1, across);
}

SMP_SCRIPT_ONCE(script_columns_global,
                columns_script(script, problem, GLOBAL, SMP_CONVOLVE_SIDE, "x"))
SMP_SCRIPT_ONCE(script_columns_tile,
                columns_script(script, problem, BESIDE, SMP_CONVOLVE_SIDE, "x"))
SMP_SCRIPT_ONCE(script_columns_down, columns_script(script, problem, DOWN, SMP_CONVOLVE_SIDE, "x"))
SMP_SCRIPT_ONCE(script_columns_padded,
                columns_script(script, problem, DOWN, SMP_CONVOLVE_SIDE + 1, "x"))
SMP_SCRIPT_ONCE(script_columns_swizzled,
                columns_script(script, problem, DOWN, SMP_CONVOLVE_SIDE, "((x) ^ (y) % 32)"))

/* ---- The numbers ---- */

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t matrix = problem->rows * problem->columns * sizeof(float);
    return (smp_kernel_bytes){.in = matrix, .out = matrix, .moved = 2 * matrix};
}

static void fill(const smp_kernel_case *problem, void *in) {
    uint64_t state = problem->seed * 2 + 1;
    float *values = in;
    for (uint64_t i = 0; i < problem->rows * problem->columns; i++)
        values[i] = (float)(smp_noise(&state) >> 56);
}

static float weight(int tap) {
    return (float)(tap <= SMP_CONVOLVE_RADIUS ? tap + 1 : SMP_CONVOLVE_TAPS - tap);
}

/* One element of the result: number `at` of `count` in a line, whose neighbours are `step`
 * elements apart. */
static void solve_row(const smp_kernel_case *problem, const float *in, uint64_t row, bool is_rows,
                      float *out) {
    const int64_t rows = (int64_t)problem->rows, columns = (int64_t)problem->columns;
    memset(out, 0, (size_t)columns * sizeof *out);
    for (int k = 0; k < SMP_CONVOLVE_TAPS; k++) {
        const int64_t shift = k - SMP_CONVOLVE_RADIUS, from = (int64_t)row + (is_rows ? 0 : shift);
        if (from < 0 || from >= rows)
            continue;
        const int64_t aside = is_rows ? shift : 0;
        const int64_t first = aside < 0 ? -aside : 0;
        const int64_t end = columns - (aside > 0 ? aside : 0);
        for (int64_t c = first; c < end; c++)
            out[c] += weight(k) * in[from * columns + c + aside];
    }
}

static void solve_rows(const smp_kernel_case *problem, const void *in, void *out) {
    for (uint64_t row = 0; row < problem->rows; row++)
        solve_row(problem, in, row, true, (float *)out + row * problem->columns);
}

static void solve_columns(const smp_kernel_case *problem, const void *in, void *out) {
    for (uint64_t row = 0; row < problem->rows; row++)
        solve_row(problem, in, row, false, (float *)out + row * problem->columns);
}

/* Results are exact, since all numbers are whole. */
SMP_VERIFY(verify_rows, smp_verify_solved(problem, in, out, solve_rows, bytes(problem).out,
                                          SMP_FLOAT, 0, "element", error))
SMP_VERIFY(verify_columns, smp_verify_solved(problem, in, out, solve_columns, bytes(problem).out,
                                             SMP_FLOAT, 0, "element", error))

static const char *beside_loads(const smp_kernel_case *problem) {
    (void)problem;
    return "the counter of loads reads up to 2.4 % more than the addresses cause, and not the same "
           "twice, beside loads of global memory (model/FINDINGS.md, 6)";
}

#define VARIANT(id, text, family, row, why)                                                   \
    {                                                                                         \
        .name = id, .summary = text, .script = script_##family##_##row, .not_predicted = why, \
        .launch = SMP_LAUNCH(smp_##family##_launch_##row),                                    \
    }

static const smp_kernel_variant rows_variants[] = {
    VARIANT("global", "17 loads of global memory per result", rows, global, NULL),
    VARIANT("tile", "17 loads of a tile per result, lanes side by side", rows, tile, NULL),
    VARIANT("blocked", "eight results per lane, 3 loads per result, lanes 8 words apart", rows,
            blocked, NULL),
    VARIANT("blocked-pad", "the same with a word of padding behind each eight", rows, padded, NULL),
    VARIANT("blocked-xor", "the same, words exclusive-ored with the number of their 32", rows,
            swizzled, NULL),
    VARIANT("vector-xor", "the same by 16 bytes, swizzled in pieces of 16", rows, vector,
            beside_loads),
};

static const smp_kernel_claim rows_claims[] = {
    {"global", "tile", "a tile in shared memory"},
    {"tile", "blocked", "eight results per lane"},
    {"blocked", "blocked-pad", "padding"},
    {"blocked-pad", "blocked-xor", "a swizzle instead of padding"},
    {"blocked-xor", "vector-xor", "16 bytes per lane"},
};

static const smp_kernel_variant columns_variants[] = {
    VARIANT("global", "17 loads of global memory per result", columns, global, NULL),
    VARIANT("down", "lanes below each other in a column of a tile", columns, down, NULL),
    VARIANT("down-pad", "the same with a word of padding a row", columns, padded, NULL),
    VARIANT("down-xor", "the same with column ^ row", columns, swizzled, beside_loads),
    VARIANT("tile", "lanes side by side in a row, eight results per lane", columns, tile, NULL),
};

static const smp_kernel_claim columns_claims[] = {
    {"down", "down-pad", "one column of padding"},
    {"down-pad", "down-xor", "a swizzle instead of padding"},
    {"down-xor", "tile", "eight results per lane, side by side,"},
    {"global", "tile", "a tile in shared memory"},
};

#define FAMILY(id, text, family)                                                      \
    {                                                                                 \
        .name = id, .summary = text, .elements = 1u << SMP_FLOAT,                     \
        .standard = {.element = SMP_FLOAT, .rows = 4096, .columns = 4096, .seed = 1}, \
        SMP_MATRIX_LIMITS, .bytes = bytes, .fill = fill, .solve = solve_##family,     \
        .verify = verify_##family, .baseline_name = "device-to-device copy",          \
        SMP_FAMILY_ROWS(family##_variants, family##_claims)                           \
    }

const smp_kernel_family smp_convolve_rows_family =
    FAMILY("convolve-rows", "17 weights along the rows of a matrix", rows);
const smp_kernel_family smp_convolve_columns_family =
    FAMILY("convolve-columns", "17 weights along its columns", columns);
