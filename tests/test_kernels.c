/* SPDX-License-Identifier: MIT */
/*
 * test_kernels.c: the plain C side of the kernels. A trace must ask of memory what a walk over
 * every warp of the launch asks, one by one; references must be right; builds without CUDA must say
 * so.
 */
#include <stdlib.h>
#include <string.h>

#include "smp_kernels.h"
#include "suite.h"

enum { TILE = 32 };

static const smp_kernel_size sizes[] = {
    {1, 1}, {32, 32}, {64, 96}, {31, 33}, {33, 31}, {100, 70}, {257, 1}, {1, 130}, {95, 64},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

typedef struct totals {
    uint64_t shared_loads, shared_stores;      /* wavefronts */
    uint64_t global_loads, global_stores;      /* sectors */
    uint64_t elements_loaded, elements_stored; /* of global memory */
} totals;

static bool add_access(void *user, const char *site, const smp_access *access, uint64_t times) {
    totals *sum = user;
    smp_counts counts;
    smp_status status = smp_predict(smp_arch_find("sm_90"), access, &counts);
    ck_assert_msg(status == SMP_OK, "%s: %s", site, smp_status_name(status));
    ck_assert_msg(*site != '\0' && times > 0, "a site without name or number");
    switch (access->op) {
    case SMP_LD_SHARED:
        sum->shared_loads += times * counts.wavefronts_max;
        break;
    case SMP_ST_SHARED:
        sum->shared_stores += times * counts.wavefronts_max;
        break;
    case SMP_LD_GLOBAL:
        sum->global_loads += times * counts.transactions;
        sum->elements_loaded += times * counts.active_lanes;
        break;
    case SMP_ST_GLOBAL:
        sum->global_stores += times * counts.transactions;
        sum->elements_stored += times * counts.active_lanes;
        break;
    default:
        ck_abort_msg("%s: unexpected operation", site);
    }
    return true;
}

/* ---- The same walk, warp by warp ----------------------------------------------------------- */

/* One warp of a block that reads row `row` of `rows` x `columns` from column `column` on; `across`
 * addresses the transpose instead. */
static void add_global(totals *sum, smp_op op, uint32_t rows, uint32_t columns, uint32_t row,
                       uint32_t column, bool across) {
    smp_access access = {.op = op, .width_bytes = 4};
    for (uint32_t lane = 0; lane < TILE && column + lane < columns; lane++) {
        uint64_t element = across ? (uint64_t)(column + lane) * rows + row
                                  : (uint64_t)row * columns + column + lane;
        access.active_mask |= 1u << lane;
        access.address_bytes[lane] = element * 4;
    }
    add_access(sum, "walk", &access, 1);
}

/* Both sides of the tile whose corner is (row, column). */
static void add_tile(totals *sum, smp_kernel_size size, uint32_t row, uint32_t column,
                     uint32_t pitch) {
    uint32_t high = size.rows - row < TILE ? size.rows - row : TILE;
    uint32_t wide = size.columns - column < TILE ? size.columns - column : TILE;
    for (uint32_t warp = 0; warp < TILE; warp++) {
        smp_access in = {.op = SMP_ST_SHARED, .width_bytes = 4};
        smp_access out = {.op = SMP_LD_SHARED, .width_bytes = 4};
        for (uint32_t lane = 0; lane < TILE; lane++) {
            in.active_mask |= (uint32_t)(warp < high && lane < wide) << lane;
            in.offset_bytes[lane] = (warp * pitch + lane) * 4;
            out.active_mask |= (uint32_t)(warp < wide && lane < high) << lane;
            out.offset_bytes[lane] = (lane * pitch + warp) * 4;
        }
        if (in.active_mask)
            add_access(sum, "walk", &in, 1);
        if (out.active_mask)
            add_access(sum, "walk", &out, 1);
    }
}

static totals walk(const smp_kernel_variant *variant, smp_kernel_size size) {
    totals sum = {0};
    const bool is_naive = strcmp(variant->name, "naive") == 0;
    const uint32_t pitch = strcmp(variant->name, "padded") == 0 ? TILE + 1 : TILE;
    for (uint32_t row = 0; row < size.rows; row++)
        for (uint32_t column = 0; column < size.columns; column += TILE) {
            add_global(&sum, SMP_LD_GLOBAL, size.rows, size.columns, row, column, false);
            if (is_naive)
                add_global(&sum, SMP_ST_GLOBAL, size.rows, size.columns, row, column, true);
        }
    if (is_naive)
        return sum;
    for (uint32_t row = 0; row < size.columns; row++)
        for (uint32_t column = 0; column < size.rows; column += TILE)
            add_global(&sum, SMP_ST_GLOBAL, size.columns, size.rows, row, column, false);
    for (uint32_t row = 0; row < size.rows; row += TILE)
        for (uint32_t column = 0; column < size.columns; column += TILE)
            add_tile(&sum, size, row, column, pitch);
    return sum;
}

/* ---- Tests --------------------------------------------------------------------------------- */

static const smp_kernel_variant *find(const char *family, const char *name) {
    size_t count;
    const smp_kernel_variant *rows = smp_kernel_variants(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].family, family) && !strcmp(rows[i].name, name))
            return &rows[i];
    ck_abort_msg("%s %s is no variant", family, name);
}

