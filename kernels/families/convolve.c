/* SPDX-License-Identifier: MIT */
/*
 * convolve.c: the families `convolve-rows` and `convolve-columns`: a matrix convolved with 17
 * weights, 1 to 9 and back to 1, along its rows or its columns; elements outside are 0. Elements
 * are whole numbers below 256, so that every sum is exact in whatever order. Matrices begin at a
 * multiple of 128 bytes.
 *
 * What is to be seen: eight results a lane read three words a result instead of 17, but lanes then
 * stand eight words apart, and lanes in a column of a tile a whole row.
 */
#include "convolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX UINT64_C(4000000000)
#define SIDE_MAX UINT64_C(1000000000)

enum { LINE_WORDS = 32 };

/* ---- Scripts ---- */

static void begin(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t height,
                  uint32_t width, uint32_t warps) {
    const uint64_t across = smp_divide_up(problem->columns, width);
    smp_script_add(script,
                   "#define ROWS %" PRIu64 "\n#define COLUMNS %" PRIu64 "\n#define ACROSS %" PRIu64
                   "\n#define RADIUS %d\n#define TAPS %d\n#define EACH %d\n"
                   "global float in[ROWS][COLUMNS]\nglobal float out[ROWS][COLUMNS]\n"
                   "block %" PRIu32 "\ngrid %" PRIu64 "\n",
                   problem->rows, problem->columns, across, SMP_CONVOLVE_RADIUS, SMP_CONVOLVE_TAPS,
                   SMP_CONVOLVE_EACH, 32 * warps, smp_divide_up(problem->rows, height) * across);
}

static void begin_rows(const smp_kernel_case *problem, smp_kernel_script *script) {
    begin(script, problem, SMP_CONVOLVE_WARPS, SMP_CONVOLVE_WIDTH, SMP_CONVOLVE_WARPS);
    smp_script_add(script,
                   "#define WIDTH %d\n#define SPAN %d\nshared float tile[%d][%d]\n"
                   "int row = blockIdx.x / ACROSS * %d + warpid\n"
                   "int column0 = blockIdx.x %% ACROSS * WIDTH\n",
                   SMP_CONVOLVE_WIDTH, SMP_CONVOLVE_SPAN, SMP_CONVOLVE_WARPS, SMP_CONVOLVE_PITCH,
                   SMP_CONVOLVE_WARPS);
    smp_script_add_edges(script, smp_divide_up(problem->rows, SMP_CONVOLVE_WARPS),
                         LINE_WORDS / SMP_CONVOLVE_WARPS,
                         smp_divide_up(problem->columns, SMP_CONVOLVE_WIDTH));
}

static bool script_rows_global(const smp_kernel_case *problem, uint32_t index,
                               smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin_rows(problem, script);
    smp_script_add(script,
                   "for (int s = 0; s < WIDTH; s += 32) {\n"
                   "int column = column0 + s + laneid\n"
                   "for (int k = -RADIUS; k <= RADIUS; k += 1) {\n"
                   "if (row < ROWS && column + k >= 0 && column + k < COLUMNS) ld in[row][column + "
                   "k]   # global read\n}\n"
                   "if (row < ROWS && column < COLUMNS) st out[row][column]   # global write\n}\n");
    return true;
}

/* Fills the tile; `place` is where word i of it lies. */
static void fill_script(smp_kernel_script *script, const char *place) {
    smp_script_add(script,
                   "#define PLACE(i) (%s)\n"
                   "for (int s = 0; s < SPAN; s += 32) {\n"
                   "int i = s + laneid\nint column = column0 + i - RADIUS\n"
                   "if (i < SPAN && row < ROWS && column >= 0 && column < COLUMNS) ld "
                   "in[row][column]   # global read\n"
                   "if (i < SPAN) st tile[warpid][PLACE(i)]   # tile write\n}\n",
                   place);
}

static bool script_rows_tile(const smp_kernel_case *problem, uint32_t index,
                             smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin_rows(problem, script);
    fill_script(script, "i");
    smp_script_add(script,
                   "for (int s = 0; s < WIDTH; s += 32) {\n"
                   "for (int k = 0; k < TAPS; k += 1) {\n"
                   "ld tile[warpid][s + laneid + k]   # tile read\n}\n"
                   "int column = column0 + s + laneid\n"
                   "if (row < ROWS && column < COLUMNS) st out[row][column]   # global write\n}\n");
    return true;
}

