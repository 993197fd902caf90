/* SPDX-License-Identifier: MIT */
/*
 * One array of a reference beside the same array of a candidate, a row each: which elements differ,
 * by how much, and when arrays cannot be compared. Then the cost by which candidates are ranked.
 */
#include <math.h>
#include <string.h>

#include "judged.h"
#include "suite.h"

enum { ELEMENTS = 4 };

typedef struct compare_row {
    const char *name;
    smp_element_kind kind;
    uint8_t element_bytes;
    double tolerance; /* below 0: by the type */
    double should[ELEMENTS], is[ELEMENTS];
    uint64_t differ, index; /* of the first that differs */
    double max_error;
} compare_row;

#define FLOAT SMP_ELEMENT_FLOAT, 4
#define DOUBLE SMP_ELEMENT_FLOAT, 8
#define INT SMP_ELEMENT_INTEGER, 4

/* The root mean square of {3, 4, 3, 4} is 3.5355. */
/* clang-format off */
static const compare_row rows[] = {
    {"equal", FLOAT, -1, {1, 2, 3, 4}, {1, 2, 3, 4}, 0, 0, 0},
    {"a float's usual tolerance", FLOAT, -1, {3, 4, 3, 4}, {3, 4.00002, 3, 4}, 0, 0, 0.5e-5},
    {"beyond it", FLOAT, -1, {3, 4, 3, 4}, {3, 4, 3.0001, 4}, 1, 2, 2.83e-5},
    {"doubles are exact to 1e-12", DOUBLE, -1, {3, 4, 3, 4}, {3, 4.00002, 3, 4}, 1, 1, 0.5e-5},
    {"an element near 0 is as exact as its neighbours", FLOAT, -1, {1e-9, 4, 3, 4}, {2e-9, 4, 3, 4}, 0, 0, 3.12e-10},
    {"a large element, relative to itself", FLOAT, 0.1, {1, 1, 1, 100}, {1, 1, 1, 109}, 0, 0, 0.09},
    {"a tolerance that is asked for", FLOAT, 0.5, {3, 4, 3, 4}, {4, 5, 3, 4}, 0, 0, 0.283},
    {"no tolerance", FLOAT, 0, {3, 4, 3, 4}, {3, 4, 3, 4.000001}, 1, 3, 2.4e-7},
    {"integers are exact", INT, 0.5, {3, 4, 3, 4}, {3, 4, 3, 5}, 1, 3, 0.25},
    {"NaN where NaN should be", FLOAT, -1, {NAN, 1, 1, 1}, {-NAN, 1, 1, 1}, 0, 0, 0},
    {"NaN where a number should be", FLOAT, 1e9, {1, 1, 1, 1}, {1, NAN, 1, 1}, 1, 1, NAN},
    {"a number where NaN should be", FLOAT, 1e9, {1, NAN, 1, 1}, {1, 1, 1, 1}, 1, 1, NAN},
    {"NaN stays the largest error", FLOAT, -1, {1, 1, 1, 1}, {NAN, 1, 1, 2}, 2, 0, NAN},
    {"infinity", FLOAT, 1e9, {1, 1, 1, 1}, {1, 1, INFINITY, 1}, 1, 2, INFINITY},
    {"the first of several", FLOAT, -1, {1, 1, 1, 1}, {1, 2, 3, 4}, 3, 1, 3},
};
/* clang-format on */

/* One kernel with one array, argument 2. */
typedef struct side {
    uint8_t bytes[ELEMENTS * 8], before_bytes[ELEMENTS * 8];
    smp_emu_array array, before;
    judged_kernel kernel;
    judged judged;
} side;

static void put(uint8_t *to, smp_element_kind kind, uint8_t element_bytes, const double *from) {
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const float single = (float)from[i];
        const int32_t integer = (int32_t)(kind == SMP_ELEMENT_INTEGER ? from[i] : 0);
        const void *value = kind == SMP_ELEMENT_INTEGER ? (const void *)&integer
                            : element_bytes == 8        ? (const void *)&from[i]
                                                        : (const void *)&single;
        memcpy(to + (size_t)i * element_bytes, value, element_bytes);
    }
}

