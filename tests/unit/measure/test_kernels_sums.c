/* SPDX-License-Identifier: MIT */
/*
 * Sums, prefix sums, histograms and matrix products in plain C: the expected
 * results, and their predicted accesses against walks that are written independently here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "smp_forecast.h"
#include "suite.h"

static const smp_kernel_variant *find(const char *family, const char *name) {
    const smp_kernel_variant *variant =
        smp_kernel_variant_find(smp_kernel_family_find(family), name);
    ck_assert_msg(variant, "%s %s is no variant", family, name);
    return variant;
}

static smp_forecast forecast_of(const char *family, const char *name,
                                const smp_kernel_case *problem) {
    smp_forecast forecast;
    smp_error error = {0};
    smp_status status = smp_kernel_forecast(smp_arch_find("sm_90"), smp_kernel_family_find(family),
                                            find(family, name), problem, NULL, &forecast, &error);
    ck_assert_msg(status == SMP_OK && forecast.status == SMP_OK, "%s %s: %s", family, name,
                  error.message);
    return forecast;
}

/* ---- Sums ---- */

/* A family's scripts can describe every case that it accepts. */
START_TEST(the_largest_size_is_predicted) {
    static const struct {
        const char *family, *variant;
        uint64_t most;
    } rows[] = {{"reduce", "static", UINT64_C(1) << 30},
                {"reduce", "fast", UINT64_C(1) << 30},
                {"scan", "plain", UINT64_C(1) << 30},
                {"sumsq", "shared", UINT32_MAX / 81}};
    const smp_kernel_family *family = smp_kernel_family_find(rows[_i].family);
    smp_kernel_case problem = family->standard;
    problem.columns = rows[_i].most;
    ck_assert_int_eq(smp_kernel_check(family, NULL, &problem, NULL), SMP_OK);
    ck_assert_uint_gt(
        forecast_of(rows[_i].family, rows[_i].variant, &problem).shared.wavefronts_max, 0);
    problem.columns++;
    ck_assert_int_eq(smp_kernel_check(family, NULL, &problem, NULL), SMP_E_OVERFLOW);
}
END_TEST

/* A float that adds 1.23 over and over stops at 2^25, where the next float is 4 away. */
START_TEST(floats_stop_growing) {
    const smp_kernel_family *family = smp_kernel_family_find("reduce");
    smp_kernel_case problem = family->standard;
    problem.columns = 30000000;
    float *in = malloc((size_t)family->bytes(&problem).in), sum, sound;
    smp_error error;
    ck_assert_ptr_nonnull(in);
    family->fill(&problem, in);
    find("reduce", "cpu-loop")->host(&problem, in, &sum);
    ck_assert_msg(sum == 33554432.0f, "the loop stops at %.9g", (double)sum);
    ck_assert_int_eq(family->verify(&problem, in, &sum, &error), SMP_E_RESULT);
    family->solve(&problem, in, &sound);
    ck_assert_msg(fabs((double)sound - 36.9e6) < 4, "the sound sum is %.9g", (double)sound);
    ck_assert_int_eq(family->verify(&problem, in, &sound, &error), SMP_OK);
    free(in);
}
END_TEST

/* Neighbours added with a stride conflict 16-way, and yet cost as much as one thread in 2, 4, 8,
 * ... does: what conflicts add, full warps save. */
START_TEST(conflicts_cost_what_divergence_does) {
    const smp_kernel_case problem = smp_kernel_family_find("reduce")->standard;
    const smp_forecast modulo = forecast_of("reduce", "modulo", &problem);
    const smp_forecast strided = forecast_of("reduce", "strided", &problem);
    const smp_forecast halves = forecast_of("reduce", "sequential", &problem);
    ck_assert_uint_eq(modulo.shared.wavefronts_max, strided.shared.wavefronts_max);
    ck_assert_uint_eq(modulo.shared.excess, 0);
    ck_assert_uint_eq(strided.shared.ways, 16);
    ck_assert_uint_eq(strided.shared.excess,
                      strided.shared.wavefronts_max - halves.shared.wavefronts_max);
}
END_TEST

/* ---- Prefix sums ---- */

START_TEST(the_macro_without_parentheses_gains_nothing) {
    const smp_kernel_case problem = smp_kernel_family_find("scan")->standard;
    const smp_forecast plain = forecast_of("scan", "plain", &problem);
    const char *const wrong[] = {"wrong-16", "wrong-32"};
    const char *const right[] = {"offset-32", "two-level-32"};
    for (int i = 0; i < 2; i++) {
        const smp_forecast as_before = forecast_of("scan", wrong[i], &problem);
        ck_assert_mem_eq(&as_before.traffic, &plain.traffic, sizeof plain.traffic);
        ck_assert_uint_eq(forecast_of("scan", right[i], &problem).shared.excess, 0);
    }
    ck_assert_uint_eq(plain.shared.ways, 32);
    ck_assert_uint_eq(forecast_of("scan", "offset-16", &problem).shared.ways, 2);
}
END_TEST