/* By words, or by four of them. */
static bool blocked_script(const smp_kernel_case *problem, uint32_t index, const char *place,
                           bool by_four, smp_kernel_script *script) {
    const int step = by_four ? 4 : 1;
    const char *front = by_four ? "*(float4 *)&" : "";
    if (index > 0)
        return false;
    begin_rows(problem, script);
    fill_script(script, place);
    smp_script_add(script,
                   "for (int k = 0; k < EACH + 2 * RADIUS; k += %d) {\nint i = laneid * EACH + k\n"
                   "ld %stile[warpid][PLACE(i)]   # tile read\n}\n"
                   "for (int j = 0; j < EACH; j += %d) {\nint i = laneid * EACH + j\n"
                   "st %stile[warpid][PLACE(i)]   # result write\n}\n",
                   step, front, step, front);
    smp_script_add(script,
                   "for (int s = 0; s < WIDTH; s += 32) {\nint i = s + laneid\n"
                   "int column = column0 + i\n"
                   "if (row < ROWS && column < COLUMNS) ld tile[warpid][PLACE(i)]   # result read\n"
                   "if (row < ROWS && column < COLUMNS) st out[row][column]   # global write\n}\n");
    return true;
}

SMP_SCRIPT(script_rows_blocked, blocked_script(problem, index, "i", false, script))
SMP_SCRIPT(script_rows_padded, blocked_script(problem, index, "i + i / EACH", false, script))
SMP_SCRIPT(script_rows_swizzled, blocked_script(problem, index, "i ^ i / 32 % EACH", false, script))
SMP_SCRIPT(script_rows_vector, blocked_script(problem, index, "i ^ i / 32 % 2 * 4", true, script))

static void begin_columns(const smp_kernel_case *problem, smp_kernel_script *script) {
    const uint64_t down = smp_divide_up(problem->rows, SMP_CONVOLVE_HEIGHT);
    begin(script, problem, SMP_CONVOLVE_HEIGHT, SMP_CONVOLVE_SIDE, SMP_CONVOLVE_BLOCK_WARPS);
    smp_script_add(script,
                   "#define HEIGHT %d\n#define TALL %d\n#define WARPS %d\n"
                   "int row0 = blockIdx.x / ACROSS * HEIGHT\n"
                   "int column = blockIdx.x %% ACROSS * %d + laneid\n",
                   SMP_CONVOLVE_HEIGHT, SMP_CONVOLVE_TALL, SMP_CONVOLVE_BLOCK_WARPS,
                   SMP_CONVOLVE_SIDE);
    smp_script_add_edges(script, down, 1, smp_divide_up(problem->columns, SMP_CONVOLVE_SIDE));
}

static bool script_columns_global(const smp_kernel_case *problem, uint32_t index,
                                  smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin_columns(problem, script);
    smp_script_add(script,
                   "for (int s = 0; s < HEIGHT; s += WARPS) {\nint row = row0 + s + warpid\n"
                   "for (int k = -RADIUS; k <= RADIUS; k += 1) {\n"
                   "if (row + k >= 0 && row + k < ROWS && column < COLUMNS) ld in[row + k][column] "
                   "  # global read\n}\n"
                   "if (row < ROWS && column < COLUMNS) st out[row][column]   # global write\n}\n");
    return true;
}

/* Fills the tile; `place` is the column of (y, x) in it. */
static void fill_columns(smp_kernel_script *script, int pitch, const char *place) {
    smp_script_add(script,
                   "shared float tile[TALL][%d]\n#define PLACE(y, x) (%s)\n"
                   "for (int s = 0; s < TALL; s += WARPS) {\n"
                   "int y = s + warpid\nint row = row0 + y - RADIUS\n"
                   "if (row >= 0 && row < ROWS && column < COLUMNS) ld in[row][column]   # global "
                   "read\n"
                   "st tile[y][PLACE(y, laneid)]   # tile write\n}\n",
                   pitch, place);
}

static bool script_columns_tile(const smp_kernel_case *problem, uint32_t index,
                                smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin_columns(problem, script);
    fill_columns(script, SMP_CONVOLVE_SIDE, "x");
    smp_script_add(script,
                   "for (int k = 0; k < EACH + 2 * RADIUS; k += 1) {\n"
                   "ld tile[warpid * EACH + k][laneid]   # tile read\n}\n"
                   "for (int j = 0; j < EACH; j += 1) {\nint row = row0 + warpid * EACH + j\n"
                   "if (row < ROWS && column < COLUMNS) st out[row][column]   # global write\n}\n");
    return true;
}

