/* SPDX-License-Identifier: MIT */
/*
 * The family `transpose`: the accesses of its variants, in the language of layouts, and the
 * expected result. All variants cut the input into tiles, one per block, numbered row by row; tiles
 * at the lower and right edge may be partial. Only bits are moved, so only the size of an element
 * matters. Matrices begin at a multiple of 128 bytes.
 */
#include "transpose.h"

#include <string.h>

enum { LINE_BYTES = 128, VECTOR_BYTES = 16 };

/* ---- Scripts ---- */

/* The numbering of blocks: along the rows of tiles or down the columns. */
typedef enum block_order { ALONG_ROWS, DOWN_COLUMNS } block_order;

/* Defines both matrices and the tile of each block, which has `threads` threads and
 * `shared_elements` elements of shared memory. */
static void begin(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t tile_rows,
                  uint32_t tile_columns, block_order order, uint32_t threads,
                  uint32_t shared_elements) {
    const uint64_t down = smp_divide_up(problem->rows, tile_rows);
    const uint64_t across = smp_divide_up(problem->columns, tile_columns);
    const uint32_t shorter = tile_rows < tile_columns ? tile_rows : tile_columns;
    const uint32_t tile_bytes = shorter * smp_element_bytes(problem);
    const uint32_t period = tile_bytes < LINE_BYTES ? LINE_BYTES / tile_bytes : 1;
    script->shape =
        (smp_kernel_shape){down * across, threads, shared_elements * smp_element_bytes(problem)};
    smp_script_define_type(script, problem);
    SMP_DEFINE(script, {"ROWS", problem->rows}, {"COLUMNS", problem->columns},
               {"BLOCKS", down * across}, {"LENGTH", order == ALONG_ROWS ? across : down},
               {"TILE_ROWS", tile_rows}, {"TILE_COLUMNS", tile_columns},
               {"DOWN_COLUMNS", order == DOWN_COLUMNS});
    smp_script_take(script, "transpose-begin");
    if (order == ALONG_ROWS)
        smp_script_add_tiles(script, down, across, period);
    else
        smp_script_add_tiles(script, across, down, period);
}

static void naive_script(smp_kernel_script *script, const smp_kernel_case *problem,
                         bool scatters_reads) {
    begin(script, problem, SMP_TILE, SMP_TILE, ALONG_ROWS, SMP_TILE * SMP_TILE_WARPS, 0);
    SMP_DEFINE(script, {"SCATTERED_READS", scatters_reads});
    smp_script_take(script, "transpose-naive");
}

SMP_SCRIPT_ONCE(script_naive_read, naive_script(script, problem, false))
SMP_SCRIPT_ONCE(script_naive_write, naive_script(script, problem, true))

/* Transposes through a tile of `side` rows of `pitch` elements, with `height` rows of threads. */
static void tile_script(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t side,
                        uint32_t height, uint32_t pitch, bool is_swizzled) {
    begin(script, problem, side, side, ALONG_ROWS, side * height, side * pitch);
    SMP_DEFINE(script, {"SIDE", side}, {"HEIGHT", height}, {"PITCH", pitch},
               {"SWIZZLED", is_swizzled});
    smp_script_take(script, "transpose-tile");
}

SMP_SCRIPT_ONCE(script_tiled16,
                tile_script(script, problem, SMP_SMALL_TILE, SMP_SMALL_TILE, SMP_SMALL_TILE, false))
SMP_SCRIPT_ONCE(script_tiled32,
                tile_script(script, problem, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, false))
SMP_SCRIPT_ONCE(script_padded,
                tile_script(script, problem, SMP_TILE, SMP_TILE_WARPS, SMP_TILE + 1, false))
SMP_SCRIPT_ONCE(script_swizzled,
                tile_script(script, problem, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, true))

