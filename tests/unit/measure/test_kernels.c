/* SPDX-License-Identifier: MIT */
/*
 * The plain C side of the kernels. The prediction of a launch from classes of
 * blocks must equal the sum over all of its blocks, and for transposes that of an independent walk
 * over all warps; references must be right; builds without CUDA must say so.
 */
#include <stdlib.h>
#include <string.h>

#include "smp_forecast.h"
#include "suite.h"

enum { TILE = 32 };

/* Under sanitizers each element type takes every sixth size, the next another sixth. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 6 };
#else
enum { EVERY = 1 };
#endif

/* ---- All blocks, one by one ---- */

static const smp_kernel_variant *original;
static uint64_t first_block;

/* The script of `original` for blocks first_block and those that follow, each once. */
static bool script_of_some(const smp_kernel_case *problem, uint32_t index,
                           smp_kernel_script *script) {
    if (!original->script(problem, index, script))
        return false;
    uint64_t blocks = 0;
    for (size_t i = 0; i < script->block_count; i++)
        blocks += script->blocks[i].times;
    script->block_count = 0;
    for (uint64_t i = first_block; i < blocks && i < first_block + SMP_SCRIPT_BLOCKS; i++)
        smp_script_add_block(script, i, 1);
    return true;
}

static smp_traffic all_blocks(const smp_kernel_family *family, const smp_kernel_variant *variant,
                              const smp_kernel_case *problem) {
    const uint64_t blocks = smp_kernel_shape_of(variant, problem).blocks;
    smp_traffic sum = {0};
    smp_kernel_variant some = *variant;
    original = variant;
    some.script = script_of_some;
    for (first_block = 0; first_block < blocks; first_block += SMP_SCRIPT_BLOCKS) {
        smp_forecast part;
        smp_error error;
        smp_status status = smp_kernel_forecast(smp_arch_find("sm_90"), family, &some, problem,
                                                NULL, &part, &error);
        ck_assert_msg(status == SMP_OK, "%s: %s", variant->name, error.message);
        for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
            sum.count[i] += part.traffic.count[i];
    }
    return sum;
}

static void check_classes(const smp_kernel_family *family, const smp_kernel_case *problem) {
    char text[SMP_CASE_TEXT_MAX];
    (void)smp_kernel_case_format(problem, family->is_matrix, text);
    for (size_t v = 0; v < family->variant_count; v++) {
        const smp_kernel_variant *variant = &family->variants[v];
        smp_forecast forecast;
        smp_error error;
        if (!variant->script || smp_kernel_check(family, variant, problem, NULL) != SMP_OK)
            continue;
        smp_status status = smp_kernel_forecast(smp_arch_find("sm_90"), family, variant, problem,
                                                NULL, &forecast, &error);
        ck_assert_msg(status == SMP_OK, "%s %s %s: %s", family->name, variant->name, text,
                      error.message);
        ck_assert_msg(forecast.global.transactions >= forecast.global.ideal_sectors &&
                          forecast.shared.wavefronts_max ==
                              forecast.shared.ideal + forecast.shared.excess,
                      "%s %s %s: better than ideal", family->name, variant->name, text);
        if (variant->trace)
            continue;
        const smp_traffic all = all_blocks(family, variant, problem);
        for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
            ck_assert_msg(forecast.traffic.count[i] == all.count[i],
                          "%s %s %s: %s is %llu by classes, %llu block by block", family->name,
                          variant->name, text, smp_traffic_rows()[i].name,
                          (unsigned long long)forecast.traffic.count[i],
                          (unsigned long long)all.count[i]);
    }
}

static const uint64_t matrices[][2] = {{1, 1},   {32, 32}, {64, 96}, {31, 33},   {33, 31},
                                       {257, 1}, {1, 130}, {95, 64}, {208, 336}, {300, 277}};
static const uint64_t rows[][2] = {{1, 1}, {1, 31}, {1, 256}, {1, 1000}, {1, 5000}};

