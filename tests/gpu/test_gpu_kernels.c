/* SPDX-License-Identifier: MIT */
/*
 * Every variant of every family on the GPU, with every type that it takes and sizes with and
 * without partial blocks: result against the CPU's, counters of the whole launch against the
 * prediction. Where these differ, they are counted twice more: requests that contend with lines
 * coming into L1 cost a wavefront now and then (model/FINDINGS.md, 7), at most one in 10,000 here.
 * Arguments name families, or "all"; without any, every family is run with a quarter of its types
 * and sizes, which takes a minute instead of four. Exits 77 where there is no GPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "smp_analyzer.h"

static void print_counts(const smp_forecast *forecast, bool is_open,
                         const smp_kernel_result *result) {
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        const uint64_t predicted = forecast->traffic.count[i], counted = result->counted.count[i];
        if (is_open)
            printf("    %s: open, counted %" PRIu64 "\n", smp_traffic_rows()[i].name, counted);
        else if (predicted != counted)
            printf("    %s: predicted %" PRIu64 ", counted %" PRIu64 "\n",
                   smp_traffic_rows()[i].name, predicted, counted);
    }
}

enum { COUNTS = 3, CONTENDED_OF = 10000, QUARTER = 4 };

typedef enum agreement { DIFFERS, CONTENDS, AGREES } agreement;

static agreement compare(const smp_traffic *predicted, const smp_traffic *counted) {
    if (memcmp(predicted, counted, sizeof *predicted) == 0)
        return AGREES;
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++) {
        const uint64_t p = predicted->count[i], c = counted->count[i];
        const bool is_wavefronts = strncmp(smp_traffic_rows()[i].name, "wavefronts", 10) == 0;
        if (p != c && !(is_wavefronts && c > p && (c - p) * CONTENDED_OF <= p))
            return DIFFERS;
    }
    return CONTENDS;
}

/* Counts until it agrees, COUNTS times at most; the best. */
static smp_status run(smp_bench *bench, const smp_kernel_variant *variant,
                      const smp_forecast *forecast, bool is_open, smp_kernel_result *out,
                      agreement *best, smp_error *error) {
    smp_status status = SMP_OK;
    *best = DIFFERS;
    for (int i = 0; status == SMP_OK && *best != AGREES && i < (is_open ? 1 : COUNTS); i++) {
        smp_kernel_result result = {0};
        status = smp_bench_run(bench, variant, &result, error);
        const agreement now =
            variant->launch ? compare(&forecast->traffic, &result.counted) : AGREES;
        if (i == 0 || now > *best) {
            *out = result;
            *best = now;
        }
    }
    return status;
}

static bool check(smp_bench *bench, const smp_arch *arch, const smp_kernel_family *family,
                  const smp_kernel_variant *variant, const smp_kernel_case *problem) {
    char text[SMP_CASE_TEXT_MAX];
    smp_forecast forecast;
    smp_kernel_result result = {0};
    smp_error error = {0};
    agreement how = DIFFERS;
    if (smp_kernel_check(family, variant, problem, NULL) != SMP_OK)
        return true;
    smp_status status =
        smp_kernel_forecast(arch, family, variant, problem, NULL, &forecast, &error);
    const bool is_open = smp_kernel_not_predicted(variant, problem) || forecast.status != SMP_OK;
    if (status == SMP_OK)
        status = run(bench, variant, &forecast, is_open, &result, &how, &error);
    printf("%s %s %s: %.2f us +- %.2f, baseline %.2f us, %u runs: %s%s\n", family->name,
           variant->name, smp_kernel_case_format(problem, family->is_matrix, text), result.time_us,
           result.time_spread_us, result.baseline_us, (unsigned)result.runs,
           status != SMP_OK  ? error.message
           : how == AGREES   ? "agrees"
           : is_open         ? "open"
           : how == CONTENDS ? "agrees, but contends"
                             : "DIFFERS",
           status != SMP_OK ? " FAILED" : "");
    if (status == SMP_OK && how != AGREES)
        print_counts(&forecast, is_open, &result);
    return status == SMP_OK && (how != DIFFERS || is_open);
}

static bool check_case(smp_probe *probe, const smp_arch *arch, const smp_kernel_family *family,
                       const smp_kernel_case *problem) {
    smp_error error = {0};
    smp_bench *bench;
    bool good = true;
    if (smp_kernel_check(family, NULL, problem, NULL) != SMP_OK)
        return true;
    if (smp_bench_open(probe, family, problem, &bench, &error) != SMP_OK) {
        printf("%s: %s\n", family->name, error.message);
        return false;
    }
    for (size_t i = 0; i < family->variant_count; i++)
        good &= check(bench, arch, family, &family->variants[i], problem);
    smp_bench_close(bench);
    return good;
}

/* Checks one in `step` pairs of type and size. */
static bool check_family(smp_probe *probe, const smp_arch *arch, const smp_kernel_family *family,
                         unsigned step) {
    static const uint64_t matrices[][2] = {{2048, 1536}, {1000, 777}, {33, 65},  {1, 1},
                                           {5, 4097},    {31, 32},    {80, 112}, {64, 64}};
    static const uint64_t rows[][2] = {{1, 1}, {1, 31}, {1, 1000}, {1, 65537}, {1, 1048576}};
    const size_t count =
        family->is_matrix ? sizeof matrices / sizeof matrices[0] : sizeof rows / sizeof rows[0];
    bool good = true;
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++)
        for (size_t i = e % step; i < count; i += step) {
            const uint64_t *size = family->is_matrix ? matrices[i] : rows[i];
            smp_kernel_case problem = family->standard;
            problem.element = (smp_element)e;
            problem.rows = size[0];
            problem.columns = size[1];
            good &= check_case(probe, arch, family, &problem);
        }
    return good;
}

int main(int argc, char **argv) {
    smp_probe *probe = NULL;
    smp_error error = {0};
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        fprintf(stderr, "skipped: %s\n", error.message);
        return smp_status_exit(status);
    }
    const smp_device *device = smp_probe_device(probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    size_t count = 0;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    bool good = arch;
    for (size_t i = 0; i < count && arch; i++) {
        bool is_wanted = argc == 1;
        for (int a = 1; a < argc; a++)
            is_wanted |= strcmp(argv[a], families[i]->name) == 0 || strcmp(argv[a], "all") == 0;
        if (is_wanted)
            good &= check_family(probe, arch, families[i], argc == 1 ? QUARTER : 1);
    }
    smp_probe_close(probe);
    return good ? 0 : 1;
}
