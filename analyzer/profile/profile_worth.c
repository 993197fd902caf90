/* SPDX-License-Identifier: MIT */
/*
 * The worth of a fix: it removes some of the excess wavefronts in each block of the kernel, and is
 * worth that part of what removing all of them is worth (profile_time.h).
 */
#include "profile_worth.h"

#include <string.h>

#include "fix_report.h"
#include "profile_filter.h"
#include "profile_time.h"

/* Excess wavefronts per block of the observed launches; 0 if the grid is unknown. */
static double excess_of_block(const smp_kernel_profile *kernel) {
    const double blocks = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    return blocks > 0 && kernel->launches > 0
               ? (double)smp_kernel_excess(kernel) / blocks / (double)kernel->launches
               : 0;
}

/* The only kernel with a time. */
static smp_status find_kernel(const smp_profile *profile, const char *path,
                              const smp_kernel_profile **out, smp_error *error) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        if (profile->kernels[i].time_us > 0 && profile->kernels[i].stage_us > 0) {
            *out = &profile->kernels[i];
            count++;
        }
    if (count == 1)
        return SMP_OK;
    return smp_error_set(
        error, SMP_E_USAGE, -1,
        count == 0 ? "--profile %.200s: no such kernel was timed (smemprobe profile --time)"
                   : "--profile %.200s: several kernels were timed; --kernel says which",
        path);
}

static smp_status fill(const smp_kernel_profile *kernel, const smp_fix *fix, fix_worth *out,
                       smp_error *error) {
    const smp_fix_result result = smp_fix_result_of(fix);
    const double a_block = excess_of_block(kernel);
    const double removed = (double)result.excess_before - (double)result.excess_after;
    char name[sizeof out->kernel];
    smp_kernel_short_name(kernel, name, sizeof name);
    if (fix->arch_count != 1 || strcmp(fix->archs[0].name, kernel->arch->name) != 0)
        return smp_error_set(error, SMP_E_USAGE, -1, "--profile: %.60s ran on %s; --arch %s", name,
                             kernel->arch->name, kernel->arch->name);
    if ((double)result.excess_before > 1.001 * a_block)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--profile: a block of %.60s has %.0f excess wavefronts, but these "
                             "accesses %llu: they are another launch's",
                             name, a_block, (unsigned long long)result.excess_before);
    (void)snprintf(out->kernel, sizeof out->kernel, "%s", name);
    out->time_us = kernel->time_us;
    out->most_us = a_block > 0 ? kernel->gain_us * removed / a_block : 0;
    return SMP_OK;
}

smp_status fix_worth_find(smp_profile *profile, const char *path, const char *kernels,
                          const smp_fix *fix, fix_worth *out, smp_error *error) {
    const smp_profile_filter filter = {.kernel = kernels};
    const smp_kernel_profile *kernel = NULL;
    *out = (fix_worth){0};
    return smp_profile_keep(profile, &filter, error) || find_kernel(profile, path, &kernel, error)
               ? error->status
               : fill(kernel, fix, out, error);
}