static smp_vector_tile vector_tile(const smp_kernel_case *problem) {
    static const smp_vector_tile tiles[] = {
        [1] = SMP_VECTOR_TILE_1,
        [2] = SMP_VECTOR_TILE_2,
        [4] = SMP_VECTOR_TILE_4,
        [8] = SMP_VECTOR_TILE_8,
    };
    return tiles[smp_element_bytes(problem)];
}

bool smp_transpose_takes_vectors(const smp_kernel_case *problem) {
    const uint32_t each = VECTOR_BYTES / smp_element_bytes(problem);
    return problem->rows % each == 0 && problem->columns % each == 0;
}

/* Transposes by vectors of 16 bytes, with the script `name`. */
static void vector_script(smp_kernel_script *script, const smp_kernel_case *problem,
                          smp_vector_tile tile, bool is_swizzled, block_order order,
                          const char *name) {
    begin(script, problem, tile.rows, tile.columns, order, tile.threads, tile.rows * tile.columns);
    SMP_DEFINE(script, {"EACH", VECTOR_BYTES / smp_element_bytes(problem)},
               {"THREADS", tile.threads});
    smp_script_define_text(script, "SWIZZLE(beside)", is_swizzled ? "(beside & 7)" : "0");
    smp_script_take(script, name);
}

/* Cases that vectors do not fit use an ordinary tile. */
static void vector_script_if(smp_kernel_script *script, const smp_kernel_case *problem,
                             bool is_swizzled, block_order order) {
    if (smp_transpose_takes_vectors(problem))
        vector_script(script, problem, vector_tile(problem), is_swizzled, order,
                      "transpose-vector");
    else
        tile_script(script, problem, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, is_swizzled);
}

SMP_SCRIPT_ONCE(script_vector, vector_script_if(script, problem, false, ALONG_ROWS))
SMP_SCRIPT_ONCE(script_vector_xor, vector_script_if(script, problem, true, ALONG_ROWS))
SMP_SCRIPT_ONCE(script_vector_down, vector_script_if(script, problem, true, DOWN_COLUMNS))

static smp_vector_tile fastest_tile(const smp_kernel_case *problem) {
    static const smp_vector_tile of_bytes = SMP_FASTEST_TILE_1;
    smp_vector_tile tile = smp_element_bytes(problem) == 1 ? of_bytes : vector_tile(problem);
    if (smp_element_bytes(problem) >= 4)
        tile.threads = SMP_ROWS_THREADS;
    return tile;
}

/* Prefetches into L2 bypass L1 and its counters. */
static bool script_fastest(const smp_kernel_case *problem, uint32_t index,
                           smp_kernel_script *script) {
    if (index > 0 || !smp_transpose_takes_vectors(problem))
        return script_vector_down(problem, index, script);
    vector_script(script, problem, fastest_tile(problem), true, DOWN_COLUMNS,
                  smp_element_bytes(problem) < 4 ? "transpose-vector" : "transpose-rows");
    return true;
}

/* ---- The family ---- */

smp_kernel_bytes smp_transpose_bytes(const smp_kernel_case *problem) {
    const uint64_t size = problem->rows * problem->columns * smp_element_bytes(problem);
    return (smp_kernel_bytes){.in = size, .out = size, .work = 0, .moved = 2 * size};
}

void smp_transpose_fill(const smp_kernel_case *problem, void *in) {
    smp_fill_noise(problem->seed, in, (size_t)smp_transpose_bytes(problem).in);
}

void smp_transpose_solve(const smp_kernel_case *problem, const void *in, void *out) {
    const size_t size = smp_element_bytes(problem);
    for (size_t row = 0; row < problem->rows; row++)
        for (size_t column = 0; column < problem->columns; column++)
            memcpy((char *)out + (column * problem->rows + row) * size,
                   (const char *)in + (row * problem->columns + column) * size, size);
}

/* Compares bits, since nothing is computed; by tiles, since a walk along columns would miss the
 * caches. */