static double root_mean_square(const double *of) {
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        sum += isfinite(of[i]) ? of[i] * of[i] : 0;
        count += isfinite(of[i]);
    }
    return sqrt(sum / count);
}

static void make(side *of, const compare_row *row, const double *values) {
    static char name[] = "k(float*)";
    memset(of, 0, sizeof *of);
    put(of->bytes, row->kind, row->element_bytes, values);
    of->array = (smp_emu_array){.bytes = of->bytes, .size_bytes = ELEMENTS * row->element_bytes};
    of->before = of->array;
    of->before.bytes = of->before_bytes;
    of->kernel.ran = (proof_kernel){.name = name, .memory = {.arrays = &of->array, .count = 1}};
    of->kernel.before = (smp_emu_memory){.arrays = &of->before, .count = 1};
    of->kernel.arrays[1] =
        (smp_launch_array){.kind = row->kind, .element_bytes = row->element_bytes};
    of->kernel.scale[1] = root_mean_square(row->should);
    of->kernel.values = ELEMENTS;
    of->judged = (judged){.kernels = &of->kernel, .count = 1};
}

START_TEST(arrays_are_compared) {
    const compare_row *row = &rows[_i];
    side should, is;
    judged_results out;
    make(&should, row, row->should);
    make(&is, row, row->is);
    judged_compare(&should.judged, &is.judged, row->tolerance, &out);
    ck_assert_str_eq(out.why_not, "");
    ck_assert_msg(out.differ == row->differ, "%s: %u differ", row->name, (unsigned)out.differ);
    ck_assert_uint_eq(out.values, ELEMENTS);
    ck_assert_msg(isnan(row->max_error) ? isnan(out.max_error)
                  : isinf(row->max_error)
                      ? isinf(out.max_error)
                      : fabs(out.max_error - row->max_error) <= 0.02 * row->max_error,
                  "%s: an error of %g", row->name, out.max_error);
    ck_assert(out.has_first == (row->differ > 0));
    if (row->differ > 0) {
        ck_assert_uint_eq(out.argument, 2);
        ck_assert_msg(out.index == row->index, "%s: element %u", row->name, (unsigned)out.index);
    }
}
END_TEST

START_TEST(elements_that_nobody_wrote_are_counted) {
    const compare_row row = {.kind = SMP_ELEMENT_FLOAT, .element_bytes = 4, .should = {1, 1, 1, 1}};
    side should, is;
    judged_results out;
    make(&should, &row, row.should);
    make(&is, &row, (double[]){1, 7, 0, 0});
    judged_compare(&should.judged, &is.judged, -1, &out);
    ck_assert_uint_eq(out.differ, 3);
    ck_assert_uint_eq(out.unwritten, 2);
}
END_TEST

START_TEST(what_cannot_be_compared_is_said) {
    side should, is;
    judged_results out;
    char other[] = "other(float*)";
    const judged_kernel two[2] = {{.ran = {.name = other}}, {.ran = {.name = other}}};
    make(&should, &rows[0], rows[0].should);
    make(&is, &rows[0], rows[0].is);
    is.array.size_bytes -= 4;
    judged_compare(&should.judged, &is.judged, -1, &out);
    ck_assert_ptr_nonnull(strstr(out.why_not, "argument 2 is an array of a different size"));
    is.array.size_bytes += 4;
    is.kernel.arrays[1].element_bytes = 0;
    judged_compare(&should.judged, &is.judged, -1, &out);
    ck_assert_ptr_nonnull(strstr(out.why_not, "argument 2 is no array"));
    is.judged = (judged){.kernels = (judged_kernel *)two, .count = 2};
    judged_compare(&should.judged, &is.judged, -1, &out);
    ck_assert_ptr_nonnull(strstr(out.why_not, "there is no kernel k(float*)"));
}
END_TEST

/* ---- Cost ---- */

