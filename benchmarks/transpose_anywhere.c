/* SPDX-License-Identifier: MIT */
/*
 * The accesses of transposes whose rows begin anywhere, in the language of
 * layouts: elements of 4 and 8 bytes by tiles (transpose_sectors.cu), elements of 1 and 2 bytes by
 * walks down strips of columns (transpose_strips.cu).
 */
#include <inttypes.h>

#include "transpose.h"

static uint32_t bytes_of(const smp_kernel_case *problem) {
    return smp_element_info(problem->element)->bytes;
}

/* ---- Tiles ---- */

static smp_vector_tile any_tile(const smp_kernel_case *problem) {
    static const smp_vector_tile tiles[] = {[4] = SMP_ANY_TILE_4, [8] = SMP_ANY_TILE_8};
    return tiles[bytes_of(problem)];
}

/* The padding for the rows above: in pieces of 16 bytes, and in bytes. */
static uint32_t any_bytes(const smp_kernel_case *problem) {
    const uint32_t bytes = bytes_of(problem), tall = any_tile(problem).rows + SMP_ANY_ABOVE(bytes);
    return (SMP_ANY_PIECES * tall + tall * bytes / 16 + 1) * 16;
}

/* Copies rows in pieces of 16 bytes as they lie in memory; the last piece may end behind the
 * matrix. */
static void copy_script(smp_kernel_script *script) {
    smp_script_add(script,
                   "for (int s = 0; s < %d * (HIGH + ABOVE); s += THREADS) {\n"
                   "int piece = s + threadIdx.x\n"
                   "int tall = piece / %d\n"
                   "int row = row0 + tall - ABOVE\n"
                   "size_t start = (size_t)row * COLUMNS + column0\n"
                   "size_t from = (start / OF_PIECE + piece %% %d) * OF_PIECE\n"
                   "int at = %d * tall + tall / OF_PIECE + piece %% %d\n"
                   "bool is_there = tall < HIGH + ABOVE && row >= 0 && row < ROWS\n"
                   "if (is_there && from < start + min(WIDE, COLUMNS - column0)) "
                   "cp.async &tile[at * OF_PIECE], &in[from], 16   # global read\n}\n",
                   SMP_ANY_PIECES, SMP_ANY_PIECES, SMP_ANY_PIECES, SMP_ANY_PIECES, SMP_ANY_PIECES);
}

/* The part after the copies. */
static void sector_script(smp_kernel_script *script, const smp_kernel_case *problem) {
    const char *type = smp_element_info(problem->element)->layout_name;
    const uint32_t bytes = bytes_of(problem), above = SMP_ANY_ABOVE(bytes);
    const smp_vector_tile tile = any_tile(problem);
    const uint64_t down = smp_divide_up(problem->rows + above, tile.rows);
    const uint64_t across = smp_divide_up(problem->columns, tile.columns);
    smp_script_add(script,
                   "#define ROWS %" PRIu64 "\n#define COLUMNS %" PRIu64 "\n#define LENGTH %" PRIu64
                   "\n#define ABOVE %" PRIu32 "\n#define WIDE %" PRIu32 "\n#define HIGH %" PRIu32
                   "\n#define OF_PIECE %" PRIu32 "\n#define THREADS %" PRIu32 "\n",
                   problem->rows, problem->columns, down, above, tile.columns, tile.rows,
                   16 / bytes, tile.threads);
    smp_script_add(script,
                   "global %s out[COLUMNS][ROWS]\nglobal %s in[ROWS * COLUMNS + OF_PIECE]\n"
                   "block %" PRIu32 "\ngrid %" PRIu64 "\nshared %s tile[%" PRIu32 "]\n"
                   "int row0 = blockIdx.x %% LENGTH * HIGH\n"
                   "int column0 = blockIdx.x / LENGTH * WIDE\n",
                   type, type, tile.threads, down * across, type, any_bytes(problem) / bytes);
    copy_script(script);
    smp_script_add(script,
                   "for (int x = warpid; x < WIDE; x += %" PRIu32 ") {\n"
                   "for (int p = 0; p < HIGH; p += 32) {\n"
                   "int column = column0 + x\n"
                   "int y = p + laneid - ((unsigned)column * ROWS + row0) %% (ABOVE + 1)\n"
                   "int row = row0 + y\n"
                   "int tall = y + ABOVE\n"
                   "int before = ((unsigned)row * COLUMNS + column0) %% OF_PIECE\n"
                   "int at = (%d * tall + tall / OF_PIECE) * OF_PIECE + before + x\n"
                   "bool is_there = column < COLUMNS && row >= 0 && row < ROWS\n"
                   "if (is_there) ld tile[at]   # tile read\n"
                   "if (is_there) st out[column][row]   # global write\n}\n}\n",
                   tile.threads / 32, SMP_ANY_PIECES);
    smp_script_add_edges(script, across, 1, down);
}