static const char *const transposes[] = {"naive", "tiled", "padded"};
enum { TRANSPOSES = sizeof transposes / sizeof transposes[0] };

START_TEST(trace_asks_what_the_warps_ask) {
    const smp_kernel_variant *variant = find("transpose", transposes[_i % TRANSPOSES]);
    smp_kernel_size size = sizes[_i / TRANSPOSES];
    totals traced = {0}, walked = walk(variant, size);
    ck_assert_int_eq(variant->trace(size, add_access, &traced), SMP_OK);
    ck_assert_uint_eq(traced.shared_loads, walked.shared_loads);
    ck_assert_uint_eq(traced.shared_stores, walked.shared_stores);
    ck_assert_uint_eq(traced.global_loads, walked.global_loads);
    ck_assert_uint_eq(traced.global_stores, walked.global_stores);
    ck_assert_uint_eq(traced.elements_loaded, (uint64_t)size.rows * size.columns);
    ck_assert_uint_eq(traced.elements_stored, (uint64_t)size.rows * size.columns);
}
END_TEST

START_TEST(padding_frees_the_tile) {
    smp_kernel_size size = {4096, 4096};
    totals tiled = {0}, padded = {0};
    find("transpose", "tiled")->trace(size, add_access, &tiled);
    find("transpose", "padded")->trace(size, add_access, &padded);
    ck_assert_uint_eq(padded.shared_loads, 4096u * 4096u / TILE);
    ck_assert_uint_eq(tiled.shared_loads, padded.shared_loads * TILE);
    ck_assert_uint_eq(tiled.shared_stores, padded.shared_stores);
}
END_TEST

static bool stop(void *user, const char *site, const smp_access *access, uint64_t times) {
    int *visits = user;
    (void)site, (void)access, (void)times;
    *visits += 1;
    return false;
}

START_TEST(traces_stop_when_told) {
    size_t count;
    const smp_kernel_variant *variant = &smp_kernel_variants(&count)[_i];
    int visits = 0;
    ck_assert_int_eq(variant->trace((smp_kernel_size){64, 64}, stop, &visits), SMP_E_INTERRUPTED);
    ck_assert_int_eq(visits, 1);
}
END_TEST

START_TEST(reference_transposes) {
    const smp_kernel_variant *variant = find("transpose", transposes[_i]);
    const float in[6] = {1, 2, 3, 4, 5, 6}, expected[6] = {1, 4, 2, 5, 3, 6};
    float out[6] = {0};
    variant->reference(in, out, (smp_kernel_size){2, 3});
    for (int i = 0; i < 6; i++)
        ck_assert_msg(out[i] == expected[i], "element %d: %g", i, (double)out[i]);
}
END_TEST

START_TEST(without_cuda_nothing_is_launched) {
    size_t count;
    const smp_kernel_variant *rows = smp_kernel_variants(&count);
    const smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = 1};
    smp_error error;
    double cycles;
    if (smp_kernels_built())
        return;
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(rows[i].launch(NULL, NULL, sizes[0], false, &error), SMP_E_NOT_BUILT);
    ck_assert_int_eq(smp_access_launch(&access, 1, false, NULL, &error), SMP_E_NOT_BUILT);
    ck_assert_int_eq(smp_access_clock(&access, NULL, &cycles, &error), SMP_E_NOT_BUILT);
    ck_assert_int_eq(smp_extra_launch(SMP_EXTRA_ATOM_MIN, &access, 1, NULL, &error),
                     SMP_E_NOT_BUILT);
    ck_assert_int_eq(smp_extra_clock(SMP_EXTRA_ATOM_MIN, &access, NULL, &cycles, &error),
                     SMP_E_NOT_BUILT);
    ck_assert_uint_eq(smp_access_scratch_bytes(), 0);
    ck_assert_msg(strstr(error.message, "CUDA") != NULL, "%s", error.message);
}
END_TEST

static int variant_count(void) {
    size_t count;
    smp_kernel_variants(&count);
    return (int)count;
}

int main(void) {
    Suite *suite = suite_create("kernels");
    TCase *kernels = tcase_create("kernels");
    tcase_add_loop_test(kernels, trace_asks_what_the_warps_ask, 0, SIZES * TRANSPOSES);
    tcase_add_test(kernels, padding_frees_the_tile);
    tcase_add_loop_test(kernels, traces_stop_when_told, 0, variant_count());
    tcase_add_loop_test(kernels, reference_transposes, 0, TRANSPOSES);
    tcase_add_test(kernels, without_cuda_nothing_is_launched);
    suite_add_tcase(suite, kernels);
    return suite_run(suite);
}
