/* SPDX-License-Identifier: MIT */
/*
 * transpose.c: the family `transpose`: what its variants ask of memory, in the front end's
 * language, and what they must compute. All of them cut the input into tiles, one a block, numbered
 * row by row; tiles at the lower and right edge may be partial. Bits are moved, so that only the
 * size of an element matters. Matrices begin at a multiple of 128 bytes.
 */
#include "transpose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ELEMENTS_MAX UINT64_C(4000000000)
#define SIDE_MAX UINT64_C(1000000000)

enum { LINE_BYTES = 128, VECTOR_BYTES = 16 };

static uint32_t bytes_of(const smp_kernel_case *problem) {
    return smp_element_info(problem->element)->bytes;
}

/* ---- Scripts ---- */

/* How blocks are numbered: along the rows of tiles, or down the columns. */
typedef enum block_order { ALONG_ROWS, DOWN_COLUMNS } block_order;

/* Declares both matrices and the tile of this block: row0, column0. */
static void begin(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t tile_rows,
                  uint32_t tile_columns, block_order order, const char *block) {
    const char *type = smp_element_info(problem->element)->layout_name;
    const uint64_t down = smp_divide_up(problem->rows, tile_rows);
    const uint64_t across = smp_divide_up(problem->columns, tile_columns);
    const uint32_t shorter = tile_rows < tile_columns ? tile_rows : tile_columns;
    const uint32_t tile_bytes = shorter * bytes_of(problem);
    const uint32_t period = tile_bytes < LINE_BYTES ? LINE_BYTES / tile_bytes : 1;
    smp_script_add(script,
                   "#define ROWS %" PRIu64 "\n#define COLUMNS %" PRIu64 "\n#define LENGTH %" PRIu64
                   "\nglobal %s in[ROWS][COLUMNS]\nglobal %s out[COLUMNS][ROWS]\n",
                   problem->rows, problem->columns, order == ALONG_ROWS ? across : down, type,
                   type);
    smp_script_add(script,
                   "block %s\ngrid %" PRIu64 "\nlet row0 = blockIdx.x %c LENGTH * %" PRIu32
                   "\nlet column0 = blockIdx.x %c LENGTH * %" PRIu32 "\n",
                   block, down * across, order == ALONG_ROWS ? '/' : '%', tile_rows,
                   order == ALONG_ROWS ? '%' : '/', tile_columns);
    if (order == ALONG_ROWS)
        smp_script_add_tiles(script, down, across, period);
    else
        smp_script_add_tiles(script, across, down, period);
}

/* Lanes side by side in a row of the input, or in one of the output. */
static void naive_script(smp_kernel_script *script, const smp_kernel_case *problem,
                         const char *along, const char *across) {
    begin(script, problem, SMP_TILE, SMP_TILE, ALONG_ROWS, "32x8");
    smp_script_add(script,
                   "let %s = %s0 + threadIdx.x\nfor i = 0:32:8\n"
                   "let %s = %s0 + threadIdx.y + i\n"
                   "if (row < ROWS && column < COLUMNS) ld in[row][column]   # global read\n"
                   "if (row < ROWS && column < COLUMNS) st out[column][row]   # global write\n",
                   along, along, across, across);
}

SMP_SCRIPT_ONCE(script_naive_read, naive_script(script, problem, "column", "row"))
SMP_SCRIPT_ONCE(script_naive_write, naive_script(script, problem, "row", "column"))

/* Through a tile of `side` rows of `pitch` elements, by `height` rows of threads; `swizzle` is
 * what the column is exclusive-ored with: the row, or "0". */
