/* SPDX-License-Identifier: MIT */
/*
 * A probe's answer where nothing can be measured, and the text of recorded
 * measurements. "Not measured" is a reason in words, never a number.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_probes.h"
#include "suite.h"

static bool has_gpu(void) {
    smp_probe *probe = NULL;
    bool is_open = smp_probe_open(0, &probe, NULL) == SMP_OK;
    smp_probe_close(probe);
    return is_open;
}

START_TEST(without_a_gpu_the_reason_is_said) {
    smp_probe *probe = (smp_probe *)&probe;
    smp_error error = {0};
    if (has_gpu())
        return;
    smp_status status = smp_probe_open(0, &probe, &error);
    ck_assert_ptr_null(probe);
    ck_assert_int_ne(status, SMP_OK);
    ck_assert_int_eq(status, error.status);
    ck_assert_msg(strlen(error.message) > 10, "'%s'", error.message);
    ck_assert_msg(!strchr(error.message, '\n'), "%s", error.message);
    smp_probe_close(probe);
}
END_TEST

START_TEST(without_cuda_nothing_is_measured) {
    const smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = 1};
    size_t done = 7;
    const smp_kernel_family *family = smp_kernel_family_find("transpose");
    smp_kernel_result result;
    smp_bench *bench;
    smp_error error;
    if (smp_kernels_built())
        return;
    ck_assert_int_eq(smp_measure_readings(NULL, &access, 1, NULL, NULL, NULL, &done, &error),
                     SMP_E_NOT_BUILT);
    ck_assert_uint_eq(done, 0);
    done = 7;
    ck_assert_int_eq(
        smp_probe_ranges(NULL, NULL, 0, NULL, NULL, 1, NULL, NULL, NULL, &done, &error),
        SMP_E_NOT_BUILT);
    ck_assert_uint_eq(done, 0);
    ck_assert_int_eq(smp_bench_open(NULL, family, &family->standard, &bench, &error),
                     SMP_E_NOT_BUILT);
    ck_assert_ptr_null(bench);
    ck_assert_int_eq(smp_bench_run(bench, family->variants, &result, &error), SMP_E_NOT_BUILT);
    ck_assert(!result.is_timed && !result.is_counted);
    smp_bench_close(bench);
    ck_assert_ptr_null(smp_probe_scratch(NULL));
    ck_assert_str_ne(smp_probe_device(NULL)->name, "");
}
END_TEST

START_TEST(records_are_written_as_documented) {
    const smp_device device = {
        .name = "some GPU", .cc_major = 9, .cc_minor = 0, .driver = "1.2", .cuda = "13.0"};
    const smp_record_field fields[] = {{"wavefronts", 32}, {"time_us", 1.25}, {"big", 1e15}};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(smp_record_write_header(out, &device, "smemprobe probe"), SMP_OK);
    ck_assert_int_eq(smp_record_write_counter(out, "some.sum"), SMP_OK);
    ck_assert_int_eq(smp_record_write_row(out, "--op ld", fields, 3), SMP_OK);
    fclose(out);
    ck_assert_ptr_eq(
        strstr(text, "# gpu: some GPU\n# cc: 9.0\n# driver: 1.2\n# cuda: 13.0\n# date: "), text);
    ck_assert_ptr_nonnull(strstr(text, "\n# tool: smemprobe " SMP_VERSION "\n# command: smemprobe "
                                       "probe\n# counter: some.sum\n--op ld\twavefronts=32\t"
                                       "time_us=1.250\tbig=1000000000000000.000\n"));
    free(text);
}
END_TEST

START_TEST(a_full_disk_is_noticed) {
    const smp_device device = {.name = "some GPU"};
    FILE *out = fopen("/dev/full", "w");
    if (!out)
        return;
    setvbuf(out, NULL, _IONBF, 0);
    ck_assert_int_eq(smp_record_write_header(out, &device, "x"), SMP_E_WRITE);
    ck_assert_int_eq(smp_record_write_counter(out, "x"), SMP_E_WRITE);
    ck_assert_int_eq(smp_record_write_row(out, "x", NULL, 0), SMP_E_WRITE);
    fclose(out);
}
END_TEST

int main(void) {
    return SUITE("probes", TEST(without_a_gpu_the_reason_is_said),
                 TEST(without_cuda_nothing_is_measured), TEST(records_are_written_as_documented),
                 TEST(a_full_disk_is_noticed));
}
