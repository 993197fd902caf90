/* SPDX-License-Identifier: MIT */
/*
 * test_gpu_agreement.c: the model against the hardware counters. Strides 0 to 64 of every width for
 * loads and stores, then random accesses of every operation and width for which the model claims to
 * be right on this GPU. Exits 77 where there is none. `test_gpu_agreement [RANDOM [SEED]]`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_access.h"
#include "smp_probes.h"

enum { STRIDES = 65, MISMATCHES_SHOWN = 5 };

/* What the counter of this operation should read; false where the model gives no number. */
static bool predict(const smp_arch *arch, const smp_access *access, uint64_t *expected) {
    smp_counts counts = {0};
    const bool is_wavefronts = strcmp(smp_counter_of(access->op)->unit, "wavefronts") == 0;
    smp_status status = smp_predict(arch, access, &counts);
    *expected = is_wavefronts ? counts.wavefronts_max : counts.transactions;
    return status == SMP_OK &&
           counts.valid & (is_wavefronts ? SMP_HAS_WAVEFRONTS : SMP_HAS_TRANSACTIONS);
}

struct tally {
    size_t wrong, open;
};

static void judge(const smp_arch *arch, const smp_access *access, uint64_t measured,
                  struct tally *tally) {
    uint64_t expected = 0;
    if (!predict(arch, access, &expected)) {
        tally->open++;
        return;
    }
    if (expected == measured || tally->wrong++ >= MISMATCHES_SHOWN)
        return;
    printf("  predicted %" PRIu64 ", measured %" PRIu64 ": ", expected, measured);
    gpu_access_print(stdout, access);
    putchar('\n');
}

/* True if all accesses were measured and none differs from the model. */
static bool compare(smp_probe *probe, const smp_arch *arch, const char *title,
                    const smp_access *accesses, size_t count) {
    uint64_t *measured = calloc(count, sizeof *measured);
    smp_error error = {0};
    size_t done = 0;
    struct tally tally = {0};
    if (!measured)
        abort();
    (void)smp_measure_many(probe, accesses, count, measured, NULL, NULL, &done, &error);
    for (size_t i = 0; i < count; i++)
        if (measured[i] != SMP_NOT_COUNTED)
            judge(arch, &accesses[i], measured[i], &tally);
    printf("%-40s %6zu measured, %4zu not modelled, %zu differ%s%s\n", title, done, tally.open,
           tally.wrong, done < count ? ": " : "", done < count ? error.message : "");
    free(measured);
    return done == count && tally.wrong == 0;
}

static bool check_strides(smp_probe *probe, const smp_arch *arch, smp_op op) {
    bool good = true;
    for (uint32_t width = 1; width <= 16; width *= 2) {
        smp_access accesses[STRIDES];
        char title[64];
        for (uint32_t stride = 0; stride < STRIDES; stride++)
            accesses[stride] = gpu_stride_access(op, width, 0, stride * width);
        snprintf(title, sizeof title, "%s %u bytes, stride 0 to 64", smp_ops(NULL)[op].name,
                 (unsigned)width);
        good &= compare(probe, arch, title, accesses, STRIDES);
    }
    return good;
}

static bool check_random(smp_probe *probe, const smp_arch *arch, smp_op op, uint32_t width,
                         size_t count, uint64_t seed) {
    smp_access *accesses = calloc(count, sizeof *accesses);
    gpu_random random = {seed + 1000 * (uint64_t)op + width};
    char title[64];
    if (!accesses)
        abort();
    for (size_t i = 0; i < count; i++)
        accesses[i] = gpu_random_access(&random, op, width);
    snprintf(title, sizeof title, "%s %u bytes, random", smp_ops(NULL)[op].name, (unsigned)width);
    bool good = compare(probe, arch, title, accesses, count);
    free(accesses);
    return good;
}

/* Rows that the model gives as fact and that a counter sees. */
static bool check_all_random(smp_probe *probe, const smp_arch *arch, size_t count, uint64_t seed) {
    bool good = true;
    for (int op = 0; op < SMP_OP_COUNT; op++)
        for (uint32_t log = 0; log < 5; log++) {
            const smp_op_row *row = &smp_ops(NULL)[op];
            bool is_exact = row->widths >> log & 1u &&
                            smp_op_evidence(arch, (smp_op)op, 1u << log) <= SMP_PUBLISHED;
            bool bypasses = op == SMP_CP_ASYNC && log == 4;
            if (is_exact && !bypasses && smp_counter_of((smp_op)op))
                good &= check_random(probe, arch, (smp_op)op, 1u << log, count, seed);
        }
    return good;
}

int main(int argc, char **argv) {
    smp_probe *probe = NULL;
    smp_error error = {0};
    smp_status status = smp_probe_open(0, &probe, &error);
    if (status != SMP_OK) {
        fprintf(stderr, "skipped: %s\n", error.message);
        return smp_status_exit(status);
    }
    const smp_device *device = smp_probe_device(probe);
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 90;
    printf("%s, driver %s, CUDA %s, model %s, seed %" PRIu64 "\n", device->name, device->driver,
           device->cuda, arch ? arch->name : "unknown", seed);
    bool good = arch != NULL;
    if (arch) {
        good &= check_strides(probe, arch, SMP_LD_SHARED);
        good &= check_strides(probe, arch, SMP_ST_SHARED);
        good &= check_all_random(probe, arch, count, seed);
    }
    smp_probe_close(probe);
    return good ? 0 : 1;
}