/* ---- Strips ---- */

smp_strip_tile smp_strip_tile_of(const smp_kernel_case *problem) {
    static const smp_strip_tile tiles[] = {[1] = SMP_STRIP_TILE_1, [2] = SMP_STRIP_TILE_2};
    return tiles[bytes_of(problem)];
}

/* Rows in the ring are as far apart as in global memory, modulo 32. Lanes are a word of rows
 * apart: they reach all banks where that distance, in bytes or halves, is odd; else they meet the
 * same banks again after fewer lanes, and those lanes begin with another row. */
smp_strip_plan smp_strip_plan_of(const smp_kernel_case *problem) {
    const smp_strip_tile tile = smp_strip_tile_of(problem);
    const uint32_t bytes = bytes_of(problem), sector = 32 / bytes;
    const uint32_t rest = (uint32_t)(problem->columns * bytes % 32);
    const uint32_t low =
        rest % 16 != 0 ? rest & (0u - rest) : 16; /* the lowest bit of the distance */
    const uint64_t walk = tile.steps * SMP_STRIP_STEP(bytes);
    smp_strip_plan plan = {
        .strips = (uint32_t)smp_divide_up(problem->columns * bytes, tile.bytes),
        .walks = (uint32_t)smp_divide_up(problem->rows + sector - 1, walk),
        .pitch = tile.bytes + 32 + rest,
        .turn_lanes = 32 * bytes / low,
        .turn_rows = low < 4 ? 4 / low : 1,
    };
    plan.shared_bytes = SMP_STRIP_RING(bytes, tile.ahead) * plan.pitch + 32;
    return plan;
}