static void tile_script(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t side,
                        uint32_t height, uint32_t pitch, bool is_swizzled) {
    char block[24];
    const char *write = is_swizzled ? "x ^ y" : "x", *read = is_swizzled ? "y ^ x" : "y";
    (void)snprintf(block, sizeof block, "%" PRIu32 "x%" PRIu32, side, height);
    begin(script, problem, side, side, ALONG_ROWS, block);
    smp_script_add(script,
                   "shared %s tile[%" PRIu32 "][%" PRIu32 "]\n"
                   "let x = threadIdx.x\n"
                   "for i = 0:%" PRIu32 ":%" PRIu32 "\n"
                   "let y = threadIdx.y + i\n",
                   smp_element_info(problem->element)->layout_name, side, pitch, side, height);
    smp_script_add(script,
                   "if (row0 + y < ROWS && column0 + x < COLUMNS) ld in[row0 + y][column0 + x]   # "
                   "global read\n"
                   "if (row0 + y < ROWS && column0 + x < COLUMNS) st tile[y][%s]   # tile write\n"
                   "if (column0 + y < COLUMNS && row0 + x < ROWS) ld tile[x][%s]   # tile read\n"
                   "if (column0 + y < COLUMNS && row0 + x < ROWS) st out[column0 + y][row0 + x]   "
                   "# global write\n",
                   write, read);
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
    return tiles[bytes_of(problem)];
}

bool smp_transpose_takes_vectors(const smp_kernel_case *problem) {
    const uint32_t each = VECTOR_BYTES / bytes_of(problem);
    return problem->rows % each == 0 && problem->columns % each == 0;
}

/* Squares of `EACH` x `EACH` elements are transposed in registers; shared memory holds the tile of
 * the output, in vectors. `swizzle` is what the number of a vector is exclusive-ored with. */
static void vector_script(smp_kernel_script *script, const smp_kernel_case *problem,
                          smp_vector_tile tile, bool is_swizzled, block_order order) {
    const uint32_t each = VECTOR_BYTES / bytes_of(problem);
    const uint32_t vectors = tile.rows * tile.columns / each;
    char block[16];
    (void)snprintf(block, sizeof block, "%" PRIu32, tile.threads);
    begin(script, problem, tile.rows, tile.columns, order, block);
    smp_script_add(script,
                   "#define EACH %" PRIu32 "\n#define DOWN %" PRIu32 "\n#define BESIDE %" PRIu32
                   "\nshared uint4 tile[%" PRIu32 "]\n",
                   each, tile.rows / each, tile.columns / each, vectors);
    smp_script_add(script,
                   "for (int s = 0; s < %" PRIu32 "; s += %" PRIu32 ") {\n"
                   "let square = threadIdx.x + s\n"
                   "let down = square / BESIDE\n"
                   "let beside = square %% BESIDE\n"
                   "for (int k = 0; k < EACH; k += 1) {\n"
                   "let row = row0 + down * EACH + k\n"
                   "let column = column0 + beside * EACH\n"
                   "if (row < ROWS && column < COLUMNS) ld *(uint4 *)&in[row][column]   # global "
                   "read\n"
                   "st tile[((beside * EACH + k) * DOWN + down)%s]   # tile write\n}\n}\n",
                   vectors / each, tile.threads, is_swizzled ? " ^ (beside & 7)" : "");
    smp_script_add(script,
                   "for (int v = 0; v < %" PRIu32 "; v += %" PRIu32 ") {\n"
                   "let vector = threadIdx.x + v\n"
                   "let from = column0 + vector / DOWN\n"
                   "let to = row0 + vector %% DOWN * EACH\n"
                   "if (from < COLUMNS && to < ROWS) ld tile[vector%s]   # tile read\n"
                   "if (from < COLUMNS && to < ROWS) st *(uint4 *)&out[from][to]   # global "
                   "write\n}\n",
                   vectors, tile.threads, is_swizzled ? " ^ (vector / DOWN / EACH & 7)" : "");
}

/* What takes no vectors goes through an ordinary tile. */
static void vector_script_if(smp_kernel_script *script, const smp_kernel_case *problem,
                             bool is_swizzled, block_order order) {
    if (smp_transpose_takes_vectors(problem))
        vector_script(script, problem, vector_tile(problem), is_swizzled, order);
    else
        tile_script(script, problem, SMP_TILE, SMP_TILE_WARPS, SMP_TILE, is_swizzled);
}

SMP_SCRIPT_ONCE(script_vector, vector_script_if(script, problem, false, ALONG_ROWS))
SMP_SCRIPT_ONCE(script_vector_xor, vector_script_if(script, problem, true, ALONG_ROWS))
SMP_SCRIPT_ONCE(script_vector_down, vector_script_if(script, problem, true, DOWN_COLUMNS))

static smp_vector_tile fastest_tile(const smp_kernel_case *problem) {
    const smp_vector_tile bytes = SMP_FASTEST_TILE_1;
    return bytes_of(problem) == 1 ? bytes : vector_tile(problem);
}

