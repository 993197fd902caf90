/* SPDX-License-Identifier: MIT */
/* Emulated blocks in place of launches that were not observed. */
#include "kept_sample.h"

#include <string.h>

#include "profile_time.h"
#include "progress.h"

/* Warp instructions of a launch's blocks: some seconds on one core. */
#define LIMIT UINT64_C(200000000)
/* The user did not ask for this, so it must be short: later kernels are not emulated. */
#define SECONDS 20.0

/* Returns the kernel if no launch of it was observed; hash 0: any of that name. */
static smp_kernel_profile *find_unseen(smp_profile *profile, const char *name, uint64_t hash) {
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        smp_kernel_profile *kernel = &profile->kernels[i];
        if (kernel->launches == 0 && kernel->launches_skipped > 0 && kernel->blocks == 0 &&
            (hash == 0 || kernel->code_hash == hash) && strcmp(kernel->name, name) == 0)
            return kernel;
    }
    return NULL;
}

static bool wants(void *user, const char *name) {
    const bool is_wanted = find_unseen(user, name, 0);
    if (is_wanted)
        progress_say("smemprobe: running blocks of %.60s on the CPU", name);
    return is_wanted;
}

/* Updates the counts of what was not observed by what ran on the CPU. */
static void settle(smp_profile *profile, const smp_kernel_profile *added) {
    smp_kernel_profile *kernel = find_unseen(profile, added->name, added->code_hash);
    if (!kernel)
        return;
    kernel->blocks_skipped -=
        added->blocks < kernel->blocks_skipped ? added->blocks : kernel->blocks_skipped;
}

static void set_bounds(smp_profile *profile) {
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        smp_kernel_profile *kernel = &profile->kernels[i];
        if (kernel->launches == 0 && kernel->blocks > 0 && kernel->time_us > 0)
            smp_kernel_set_time(kernel, kernel->time_us, smp_kernel_scale(kernel));
    }
}

smp_status emulate_kept_unseen(const char *folder, smp_profile *profile, smp_error *error) {
    smp_profile sampled = {0};
    const kept_sample how = {.wants = wants, .user = profile, .limit = LIMIT, .seconds = SECONDS};
    smp_status status = emulate_kept_sample(folder, &how, &sampled, error);
    progress_clear();
    for (uint32_t i = 0; i < sampled.kernel_count; i++)
        settle(profile, &sampled.kernels[i]);
    if (status == SMP_OK)
        status = smp_profile_merge(profile, &sampled, error);
    smp_profile_clear(&sampled);
    set_bounds(profile);
    return status;
}