START_TEST(classes_stand_for_all_blocks) {
    size_t count;
    const smp_kernel_family *family = smp_kernel_families(&count)[_i];
    const size_t sizes =
        family->is_matrix ? sizeof matrices / sizeof matrices[0] : sizeof rows / sizeof rows[0];
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++)
        for (size_t s = e % EVERY; s < sizes; s += EVERY) {
            smp_kernel_case problem = family->standard;
            problem.element = (smp_element)e;
            problem.rows = family->is_matrix ? matrices[s][0] : 1;
            problem.columns = family->is_matrix ? matrices[s][1] : rows[s][1];
            if (smp_kernel_check(family, NULL, &problem, NULL) == SMP_OK)
                check_classes(family, &problem);
        }
}
END_TEST

/* ---- Transposes, warp by warp ---- */

static void add_access(smp_traffic *sum, const smp_access *access) {
    smp_counts counts;
    if (access->active_mask == 0)
        return;
    ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), access, &counts), SMP_OK);
    switch (access->op) {
    case SMP_LD_SHARED:
        sum->count[SMP_WAVEFRONTS_LD] += counts.wavefronts_max;
        break;
    case SMP_ST_SHARED:
        sum->count[SMP_WAVEFRONTS_ST] += counts.wavefronts_max;
        break;
    case SMP_LD_GLOBAL:
        sum->count[SMP_SECTORS_LD] += counts.transactions;
        break;
    default:
        sum->count[SMP_SECTORS_ST] += counts.transactions;
    }
}

/* One warp of a block that reads row `row` of `height` x `width` from column `column` on; `across`
 * addresses the transpose instead. */
static void add_global(smp_traffic *sum, smp_op op, uint32_t bytes, uint64_t height, uint64_t width,
                       uint64_t row, uint64_t column, bool across) {
    smp_access access = {.op = op, .width_bytes = bytes};
    for (uint32_t lane = 0; lane < TILE && column + lane < width; lane++) {
        uint64_t element = across ? (column + lane) * height + row : row * width + column + lane;
        access.active_mask |= 1u << lane;
        access.address_bytes[lane] = element * bytes;
    }
    add_access(sum, &access);
}

/* Both sides of the tile whose corner is (row, column). */
static void add_tile(smp_traffic *sum, const smp_kernel_case *problem, uint32_t bytes, uint64_t row,
                     uint64_t column, uint32_t pitch) {
    const uint64_t high = problem->rows - row, wide = problem->columns - column;
    for (uint32_t warp = 0; warp < TILE; warp++) {
        smp_access in = {.op = SMP_ST_SHARED, .width_bytes = bytes};
        smp_access out = {.op = SMP_LD_SHARED, .width_bytes = bytes};
        for (uint32_t lane = 0; lane < TILE; lane++) {
            in.active_mask |= (uint32_t)(warp < high && lane < wide) << lane;
            in.offset_bytes[lane] = (warp * pitch + lane) * bytes;
            out.active_mask |= (uint32_t)(warp < wide && lane < high) << lane;
            out.offset_bytes[lane] = (lane * pitch + warp) * bytes;
        }
        add_access(sum, &in);
        add_access(sum, &out);
    }
}

static smp_traffic walk(const char *variant, const smp_kernel_case *problem) {
    smp_traffic sum = {{0}};
    const bool is_naive = strcmp(variant, "naive-read") == 0;
    const uint32_t pitch = strcmp(variant, "padded") == 0 ? TILE + 1 : TILE;
    const uint32_t bytes = smp_element_info(problem->element)->bytes;
    const uint64_t height = problem->rows, width = problem->columns;
    for (uint64_t row = 0; row < height; row++)
        for (uint64_t column = 0; column < width; column += TILE) {
            add_global(&sum, SMP_LD_GLOBAL, bytes, height, width, row, column, false);
            if (is_naive)
                add_global(&sum, SMP_ST_GLOBAL, bytes, height, width, row, column, true);
        }
    if (is_naive)
        return sum;
    for (uint64_t row = 0; row < width; row++)
        for (uint64_t column = 0; column < height; column += TILE)
            add_global(&sum, SMP_ST_GLOBAL, bytes, width, height, row, column, false);
    for (uint64_t row = 0; row < height; row += TILE)
        for (uint64_t column = 0; column < width; column += TILE)
            add_tile(&sum, problem, bytes, row, column, pitch);
    return sum;
}