/* Shared memory holds the rows of the input, in vectors, of which lanes read elements of a column.
 */
static void rows_script(smp_kernel_script *script, const smp_kernel_case *problem) {
    const char *type = smp_element_info(problem->element)->layout_name;
    const smp_vector_tile tile = vector_tile(problem);
    const uint32_t each = VECTOR_BYTES / bytes_of(problem);
    char block[16];
    (void)snprintf(block, sizeof block, "%d", SMP_ROWS_THREADS);
    begin(script, problem, tile.rows, tile.columns, DOWN_COLUMNS, block);
    smp_script_add(script,
                   "#define EACH %" PRIu32 "\n#define DOWN %" PRIu32 "\n#define BESIDE %" PRIu32
                   "\nshared %s tile[%" PRIu32 "]\n",
                   each, tile.rows / each, tile.columns / each, type, tile.rows * tile.columns);
    smp_script_add(script,
                   "for (int k = 0; k < %" PRIu32 "; k += %d) {\n"
                   "let vector = threadIdx.x + k\n"
                   "let y = vector / BESIDE\n"
                   "let row = row0 + y\n"
                   "let column = column0 + vector %% BESIDE * EACH\n"
                   "if (row < ROWS && column < COLUMNS) ld *(uint4 *)&in[row][column]   # global "
                   "read\n"
                   "st *(uint4 *)&tile[(vector ^ (y / EACH & 7)) * EACH]   # tile write\n}\n",
                   tile.rows * tile.columns / each, SMP_ROWS_THREADS);
    smp_script_add(script,
                   "for (int k = 0; k < %" PRIu32 "; k += %d) {\n"
                   "let square = (threadIdx.x + k) / (8 * EACH)\n"
                   "let down = square %% (DOWN / 8) * 8 + threadIdx.x %% 8\n"
                   "let beside = square / (DOWN / 8)\n"
                   "let x = threadIdx.x / 8 %% EACH\n"
                   "let from = column0 + beside * EACH + x\n"
                   "let to = row0 + down * EACH\n"
                   "for (int i = 0; i < EACH; i += 1) {\n"
                   "let vector = ((down * EACH + i) * BESIDE + beside) ^ (down & 7)\n"
                   "if (from < COLUMNS && to < ROWS) ld tile[vector * EACH + x]   # tile read\n}\n"
                   "if (from < COLUMNS && to < ROWS) st *(uint4 *)&out[from][to]   # global "
                   "write\n}\n",
                   tile.rows * tile.columns / each, SMP_ROWS_THREADS);
}

/* Prefetches into the L2 go past the L1 and its counters. */
static bool script_fastest(const smp_kernel_case *problem, uint32_t index,
                           smp_kernel_script *script) {
    if (index > 0 || !smp_transpose_takes_vectors(problem))
        return script_vector_down(problem, index, script);
    if (bytes_of(problem) < 4)
        vector_script(script, problem, fastest_tile(problem), true, DOWN_COLUMNS);
    else
        rows_script(script, problem);
    return true;
}

/* ---- Shapes ---- */

static smp_kernel_shape shape(const smp_kernel_case *problem, uint32_t rows, uint32_t columns,
                              uint32_t threads, uint32_t shared_elements) {
    return (smp_kernel_shape){.blocks = smp_divide_up(problem->rows, rows) *
                                        smp_divide_up(problem->columns, columns),
                              .threads = threads,
                              .shared_bytes = shared_elements * bytes_of(problem)};
}

SMP_SHAPE(shape_naive, shape(problem, SMP_TILE, SMP_TILE, SMP_TILE *SMP_TILE_WARPS, 0))

static smp_kernel_shape shape_tiled16(const smp_kernel_case *problem) {
    const uint32_t elements = SMP_SMALL_TILE * SMP_SMALL_TILE;
    return shape(problem, SMP_SMALL_TILE, SMP_SMALL_TILE, elements, elements);
}

SMP_SHAPE(shape_tiled32,
          shape(problem, SMP_TILE, SMP_TILE, SMP_TILE *SMP_TILE_WARPS, SMP_TILE *SMP_TILE))
