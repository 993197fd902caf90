/* SPDX-License-Identifier: MIT */
/*
 * Choosing among the sources of a profile.
 */
#include "fix_patch.h"

#include <stdlib.h>
#include <string.h>

#include "profile_rank.h"
#include "source_line.h"

static bool is_source(const char *file) {
    const size_t length = strlen(file);
    return length > 3 && strcmp(file + length - 3, ".cu") == 0;
}

static const char *file_of(const smp_profile_site *site) {
    return site->frame_count > 0 ? site->frames[site->frame_count - 1].file : NULL;
}

static uint64_t excess_of(const smp_profile_site *site) {
    return smp_space_has_banks(site->space) && site->wavefronts > site->ideal
               ? site->wavefronts - site->ideal
               : 0;
}

static uint64_t excess_in(const smp_kernel_profile *kernel, const char *file) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        const char *other = file_of(&kernel->sites[i]);
        if (other && strcmp(other, file) == 0)
            sum += excess_of(&kernel->sites[i]);
    }
    return sum;
}

/* The file of most excess in a kernel; NULL: there is none. */
static const char *find_worst(const smp_profile *profile, const smp_kernel_profile **kernel) {
    const char *worst = NULL;
    uint64_t most = 0;
    for (uint32_t k = 0; k < profile->kernel_count; k++)
        for (uint32_t i = 0; i < profile->kernels[k].site_count; i++) {
            const smp_profile_site *site = &profile->kernels[k].sites[i];
            const char *file = excess_of(site) > 0 ? file_of(site) : NULL;
            const uint64_t excess =
                file && is_source(file) ? excess_in(&profile->kernels[k], file) : 0;
            if (excess > most) {
                most = excess;
                worst = file;
                *kernel = &profile->kernels[k];
            }
        }
    return worst;
}

smp_status fix_profile_source(const smp_profile *profile, const char *name, char **path,
                              const smp_arch **arch, smp_error *error) {
    const smp_kernel_profile *kernel = NULL;
    const char *worst = find_worst(profile, &kernel);
    if (!worst)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.120s: no line of a .cu file in it has excess wavefronts of shared "
                             "memory (built without -lineinfo, or nothing to repair)",
                             name);
    FILE *file = smp_source_open(worst);
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.120s: its source %.160s is not below this folder: run fix where "
                             "the source is, or name it: fix FILE.cu",
                             name, worst);
    (void)fclose(file);
    *arch = kernel->arch;
    *path = strdup(smp_source_path(worst));
    return *path ? SMP_OK : smp_error_memory(error);
}