static bool down_script(const smp_kernel_case *problem, uint32_t index, int pitch,
                        const char *place, smp_kernel_script *script) {
    if (index > 0)
        return false;
    begin_columns(problem, script);
    smp_script_add(script, "shared float result[HEIGHT][%d]\n", pitch);
    fill_columns(script, pitch, place);
    smp_script_add(script,
                   "for (int j = 0; j < %d; j += 1) {\nint x = warpid * %d + j\n"
                   "for (int g = 0; g < HEIGHT; g += 32) {\nint y = g + laneid\n"
                   "for (int k = 0; k < TAPS; k += 1) {\n"
                   "ld tile[y + k][PLACE((y + k), x)]   # tile read\n}\n"
                   "st result[y][PLACE(y, x)]   # result write\n}\n}\n",
                   SMP_CONVOLVE_SIDE / SMP_CONVOLVE_BLOCK_WARPS,
                   SMP_CONVOLVE_SIDE / SMP_CONVOLVE_BLOCK_WARPS);
    smp_script_add(script,
                   "for (int s = 0; s < HEIGHT; s += WARPS) {\nint y = s + warpid\n"
                   "if (row0 + y < ROWS && column < COLUMNS) ld result[y][PLACE(y, laneid)]   # "
                   "result read\n"
                   "if (row0 + y < ROWS && column < COLUMNS) st out[row0 + y][column]   # global "
                   "write\n}\n");
    return true;
}

SMP_SCRIPT(script_columns_down, down_script(problem, index, SMP_CONVOLVE_SIDE, "x", script))
SMP_SCRIPT(script_columns_padded, down_script(problem, index, SMP_CONVOLVE_SIDE + 1, "x", script))
SMP_SCRIPT(script_columns_swizzled,
           down_script(problem, index, SMP_CONVOLVE_SIDE, "(x) ^ (y) % 32", script))

/* ---- Shapes ---- */

static smp_kernel_shape rows_shape(const smp_kernel_case *problem) {
    return (smp_kernel_shape){.blocks = smp_divide_up(problem->rows, SMP_CONVOLVE_WARPS) *
                                        smp_divide_up(problem->columns, SMP_CONVOLVE_WIDTH),
                              .threads = 32 * SMP_CONVOLVE_WARPS};
}

static smp_kernel_shape rows_shape_tile(const smp_kernel_case *problem) {
    smp_kernel_shape shape = rows_shape(problem);
    shape.shared_bytes = SMP_CONVOLVE_WARPS * SMP_CONVOLVE_PITCH * sizeof(float);
    return shape;
}

static smp_kernel_shape columns_shape(const smp_kernel_case *problem) {
    return (smp_kernel_shape){.blocks = smp_divide_up(problem->rows, SMP_CONVOLVE_HEIGHT) *
                                        smp_divide_up(problem->columns, SMP_CONVOLVE_SIDE),
                              .threads = 32 * SMP_CONVOLVE_BLOCK_WARPS};
}

static smp_kernel_shape columns_shape_of(const smp_kernel_case *problem, uint32_t rows,
                                         uint32_t pitch) {
    smp_kernel_shape shape = columns_shape(problem);
    shape.shared_bytes = rows * pitch * (uint32_t)sizeof(float);
    return shape;
}

SMP_SHAPE(columns_shape_tile, columns_shape_of(problem, SMP_CONVOLVE_TALL, SMP_CONVOLVE_SIDE))
SMP_SHAPE(columns_shape_down,
          columns_shape_of(problem, SMP_CONVOLVE_TALL + SMP_CONVOLVE_HEIGHT, SMP_CONVOLVE_SIDE))
SMP_SHAPE(columns_shape_padded,
          columns_shape_of(problem, SMP_CONVOLVE_TALL + SMP_CONVOLVE_HEIGHT, SMP_CONVOLVE_SIDE + 1))

/* ---- The numbers ---- */

static smp_status check(const smp_kernel_case *problem, smp_error *error) {
    const uint64_t rows = problem->rows, columns = problem->columns;
    if (rows <= SIDE_MAX && columns <= SIDE_MAX && columns <= ELEMENTS_MAX / rows)
        return SMP_OK;
    return smp_error_set(error, SMP_E_OVERFLOW, -1,
                         "convolution: at most %" PRIu64 " elements and %" PRIu64
                         " rows or columns",
                         ELEMENTS_MAX, SIDE_MAX);
}

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

/* One row of the result; neighbours lie `step` elements apart, of `count` in a line, this one being
 * number `at`. */
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