SMP_SHAPE(shape_padded,
          shape(problem, SMP_TILE, SMP_TILE, SMP_TILE *SMP_TILE_WARPS, SMP_TILE *(SMP_TILE + 1)))

static smp_kernel_shape shape_tile(const smp_kernel_case *problem, smp_vector_tile tile) {
    if (!smp_transpose_takes_vectors(problem))
        return shape_tiled32(problem);
    return shape(problem, tile.rows, tile.columns, tile.threads, tile.rows * tile.columns);
}

SMP_SHAPE(shape_vector, shape_tile(problem, vector_tile(problem)))

static smp_kernel_shape shape_fastest(const smp_kernel_case *problem) {
    smp_vector_tile tile = fastest_tile(problem);
    if (bytes_of(problem) >= 4)
        tile.threads = SMP_ROWS_THREADS;
    return shape_tile(problem, tile);
}

/* ---- The family ---- */

static smp_status check(const smp_kernel_case *problem, smp_error *error) {
    const bool is_long = problem->rows > SIDE_MAX || problem->columns > SIDE_MAX;
    if (is_long || problem->rows > ELEMENTS_MAX / problem->columns)
        return smp_error_set(error, SMP_E_OVERFLOW, -1,
                             "a transpose of %" PRIu64 " x %" PRIu64
                             " is too large: at most 1e9 rows or columns, and 4e9 elements",
                             problem->rows, problem->columns);
    return SMP_OK;
}

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t size = problem->rows * problem->columns * bytes_of(problem);
    return (smp_kernel_bytes){.in = size, .out = size, .work = 0, .moved = 2 * size};
}

static void fill(const smp_kernel_case *problem, void *in) {
    smp_fill_noise(problem->seed, in, (size_t)bytes(problem).in);
}

static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    const size_t size = bytes_of(problem);
    for (size_t row = 0; row < problem->rows; row++)
        for (size_t column = 0; column < problem->columns; column++)
            memcpy((char *)out + (column * problem->rows + row) * size,
                   (const char *)in + (row * problem->columns + column) * size, size);
}

/* Bit by bit: nothing is computed. By tiles, since a walk along columns would miss the caches. */
static smp_status verify(const smp_kernel_case *problem, const void *in, const void *out,
                         smp_error *error) {
    const char *from = in, *to = out;
    const size_t rows = problem->rows, columns = problem->columns, size = bytes_of(problem);
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
    {SMP_VARIANT("naive-read", "global memory only: coalesced reads, scattered writes", shape_naive,
                 script_naive_read, smp_transpose_naive_read)},
    {SMP_VARIANT("naive-write", "global memory only: scattered reads, coalesced writes",
                 shape_naive, script_naive_write, smp_transpose_naive_write)},
    {SMP_VARIANT("tiled16", "through a 16 x 16 tile in shared memory, one element a thread",
                 shape_tiled16, script_tiled16, smp_transpose_tiled16)},
    {SMP_VARIANT("tiled32", "through a 32 x 32 tile, whose columns lie on one bank", shape_tiled32,
                 script_tiled32, smp_transpose_tiled32)},
    {SMP_VARIANT("padded", "through a 32 x 33 tile", shape_padded, script_padded,
                 smp_transpose_padded)},
    {SMP_VARIANT("swizzled", "through a 32 x 32 tile with column ^ row, no padding", shape_tiled32,
                 script_swizzled, smp_transpose_swizzled)},
    {SMP_VARIANT("vector",
                 "16 bytes a lane, squares transposed in registers, a plain tile of vectors",
                 shape_vector, script_vector, smp_transpose_vector)},
    {SMP_VARIANT("vector-xor", "the same with a swizzled tile of vectors", shape_vector,
                 script_vector_xor, smp_transpose_vector_xor)},
    {SMP_VARIANT("vector-down",
                 "the same, blocks numbered down the columns: neighbours write side by side",
                 shape_vector, script_vector_down, smp_transpose_vector_down)},
    {SMP_VARIANT("fastest", "the same, and the L2 fetches ahead, in whole chunks of 256 bytes",
                 shape_fastest, script_fastest, smp_transpose_fastest)},
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
    .is_matrix = true,
    .baseline_name = "device-to-device copy",
    SMP_FAMILY_PARTS,
};
