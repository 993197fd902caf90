/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace of Accel-Sim's. What comes out is a profile that can be sorted, sums that
 * are those of its instructions, and a trace that has every request or counts it.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "profile_accel.h"

static void count_line(void *user, uint64_t line, const char *what) {
    if (line == 0 || what[0] == '\0')
        abort();
    ++*(uint64_t *)user;
}

static void check(const smp_accel_sums *sums, uint64_t bad) {
    uint64_t requests = 0, theirs = 0;
    for (uint32_t i = 0; i < sums->site_count; i++) {
        requests += sums->sites[i].requests;
        theirs += sums->sites[i].theirs;
    }
    if (requests != sums->requests || theirs != sums->theirs || bad != sums->bad_lines)
        abort();
}

/* Those of all instructions. */
static uint64_t requests_of(const smp_profile *profile) {
    uint64_t requests = 0;
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        for (uint32_t j = 0; j < profile->kernels[i].site_count; j++)
            requests += profile->kernels[i].sites[j].requests;
    return requests;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    smp_profile profile = {0};
    smp_accel_sums sums = {0};
    smp_error error;
    uint64_t bad = 0;
    FILE *in = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    FILE *out = in ? fopen("/dev/null", "w") : NULL;
    if (!out)
        return 0;
    sums.trace = size % 8 == 0 ? smp_trace_writer_new(out) : NULL; /* it takes time */
    const smp_status status =
        smp_profile_read_accel(in, NULL, &profile, &sums, count_line, &bad, &error);
    (void)fclose(in);
    check(&sums, bad);
    if (sums.trace && (requests_of(&profile) != sums.trace_rows + sums.trace_left_out ||
                       smp_trace_finish(sums.trace, &error) != SMP_OK))
        abort();
    smp_trace_writer_free(sums.trace);
    (void)fclose(out);
    if (status == SMP_OK && smp_profile_sort(&profile, &error) != SMP_OK)
        abort();
    free(sums.sites);
    smp_profile_clear(&profile);
    return 0;
}