typedef struct cost_row {
    const char *name;
    uint64_t instructions, wavefronts, sectors;
    uint32_t resident, threads;
    double cost;
} cost_row;

/* The busiest unit, a quarter of the others' time, and more where fewer than 16 warps are held. */
static const cost_row costs[] = {
    {"only instructions", 400, 0, 0, 2, 256, 100},
    {"wavefronts beside them", 400, 200, 0, 2, 256, 225},
    {"sectors of global memory", 0, 0, 400, 2, 256, 225},
    {"8 warps are held", 400, 0, 0, 1, 256, 200},
    {"part of a warp is a whole one", 400, 0, 0, 1, 225, 200},
    {"32 warps are held", 400, 0, 0, 4, 256, 100},
    {"residency is unknown", 400, 0, 0, 0, 256, 100},
};

START_TEST(a_cost_is_of_the_busiest_unit) {
    const cost_row *row = &costs[_i];
    smp_profile_site sites[3] = {
        {.space = SMP_SPACE_SHARED, .requests = 1, .wavefronts = row->wavefronts, .ways = 2},
        {.space = SMP_SPACE_GLOBAL, .requests = 1, .sectors = row->sectors},
        {.space = SMP_SPACE_SHARED, .requests = 5, .wavefronts = 1000, .not_modelled = "no rule"}};
    smp_kernel_profile profile = {.sites = sites, .site_count = 3};
    judged_kernel kernel = {.instructions = row->instructions,
                            .threads = row->threads,
                            .ran = {.resident = row->resident}};
    const judged of = {
        .kernels = &kernel, .count = 1, .profile = {.kernels = &profile, .kernel_count = 1}};
    const judged_figures figures = judged_figures_of(&of);
    ck_assert_msg(fabs(figures.cost - row->cost) < 1e-9, "%s: %g", row->name, figures.cost);
    ck_assert_uint_eq(figures.sums.wavefronts, row->wavefronts);
    ck_assert_uint_eq(figures.sums.sectors, row->sectors);
    ck_assert_uint_eq(figures.sums.not_modelled, 5);
    ck_assert_uint_eq(figures.sums.requests, 7);
}
END_TEST

/* A candidate's arrays end where the reference's accesses end, if all of those are known. */
START_TEST(arrays_end_where_the_reference_ends) {
    static const struct {
        const char *opcode, *not_modelled;
        uint64_t bytes;
    } sites[] = {{"LDG.E", NULL, 100}, {"LDC", "by lane", 100}, {"UBLKCP", "no rule", 4096}};
    smp_profile_site site = {.opcode = (char *)(uintptr_t)sites[_i].opcode,
                             .not_modelled = (char *)(uintptr_t)sites[_i].not_modelled};
    smp_kernel_profile profile = {.sites = &site, .site_count = 1};
    smp_emu_array reached = {.size_bytes = 4096, .reach_bytes = 100}, array = {.size_bytes = 4096};
    judged_kernel kernel = {.arrays = {{.element_bytes = 4}},
                            .ran = {.memory = {.arrays = &reached, .count = 1}}};
    const judged reference = {
        .kernels = &kernel, .count = 1, .profile = {.kernels = &profile, .kernel_count = 1}};
    smp_launch_arguments made = {.arrays = {{.element_bytes = 4, .is_open = true}}};
    smp_emu_memory memory = {.arrays = &array, .count = 1};
    judged_arrays_bound(&reference, "kernel", &made, &memory);
    ck_assert_uint_eq(array.size_bytes, sites[_i].bytes);
}
END_TEST

int main(void) {
    return SUITE("judged_compare", TEST_EACH(arrays_are_compared, COUNT_OF(rows)),
                 TEST(elements_that_nobody_wrote_are_counted),
                 TEST(what_cannot_be_compared_is_said),
                 TEST_EACH(a_cost_is_of_the_busiest_unit, COUNT_OF(costs)),
                 TEST_EACH(arrays_end_where_the_reference_ends, 3));
}