/* Undefined in C, but defined by the machine: a shift by 32 or more gives 0. */
START_TEST(its_shift_leaves_nothing) {
    for (uint64_t banks = 16; banks <= 32; banks += 16)
        for (uint64_t i = 0; i < 1024; i++)
            ck_assert_uint_eq(banks + i < 32 ? i >> (banks + i) : 0, 0);
}
END_TEST

/* ---- Histograms ---- */

enum { THREADS = 1024, EACH = 4, LANES = 32 };

typedef struct hist {
    uint32_t bins, cluster, blocks;
    const int32_t *in;
    uint64_t values;
    uint64_t near, far, remote; /* wavefronts, requests, packets */
} hist;

/* The most distinct words on a bank, and what is remote, of one request. */
static void add_request(hist *h, const uint64_t *at, unsigned lanes, uint32_t block) {
    const uint32_t part = (h->bins + h->cluster - 1) / h->cluster;
    unsigned on_bank[LANES] = {0}, most = 0;
    smp_access far = {.op = SMP_ATOM_CLUSTER, .width_bytes = 4};
    smp_counts counts;
    for (unsigned l = 0; l < lanes; l++) {
        int64_t value = h->in[at[l]];
        uint32_t bin = value < 0 ? 0 : value >= h->bins ? h->bins - 1 : (uint32_t)value;
        bool is_new = bin / part == block % h->cluster;
        for (unsigned m = 0; m < l && is_new; m++) {
            int64_t other = h->in[at[m]];
            is_new = (other < 0 ? 0 : other >= h->bins ? h->bins - 1 : (uint32_t)other) != bin;
        }
        if (bin / part != block % h->cluster) {
            far.active_mask |= 1u << l;
            far.offset_bytes[l] = bin % part * 4 + (bin / part << 24);
        } else if (is_new && ++on_bank[bin % part % LANES] > most) {
            most = on_bank[bin % part % LANES];
        }
    }
    h->near += most;
    if (!far.active_mask)
        return;
    ck_assert_int_eq(smp_predict(smp_arch_find("sm_90"), &far, &counts), SMP_OK);
    h->far++;
    h->remote += counts.transactions;
}

/* Thread t of the grid takes vectors t, t + grid, ...; what is left goes to the first threads. */
static void walk_histogram(hist *h) {
    const uint64_t vectors = h->values / EACH, rest = h->values % EACH;
    uint64_t at[LANES];
    for (uint64_t first = 0; first < vectors; first += LANES)
        for (unsigned e = 0; e < EACH; e++) {
            unsigned lanes = 0;
            for (; lanes < LANES && first + lanes < vectors; lanes++)
                at[lanes] = (first + lanes) * EACH + e;
            add_request(h, at, lanes, (uint32_t)(first / THREADS % h->blocks));
        }
    for (uint64_t i = 0; i < rest; i++)
        at[i] = vectors * EACH + i;
    if (rest)
        add_request(h, at, (unsigned)rest, 0);
}

static const struct {
    uint32_t bins, cluster;
    uint64_t values;
    const char *variant;
} histograms[] = {
    {1000, 1, 100003, "shared"},   {1000, 1, 100003, "cluster-1"},
    {7, 2, 50001, "cluster-2"},    {1000, 4, 100003, "cluster-4"},
    {37, 8, 40000, "cluster-8"},   {30000, 16, 70001, "cluster-16"},
    {60000, 2, 100000, "cluster"}, {1, 1, 3, "shared"},
};

START_TEST(counts_of_histograms_follow_the_values) {
    const smp_kernel_family *family = smp_kernel_family_find("histogram");
    smp_kernel_case problem = family->standard;
    problem.rows = histograms[_i].bins;
    problem.columns = histograms[_i].values;
    hist h = {.bins = histograms[_i].bins,
              .cluster = histograms[_i].cluster,
              .values = histograms[_i].values};
    const smp_kernel_variant *variant = find("histogram", histograms[_i].variant);
    h.blocks = (uint32_t)smp_kernel_shape_of(variant, &problem).blocks;
    int32_t *in = malloc((size_t)family->bytes(&problem).in);
    ck_assert_ptr_nonnull(in);
    family->fill(&problem, in);
    h.in = in;
    walk_histogram(&h);
    const smp_forecast forecast = forecast_of("histogram", variant->name, &problem);
    ck_assert_uint_eq(forecast.traffic.count[SMP_WAVEFRONTS_ATOM], h.near + h.far);
    ck_assert_uint_eq(forecast.traffic.count[SMP_CLUSTER_ATOM], h.remote);
    free(in);
}
END_TEST

