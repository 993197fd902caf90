/* SPDX-License-Identifier: MIT */
/*
 * The family `occupancy`: what padding costs in resident blocks. Its transpose uses the largest
 * tile of which four blocks fit on a multiprocessor of compute capability 9.0 (57 KiB each, of
 * which the system keeps 1 KiB). With one more column only three fit. XOR needs no extra column.
 */
#include "transpose.h"

static void write_script(smp_kernel_script *script, const smp_kernel_case *problem, uint32_t rows,
                         uint32_t pitch, const char *place) {
    const uint64_t down = smp_divide_up(problem->rows, rows);
    const uint64_t across = smp_divide_up(problem->columns, SMP_LARGE_COLUMNS);
    script->shape = (smp_kernel_shape){down * across, SMP_LANES * SMP_LARGE_WARPS,
                                       rows * pitch * (uint32_t)sizeof(float)};
    SMP_DEFINE(script, {"ROWS", problem->rows}, {"COLUMNS", problem->columns}, {"ACROSS", across},
               {"BLOCKS", down * across}, {"HIGH", rows}, {"WIDE", SMP_LARGE_COLUMNS},
               {"PITCH", pitch}, {"WARPS", SMP_LARGE_WARPS});
    smp_script_define_text(script, "PLACE(y, x)", place);
    smp_script_take(script, "occupancy");
    smp_script_add_tiles(script, down, across, 1);
}

SMP_SCRIPT_ONCE(script_plain, write_script(script, problem, SMP_LARGE_ROWS, SMP_LARGE_COLUMNS, "x"))
SMP_SCRIPT_ONCE(script_padded,
                write_script(script, problem, SMP_LARGE_ROWS, SMP_LARGE_COLUMNS + 1, "x"))
SMP_SCRIPT_ONCE(script_smaller,
                write_script(script, problem, SMP_SMALLER_ROWS, SMP_LARGE_COLUMNS + 1, "x"))
SMP_SCRIPT_ONCE(script_swizzled,
                write_script(script, problem, SMP_LARGE_ROWS, SMP_LARGE_COLUMNS, "(x ^ y & 31)"))

static const smp_kernel_variant variants[] = {
    {SMP_VARIANT("plain", "a 112 x 128 tile: four blocks a multiprocessor of 228 KiB", script_plain,
                 smp_occupancy_plain)},
    {SMP_VARIANT("padded", "112 x 129: only three", script_padded, smp_occupancy_padded)},
    {SMP_VARIANT("smaller", "104 x 129: four again", script_smaller, smp_occupancy_smaller)},
    {SMP_VARIANT("swizzled", "112 x 128 with column ^ row % 32: four again", script_swizzled,
                 smp_occupancy_swizzled)},
};

static const smp_kernel_claim claims[] = {
    {"plain", "padded", "one column of padding"},
    {"padded", "smaller", "a tile with fewer rows"},
    {"padded", "swizzled", "a swizzle instead of padding"},
};

const smp_kernel_family smp_occupancy_family = {
    .name = "occupancy",
    .summary = "a transpose through tiles that fill a multiprocessor: what padding costs",
    .elements = 1u << SMP_FLOAT,
    .standard = {.element = SMP_FLOAT, .rows = 4096, .columns = 4096, .seed = 1},
    SMP_MATRIX_LIMITS,
    .baseline_name = "device-to-device copy",
    SMP_TRANSPOSE_PARTS,
    SMP_FAMILY_ROWS(variants, claims),
};
