/* SPDX-License-Identifier: MIT */
/*
 * The time that recorded kernels gained on an H200 when their conflicts were
 * removed, against the two rules of model/FINDINGS.md, 13: the upper bound and the estimate.
 */
#include <math.h>
#include <stdio.h>

#include "gain.h"
#include "smp_probes.h"
#include "suite.h"

static const struct {
    const char *family, *base, *better;
} pairs[] = {
    {"transpose", "tiled32", "padded"},
    {"transpose", "tiled32", "swizzled"},
    {"transpose", "vector", "vector-xor"},
    {"scan", "plain", "offset-16"},
    {"scan", "plain", "offset-32"},
    {"scan", "offset-16", "offset-32"},
    {"gemm-tile", "float4", "float4-padded"},
    {"gemm-tile", "ldmatrix", "ldmatrix-pad"},
    {"gemm-tile", "ldmatrix", "ldmatrix-xor"},
#ifdef SMP_BENCHMARKS
    {"gemm-tile", "wgmma", "wgmma-pad"},
    {"gemm-tile", "wgmma", "wgmma-xor"},
#endif
    {"occupancy", "plain", "swizzled"},
};

static const char *const cases[] = {
    "2048x1536 float",  "2048x1536 double", "4096x4096 float",   "4096x4096 double",
    "4096x4096 half",   "4096x4096 byte",   "10000x10000 float", "10000x10000 double",
    "10000x10000 half", "10000x10000 byte", "16777216 unsigned", "2048x2048 half",
    "2048x2048 float",
};

static double number(const char *key, const char *field) {
    smp_record record;
    return smp_recorded_find(key, field, "9.0", &record) ? record.value : NAN;
}

static double wavefronts(const char *key) {
    return number(key, "wavefronts_ld") + number(key, "wavefronts_st") +
           number(key, "wavefronts_atom");
}

typedef struct sums {
    unsigned count;
    double error; /* of what is said to be about gained, as a share of the time */
} sums;

static void check_pair(const char *base, const char *better, sums *all) {
    const double time = number(base, "time_us"), gained = time - number(better, "time_us");
    const double all_of_base = wavefronts(base), excess = all_of_base - wavefronts(better);
    if (isnan(gained) || time < 15 || !(excess > 0))
        return;
    const smp_gpu_rates *gpu = smp_gpu_rates_find("NVIDIA H200");
    const smp_gain gain = smp_gain_predict(&(smp_gain_ask){.time_us = time,
                                                           .copy_us = number(base, "copy_us"),
                                                           .wavefronts = all_of_base,
                                                           .excess = excess,
                                                           .multiprocessors = gpu->multiprocessors,
                                                           .clock_khz = gpu->clock_khz});
    const double most = gain.most_us, about = gain.about_us;
    ck_assert_msg(gained <= most + 0.02 * time, "%s to %s: %.1f of %.1f us gained, at most %.1f",
                  base, better, gained, time, most);
    ck_assert_msg(fabs(gained - about) <= 0.38 * time, "%s to %s: %.1f of %.1f us, about %.1f",
                  base, better, gained, time, about);
    all->count++;
    all->error += fabs(gained - about) / time;
}

START_TEST(repairs_gain_what_the_rules_say) {
    sums all = {0, 0};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            char base[96], better[96];
            snprintf(base, sizeof base, "%s %s %s", pairs[p].family, pairs[p].base, cases[c]);
            snprintf(better, sizeof better, "%s %s %s", pairs[p].family, pairs[p].better, cases[c]);
            check_pair(base, better, &all);
        }
    ck_assert_uint_ge(all.count, 35);
    ck_assert_msg(all.error / all.count < 0.09, "%u pairs, %.3f", all.count, all.error / all.count);
}
END_TEST

int main(void) {
    return SUITE("recorded gain", TEST(repairs_gain_what_the_rules_say));
}