static const char *const walked[] = {"naive-read", "tiled32", "padded"};
enum { WALKED = sizeof walked / sizeof walked[0] };

START_TEST(transposes_ask_what_a_walk_asks) {
    const smp_kernel_family *family = smp_kernel_family_find("transpose");
    const smp_kernel_variant *variant = smp_kernel_variant_find(family, walked[_i % WALKED]);
    const smp_element element = (smp_element)(_i / WALKED);
    for (size_t s = 0; s < sizeof matrices / sizeof matrices[0]; s++) {
        const smp_kernel_case problem = {
            .element = element, .rows = matrices[s][0], .columns = matrices[s][1]};
        smp_forecast forecast;
        const smp_traffic sum = walk(variant->name, &problem);
        ck_assert_int_eq(smp_kernel_forecast(smp_arch_find("sm_90"), family, variant, &problem,
                                             NULL, &forecast, NULL),
                         SMP_OK);
        ck_assert_mem_eq(&forecast.traffic, &sum, sizeof sum);
    }
}
END_TEST

START_TEST(padding_and_swizzling_free_the_tile) {
    static const char *const names[] = {"padded", "swizzled", "fastest"};
    const smp_kernel_family *family = smp_kernel_family_find("transpose");
    for (size_t i = 0; i < 3; i++) {
        smp_forecast forecast;
        ck_assert_int_eq(smp_kernel_forecast(smp_arch_find("sm_90"), family,
                                             smp_kernel_variant_find(family, names[i]),
                                             &family->standard, NULL, &forecast, NULL),
                         SMP_OK);
        ck_assert_msg(forecast.shared.excess == 0 &&
                          forecast.global.transactions == forecast.global.ideal_sectors,
                      "%s", names[i]);
    }
}
END_TEST

/* ---- Results ---- */

/* The result of solve() passes, and no byte of it may change. */
static void check_verify(const smp_kernel_family *family, const smp_kernel_case *problem) {
    const smp_kernel_bytes bytes = family->bytes(problem);
    unsigned char *in = malloc(bytes.in), *out = malloc(bytes.out);
    smp_error error;
    ck_assert(in && out);
    family->fill(problem, in);
    memset(out, 0xa5, bytes.out);
    family->solve(problem, in, out);
    smp_status status = family->verify(problem, in, out, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", family->name, error.message);
    const size_t at = bytes.out - 1; /* of a little-endian number, the byte that weighs most */
    out[at] ^= 0x15;
    ck_assert_msg(family->verify(problem, in, out, &error) == SMP_E_RESULT,
                  "%s: a wrong byte passes", family->name);
    ck_assert_msg(strlen(error.message) > 10, "%s: '%s'", family->name, error.message);
    free(in);
    free(out);
}

START_TEST(a_wrong_result_is_seen) {
    size_t count;
    const smp_kernel_family *family = smp_kernel_families(&count)[_i];
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++) {
        smp_kernel_case problem = family->standard;
        problem.element = (smp_element)e;
        problem.rows = family->is_matrix ? 100 : 1;
        problem.columns = family->is_matrix ? 70 : 1000;
        if (smp_kernel_check(family, NULL, &problem, NULL) == SMP_OK)
            check_verify(family, &problem);
    }
}
END_TEST