/* Exact: whole numbers. */
static smp_status verify(const smp_kernel_case *problem, const void *in, const void *out,
                         bool is_rows, smp_error *error) {
    float *expected = malloc(problem->columns * sizeof *expected);
    smp_status status = SMP_OK;
    if (!expected)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory for a row");
    for (uint64_t row = 0; row < problem->rows && status == SMP_OK; row++) {
        const float *found = (const float *)out + row * problem->columns;
        solve_row(problem, in, row, is_rows, expected);
        for (uint64_t c = 0; c < problem->columns && status == SMP_OK; c++)
            if (!(found[c] == expected[c]))
                status =
                    smp_error_set(error, SMP_E_RESULT, -1,
                                  "row %" PRIu64 ", column %" PRIu64 " is %.9g, the CPU has %.9g",
                                  row, c, (double)found[c], (double)expected[c]);
    }
    free(expected);
    return status;
}

static smp_status verify_rows(const smp_kernel_case *problem, const void *in, const void *out,
                              smp_error *error) {
    return verify(problem, in, out, true, error);
}

static smp_status verify_columns(const smp_kernel_case *problem, const void *in, const void *out,
                                 smp_error *error) {
    return verify(problem, in, out, false, error);
}

static const char *beside_loads(const smp_kernel_case *problem) {
    (void)problem;
    return "the counter of loads reads up to 2.4 % more than the addresses cause, and not the same "
           "twice, beside loads of global memory (model/FINDINGS.md, 6)";
}

#define VARIANT(id, text, family, shape_fn, row, why)                                      \
    {                                                                                      \
        .name = id, .summary = text, .shape = shape_fn, .script = script_##family##_##row, \
        .not_predicted = why, .launch = SMP_LAUNCH(smp_##family##_launch_##row),           \
    }

static const smp_kernel_variant rows_variants[] = {
    VARIANT("global", "17 loads of global memory a result", rows, rows_shape, global, NULL),
    VARIANT("tile", "17 loads of a tile a result, lanes side by side", rows, rows_shape_tile, tile,
            NULL),
    VARIANT("blocked", "eight results a lane, 3 loads a result, lanes 8 words apart", rows,
            rows_shape_tile, blocked, NULL),
    VARIANT("blocked-pad", "the same with a word of padding behind each eight", rows,
            rows_shape_tile, padded, NULL),
    VARIANT("blocked-xor", "the same, words exclusive-ored with the number of their 32", rows,
            rows_shape_tile, swizzled, NULL),
    VARIANT("vector-xor", "the same by 16 bytes, swizzled in pieces of 16", rows, rows_shape_tile,
            vector, beside_loads),
};

static const smp_kernel_claim rows_claims[] = {
    {"global", "tile", "a tile in shared memory"},
    {"tile", "blocked", "eight results a lane"},
    {"blocked", "blocked-pad", "padding"},
    {"blocked-pad", "blocked-xor", "a swizzle instead of padding"},
    {"blocked-xor", "vector-xor", "16 bytes a lane"},
};

static const smp_kernel_variant columns_variants[] = {
    VARIANT("global", "17 loads of global memory a result", columns, columns_shape, global, NULL),
    VARIANT("down", "lanes below each other in a column of a tile", columns, columns_shape_down,
            down, NULL),
    VARIANT("down-pad", "the same with a word of padding a row", columns, columns_shape_padded,
            padded, NULL),
    VARIANT("down-xor", "the same with column ^ row", columns, columns_shape_down, swizzled,
            beside_loads),
    VARIANT("tile", "lanes side by side in a row, eight results a lane", columns,
            columns_shape_tile, tile, NULL),
};

static const smp_kernel_claim columns_claims[] = {
    {"down", "down-pad", "one column of padding"},
    {"down-pad", "down-xor", "a swizzle instead of padding"},
    {"down-xor", "tile", "eight results a lane, side by side,"},
    {"global", "tile", "a tile in shared memory"},
};

#define FAMILY(id, text, family)                                                                  \
    {                                                                                             \
        .name = id, .summary = text, .elements = 1u << SMP_FLOAT,                                 \
        .standard = {.element = SMP_FLOAT, .rows = 4096, .columns = 4096, .seed = 1},             \
        .is_matrix = true, .check = check, .bytes = bytes, .fill = fill, .solve = solve_##family, \
        .verify = verify_##family, .baseline_name = "device-to-device copy",                      \
        SMP_FAMILY_ROWS(family##_variants, family##_claims)                                       \
    }

const smp_kernel_family smp_convolve_rows_family =
    FAMILY("convolve-rows", "17 weights along the rows of a matrix", rows);
const smp_kernel_family smp_convolve_columns_family =
    FAMILY("convolve-columns", "17 weights along its columns", columns);