smp_status smp_transpose_verify(const smp_kernel_case *problem, const void *in, const void *out,
                                smp_error *error) {
    const char *from = in, *to = out;
    const size_t rows = problem->rows, columns = problem->columns,
                 size = smp_element_bytes(problem);
    enum { SIDE = 64 };
    for (size_t tile = 0; tile < smp_divide_up(rows, SIDE) * smp_divide_up(columns, SIDE); tile++) {
        const size_t row0 = tile / smp_divide_up(columns, SIDE) * SIDE;
        const size_t column0 = tile % smp_divide_up(columns, SIDE) * SIDE;
        for (size_t row = row0; row < rows && row < row0 + SIDE; row++)
            for (size_t column = column0; column < columns && column < column0 + SIDE; column++)
                if (memcmp(to + (column * rows + row) * size,
                           from + (row * columns + column) * size, size) != 0)
                    return smp_error_set(error, SMP_E_RESULT, -1,
                                         "row %zu, column %zu of the output is not row %zu, column "
                                         "%zu of the input",
                                         column, row, row, column);
    }
    return SMP_OK;
}

static const smp_kernel_variant variants[] = {
    {SMP_VARIANT("naive-read", "global memory only: coalesced reads, scattered writes",
                 script_naive_read, smp_transpose_naive_read)},
    {SMP_VARIANT("naive-write", "global memory only: scattered reads, coalesced writes",
                 script_naive_write, smp_transpose_naive_write)},
    {SMP_VARIANT("tiled16", "through a 16 x 16 tile in shared memory, one element per thread",
                 script_tiled16, smp_transpose_tiled16)},
    {SMP_VARIANT("tiled32", "through a 32 x 32 tile, whose columns lie on one bank", script_tiled32,
                 smp_transpose_tiled32)},
    {SMP_VARIANT("padded", "through a 32 x 33 tile", script_padded, smp_transpose_padded)},
    {SMP_VARIANT("swizzled", "through a 32 x 32 tile with column ^ row, no padding",
                 script_swizzled, smp_transpose_swizzled)},
    {SMP_VARIANT("vector",
                 "16 bytes per lane, squares transposed in registers, a plain tile of vectors",
                 script_vector, smp_transpose_vector)},
    {SMP_VARIANT("vector-xor", "the same with a swizzled tile of vectors", script_vector_xor,
                 smp_transpose_vector_xor)},
    {SMP_VARIANT("vector-down",
                 "the same, blocks numbered down the columns: neighbours write side by side",
                 script_vector_down, smp_transpose_vector_down)},
    {SMP_VARIANT("fastest", "the same, and the L2 fetches ahead, in whole chunks of 256 bytes",
                 script_fastest, smp_transpose_fastest)},
    SMP_TRANSPOSE_RACES};

static const smp_kernel_claim claims[] = {
    {"naive-read", "tiled32", "a tile in shared memory"},
    {"tiled32", "padded", "one column of padding"},
    {"padded", "swizzled", "a swizzle instead of padding"},
    {"vector", "vector-xor", "swizzling the vectors"},
    {"vector-xor", "vector-down", "numbering the blocks down the columns"},
    {"vector-down", "fastest", "fetching whole chunks ahead"},
    {"naive-read", "fastest", "all of it"},
    {"naive-write", "fastest", "all of it, against the better naive version,"},
};

const smp_kernel_family smp_transpose_family = {
    .name = "transpose",
    .summary = "out[column][row] = in[row][column]",
    .elements = 1u << SMP_FLOAT | 1u << SMP_DOUBLE | 1u << SMP_HALF | 1u << SMP_BYTE,
    .standard = {.element = SMP_FLOAT, .rows = 4096, .columns = 4096, .seed = 1},
    SMP_MATRIX_LIMITS,
    .baseline_name = "device-to-device copy",
    SMP_TRANSPOSE_PARTS,
    SMP_FAMILY_ROWS(variants, claims),
};