static void strip_script(smp_kernel_script *script, const smp_kernel_case *problem) {
    const char *type = smp_element_info(problem->element)->layout_name;
    const smp_strip_tile tile = smp_strip_tile_of(problem);
    const smp_strip_plan plan = smp_strip_plan_of(problem);
    const uint32_t bytes = bytes_of(problem);
    smp_script_add(script,
                   "#define ROWS %" PRIu64 "\n#define COLUMNS %" PRIu64 "\n#define WALKS %" PRIu32
                   "\n#define WIDE %" PRIu32 "\n#define STEPS %" PRIu32 "\n#define STEP %" PRIu32
                   "\n#define EACH %" PRIu32 "\n#define SECTOR %" PRIu32 "\n#define RING %" PRIu32
                   "\n#define PITCH %" PRIu32 "\n#define THREADS %" PRIu32
                   "\n#define PIECES %" PRIu32 "\n",
                   problem->rows, problem->columns, plan.walks, tile.bytes / bytes, tile.steps,
                   SMP_STRIP_STEP(bytes), 4 / bytes, 32 / bytes, SMP_STRIP_RING(bytes, tile.ahead),
                   plan.pitch / bytes, tile.threads, SMP_STRIP_PIECES(tile.bytes));
    smp_script_add(script,
                   "global %s out[COLUMNS][ROWS]\nglobal %s in[ROWS * COLUMNS + SECTOR]\n"
                   "block %" PRIu32 "\ngrid %" PRIu64 "\nshared %s tile[%" PRIu32 "]\n"
                   "int row0 = blockIdx.x %% WALKS * STEPS * STEP\n"
                   "int column0 = blockIdx.x / WALKS * WIDE\n"
                   "int width = min(WIDE, COLUMNS - column0)\n"
                   "int first = ((unsigned)(row0 - SECTOR) * COLUMNS + column0) %% SECTOR\n",
                   type, type, tile.threads, (uint64_t)plan.walks * plan.strips, type,
                   plan.shared_bytes / bytes);
    smp_script_add(script,
                   "for (int t = 0; t < STEPS; t++) {\n"
                   "int before_it = t == 0 ? 0 : SECTOR + t * STEP\n"
                   "for (int s = 0; s < (SECTOR + STEP) * PIECES; s += THREADS) {\n"
                   "int y = (s + threadIdx.x) / PIECES\n"
                   "int q = before_it + y\n"
                   "int row = row0 - SECTOR + q\n"
                   "size_t start = (size_t)row * COLUMNS + column0\n"
                   "int before = start %% SECTOR\n"
                   "int at = (s + threadIdx.x) %% PIECES * %" PRIu32 "\n"
                   "bool is_row = y < (t == 0 ? SECTOR + STEP : STEP) && row >= 0 && row < ROWS\n"
                   "if (is_row && at + %" PRIu32 " > before && at < before + width) cp.async "
                   "&tile[q %% RING * PITCH + first - before + at], &in[start - before + at], 16   "
                   "# global read\n}\n}\n",
                   16 / bytes, 16 / bytes);
    smp_script_add(script,
                   "for (int t = 0; t < STEPS; t++) {\n"
                   "for (int x = warpid; x < SECTOR; x += THREADS / 32) {\n"
                   "int begin = column0 + x\n"
                   "int y = t * STEP + laneid * EACH - ((unsigned)begin * ROWS + row0) %% SECTOR\n"
                   "int row = row0 + y\n"
                   "bool is_whole = row >= 0 && row + EACH <= ROWS\n"
                   "for (int g = x; g < WIDE; g += SECTOR) {\n"
                   "int column = column0 + g\n"
                   "for (int i = 0; i < EACH; i++) {\n"
                   "int k = (i + laneid / %" PRIu32 " * %" PRIu32 ") %% EACH\n"
                   "int from = (y + SECTOR + k) %% RING * PITCH + first + g\n"
                   "bool is_there = row + k >= 0 && row + k < ROWS && !is_whole\n"
                   "if (g < width && is_whole) ld tile[from]   # tile read\n"
                   "if (g < width && is_there) ld tile[from]   # tile read\n"
                   "if (g < width && is_there) st out[column][row + k]   # global write\n}\n"
                   "if (g < width && is_whole) st *(unsigned *)&out[column][row]   # global "
                   "write\n}\n}\n}\n",
                   plan.turn_lanes, plan.turn_rows);
    smp_script_add_edges(script, plan.strips, 1, plan.walks);
}

/* ---- Both ---- */

static const smp_kernel_variant *fastest(void) {
    return smp_kernel_variant_find(&smp_transpose_family, "fastest");
}

bool smp_transpose_script_anywhere(const smp_kernel_case *problem, uint32_t index,
                                   smp_kernel_script *script) {
    if (smp_transpose_takes_vectors(problem))
        return fastest()->script(problem, index, script);
    if (index == 0 && bytes_of(problem) < 4)
        strip_script(script, problem);
    else if (index == 0)
        sector_script(script, problem);
    return index == 0;
}

smp_kernel_shape smp_transpose_shape_anywhere(const smp_kernel_case *problem) {
    if (smp_transpose_takes_vectors(problem))
        return smp_kernel_shape_of(fastest(), problem);
    if (bytes_of(problem) < 4) {
        const smp_strip_plan plan = smp_strip_plan_of(problem);
        return (smp_kernel_shape){.blocks = (uint64_t)plan.strips * plan.walks,
                                  .threads = smp_strip_tile_of(problem).threads,
                                  .shared_bytes = plan.shared_bytes};
    }
    const smp_vector_tile tile = any_tile(problem);
    const uint64_t tall = problem->rows + SMP_ANY_ABOVE(bytes_of(problem));
    return (smp_kernel_shape){.blocks = smp_divide_up(tall, tile.rows) *
                                        smp_divide_up(problem->columns, tile.columns),
                              .threads = tile.threads,
                              .shared_bytes = any_bytes(problem)};
}

/* Known from recordings: for halves and doubles the counts of these kernels are exact. */
const char *smp_transpose_contended(const smp_kernel_case *problem) {
    const uint32_t bytes = bytes_of(problem);
    return smp_transpose_takes_vectors(problem) || bytes == 2 || bytes == 8
               ? NULL
               : "beside copies of 16 bytes the counter of loads reads up to 0.6 % more than the "
                 "addresses cause; all else is exact (docs/evidence/transpose.md)";
}