START_TEST(bad_cases_are_refused) {
    size_t count;
    const smp_kernel_family *family = smp_kernel_families(&count)[_i];
    smp_kernel_case problem = family->standard;
    smp_error error;
    problem.columns = 0;
    ck_assert_int_eq(smp_kernel_check(family, NULL, &problem, &error), SMP_E_USAGE);
    ck_assert_msg(strstr(error.message, "size of 0"), "%s", error.message);
    problem.columns = UINT64_C(1) << 50;
    ck_assert_int_ne(smp_kernel_check(family, NULL, &problem, &error), SMP_OK);
    ck_assert_msg(strlen(error.message) > 10, "'%s'", error.message);
    problem = family->standard;
    problem.rows = 2;
    if (!family->is_matrix)
        ck_assert_int_eq(smp_kernel_check(family, NULL, &problem, &error), SMP_E_USAGE);
    problem = family->standard;
    problem.cluster = 2;
    if (!family->has_clusters)
        ck_assert_int_eq(smp_kernel_check(family, NULL, &problem, &error), SMP_E_USAGE);
}
END_TEST

START_TEST(reference_transposes) {
    const smp_kernel_family *family = smp_kernel_family_find("transpose");
    const smp_kernel_case problem = {.element = SMP_FLOAT, .rows = 2, .columns = 3};
    const float in[6] = {1, 2, 3, 4, 5, 6}, expected[6] = {1, 4, 2, 5, 3, 6};
    float out[6] = {0};
    family->solve(&problem, in, out);
    ck_assert_mem_eq(out, expected, sizeof out);
}
END_TEST

START_TEST(scripts_that_are_too_long_say_so) {
    static smp_kernel_script script;
    memset(&script, 0, sizeof script);
    for (int i = 0; i < 2000 && !script.overflows; i++)
        smp_script_add(&script, "# line %d\n", i);
    ck_assert(script.overflows);
    ck_assert_uint_eq(strlen(script.text) / 4096, SMP_SCRIPT_BYTES / 4096 - 1);
    memset(&script, 0, sizeof script);
    smp_script_add_block(&script, 3, 0);
    ck_assert_uint_eq(script.block_count, 0);
    for (uint64_t i = 0; i <= SMP_SCRIPT_BLOCKS; i++)
        smp_script_add_block(&script, i, 1);
    ck_assert(script.overflows);
}
END_TEST

START_TEST(without_cuda_nothing_is_launched) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    const smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = 1};
    smp_error error;
    double cycles;
    if (smp_kernels_built())
        return;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < families[i]->variant_count; v++) {
            const smp_kernel_variant *variant = &families[i]->variants[v];
            const smp_kernel_launch launch = {.problem = &families[i]->standard};
            if (variant->launch)
                ck_assert_int_eq(variant->launch(&launch, &error), SMP_E_NOT_BUILT);
        }
    ck_assert_int_eq(smp_access_launch(&access, 1, false, NULL, &error), SMP_E_NOT_BUILT);
    ck_assert_int_eq(smp_access_clock(&access, NULL, &cycles, &error), SMP_E_NOT_BUILT);
    ck_assert_uint_eq(smp_access_scratch_bytes(), 0);
    ck_assert_msg(strstr(error.message, "CUDA"), "%s", error.message);
}
END_TEST

static int family_count(void) {
    size_t count;
    smp_kernel_families(&count);
    return (int)count;
}

int main(void) {
    return SUITE("kernels", TEST_EACH(classes_stand_for_all_blocks, family_count()),
                 TEST_EACH(transposes_ask_what_a_walk_asks, 4 * WALKED),
                 TEST(padding_and_swizzling_free_the_tile),
                 TEST_EACH(a_wrong_result_is_seen, family_count()),
                 TEST_EACH(bad_cases_are_refused, family_count()), TEST(reference_transposes),
                 TEST(scripts_that_are_too_long_say_so), TEST(without_cuda_nothing_is_launched));
}
