/* SPDX-License-Identifier: MIT */
/*
 * test_gpu_transpose.c: every variant of every family on the GPU: result against the CPU reference,
 * counters of the whole launch against the prediction from its trace, for sizes with and without
 * partial tiles. Exits 77 where there is no GPU.
 */
#include <inttypes.h>
#include <stdio.h>

#include "smp_probes.h"

struct totals {
    const smp_arch *arch;
    uint64_t wavefronts_ld, wavefronts_st, sectors_ld, sectors_st;
};

static bool add(void *user, const char *site, const smp_access *access, uint64_t times) {
    struct totals *totals = user;
    smp_counts counts = {0};
    (void)site;
    if (smp_predict(totals->arch, access, &counts) != SMP_OK)
        return false;
    if (access->op == SMP_LD_SHARED)
        totals->wavefronts_ld += times * counts.wavefronts_max;
    if (access->op == SMP_ST_SHARED)
        totals->wavefronts_st += times * counts.wavefronts_max;
    if (access->op == SMP_LD_GLOBAL)
        totals->sectors_ld += times * counts.transactions;
    if (access->op == SMP_ST_GLOBAL)
        totals->sectors_st += times * counts.transactions;
    return true;
}

static bool check(smp_probe *probe, const smp_arch *arch, const smp_kernel_variant *variant,
                  smp_kernel_size size) {
    struct totals totals = {.arch = arch};
    smp_kernel_result result = {0};
    smp_error error = {0};
    smp_status status = variant->trace(size, add, &totals);
    if (status == SMP_OK)
        status = smp_measure_kernel(probe, variant, size, &result, &error);
    bool good = status == SMP_OK && totals.wavefronts_ld == result.wavefronts_ld &&
                totals.wavefronts_st == result.wavefronts_st &&
                totals.sectors_ld == result.sectors_ld && totals.sectors_st == result.sectors_st;
    printf("%s %s %ux%u: predicted ld %" PRIu64 " st %" PRIu64 " sectors %" PRIu64 " %" PRIu64
           ", measured ld %" PRIu64 " st %" PRIu64 " sectors %" PRIu64 " %" PRIu64
           ", %.2f us +- %.2f, copy %.2f us, %u runs %s %s\n",
           variant->family, variant->name, (unsigned)size.rows, (unsigned)size.columns,
           totals.wavefronts_ld, totals.wavefronts_st, totals.sectors_ld, totals.sectors_st,
           result.wavefronts_ld, result.wavefronts_st, result.sectors_ld, result.sectors_st,
           result.time_us, result.time_spread_us, result.copy_us, (unsigned)result.runs,
           good ? "agree" : "DIFFER", status == SMP_OK ? "" : error.message);
    return good;
}

int main(void) {
    static const smp_kernel_size sizes[] = {{4096, 4096}, {2048, 1536}, {1000, 777}, {33, 65},
                                            {1, 1},       {5, 4097},    {31, 32}};
    smp_probe *probe = NULL;
    smp_error error = {0};
    smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        fprintf(stderr, "skipped: %s\n", error.message);
        return smp_status_exit(status);
    }
    const smp_device *device = smp_probe_device(probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    size_t count = 0;
    const smp_kernel_variant *variants = smp_kernel_variants(&count);
    bool good = arch != NULL;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] && arch; s++)
        for (size_t i = 0; i < count; i++)
            good &= check(probe, arch, &variants[i], sizes[s]);
    smp_probe_close(probe);
    return good ? 0 : 1;
}