START_TEST(bins_that_do_not_fit_are_refused) {
    const smp_kernel_family *family = smp_kernel_family_find("histogram");
    smp_kernel_case problem = family->standard;
    smp_error error;
    problem.rows = 58113;
    ck_assert_int_eq(smp_kernel_check(family, find("histogram", "shared"), &problem, &error),
                     SMP_E_OVERFLOW);
    ck_assert_msg(strstr(error.message, "58113 bins"), "%s", error.message);
    ck_assert_int_eq(smp_kernel_check(family, find("histogram", "cluster-2"), &problem, NULL),
                     SMP_OK);
    problem.rows = 1000000;
    ck_assert_int_eq(smp_kernel_check(family, find("histogram", "cluster"), &problem, NULL),
                     SMP_E_OVERFLOW);
    problem.rows = 10;
    problem.cluster = 3;
    ck_assert_int_eq(smp_kernel_check(family, NULL, &problem, &error), SMP_E_USAGE);
}
END_TEST

START_TEST(values_outside_count_at_the_edges) {
    const smp_kernel_family *family = smp_kernel_family_find("histogram");
    const smp_kernel_case problem = {.element = SMP_INT, .rows = 3, .columns = 6};
    const int32_t in[6] = {-2147483647 - 1, -1, 0, 2, 3, 2147483647};
    uint32_t *out = malloc((size_t)family->bytes(&problem).out);
    ck_assert_ptr_nonnull(out);
    family->solve(&problem, in, out);
    ck_assert_uint_eq(out[0], 3);
    ck_assert_uint_eq(out[1], 0);
    ck_assert_uint_eq(out[2], 3);
    free(out);
}
END_TEST

/* ---- Matrix products ---- */

START_TEST(products_name_the_wrong_element) {
    const smp_kernel_family *family = smp_kernel_family_find("gemm-tile");
    smp_kernel_case problem = family->standard;
    problem.rows = 70;
    problem.columns = 33;
    problem.element = _i ? SMP_HALF : SMP_FLOAT;
    const smp_kernel_bytes bytes = family->bytes(&problem);
    float *out = malloc(bytes.out);
    void *in = malloc(bytes.in);
    smp_error error;
    ck_assert(in && out);
    family->fill(&problem, in);
    family->solve(&problem, in, out);
    ck_assert_int_eq(family->verify(&problem, in, out, &error), SMP_OK);
    const float bad[] = {out[69 * 128 + 5] + 1, NAN, 0.5f, 1e30f};
    for (int i = 0; i < 4; i++) {
        const float good = out[69 * 128 + 5];
        out[69 * 128 + 5] = bad[i];
        ck_assert_int_eq(family->verify(&problem, in, out, &error), SMP_E_RESULT);
        ck_assert_msg(strstr(error.message, "row 69, column 5 "), "%s", error.message);
        out[69 * 128 + 5] = good;
    }
    free(in);
    free(out);
}
END_TEST

START_TEST(a_swizzle_is_as_good_as_padding) {
    const smp_kernel_case problem = smp_kernel_family_find("gemm-tile")->standard;
    ck_assert_uint_eq(forecast_of("gemm-tile", "ldmatrix", &problem).shared.ways, 8);
    ck_assert_uint_eq(forecast_of("gemm-tile", "ldmatrix-pad", &problem).shared.excess, 0);
    ck_assert_uint_eq(forecast_of("gemm-tile", "ldmatrix-xor", &problem).shared.excess, 0);
}
END_TEST

int main(void) {
    return SUITE("kernels_sums", TEST_EACH(the_largest_size_is_predicted, 4),
                 TEST(floats_stop_growing), TEST(conflicts_cost_what_divergence_does),
                 TEST(the_macro_without_parentheses_gains_nothing), TEST(its_shift_leaves_nothing),
                 TEST_EACH(counts_of_histograms_follow_the_values, COUNT_OF(histograms)),
                 TEST(bins_that_do_not_fit_are_refused), TEST(values_outside_count_at_the_edges),
                 TEST_EACH(products_name_the_wrong_element, 2),
                 TEST(a_swizzle_is_as_good_as_padding));
}
