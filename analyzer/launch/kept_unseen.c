/* SPDX-License-Identifier: MIT */
/* Adds blocks of kept launches to kernels of a profile of which no launch was observed. */
#define _GNU_SOURCE /* asprintf */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "instrument_dump.h"
#include "kept_replay.h"
#include "profile_time.h"
#include "progress.h"

/* Warp instructions of a launch's blocks: some seconds on one core. */
#define LIMIT UINT64_C(200000000)
/* Kernels of NCCL may call 100 MB of code, which takes minutes to disassemble. */
#define CODE_BYTES (UINT64_C(4) << 20)
/* Less is not worth a sentence. */
#define LEAST_UNLIKE 1e-6

/* Returns the kernel if no launch of it was observed; hash 0: any of that name. */
static smp_kernel_profile *find_unseen(smp_profile *profile, const char *name, uint64_t hash) {
    return FIND(kernel, profile->kernels, profile->kernel_count,
                kernel->launches == 0 && kernel->launches_skipped > 0 && kernel->blocks == 0 &&
                    (hash == 0 || kernel->code_hash == hash) && strcmp(kernel->name, name) == 0);
}

static bool wants(void *user, const char *name) {
    const bool is_wanted = find_unseen(user, name, 0);
    if (is_wanted)
        progress_say("smemprobe: running blocks of %.60s on the CPU", name);
    return is_wanted;
}

static uint64_t blocks_of(void *user, const smp_profile *sampled, unsigned kind) {
    const smp_kernel_profile *one = sampled->kernel_count > 0 ? &sampled->kernels[0] : NULL;
    const smp_kernel_profile *kernel = one ? find_unseen(user, one->name, one->code_hash) : NULL;
    return kernel && kernel->kind_blocks && kind > 0 && kind < SMP_INSTRUMENT_KINDS_MAX
               ? kernel->kind_blocks[kind]
               : 0;
}

/* Says which launches the samples do not cover, unless that is said already. */
static smp_status note_unlike(const smp_kernel_profile *kernel, smp_kernel_profile *added,
                              smp_error *error) {
    const double all = (double)kernel->blocks_skipped,
                 unlike = all > 0 && added->scaled.blocks > 0 ? 1 - added->scaled.blocks / all : 0;
    const char *samples = added->not_seen ? added->not_seen : "one launch";
    char *text = NULL;
    int length = 0;
    if (unlike > LEAST_UNLIKE)
        length = asprintf(&text,
                          "%s; %.2g %% of its blocks ran in other grids or with other arguments, "
                          "which were not sampled: they are scaled alike, with an unknown error",
                          samples, 100 * unlike);
    else if (kernel->has_unlike && added->scaled.blocks <= 0 && added->blocks > 0)
        length = asprintf(&text,
                          "%s; launches in other grids or with other arguments are scaled alike, "
                          "with an unknown error",
                          samples);
    else if (kernel->not_seen)
        length = asprintf(&text, "%s; %s", samples, kernel->not_seen);
    if (length < 0)
        return smp_error_memory(error);
    if (text) {
        free(added->not_seen);
        added->not_seen = text;
    }
    return SMP_OK;
}

/* Updates the counts of what was not observed by what ran on the CPU. */
static smp_status settle(smp_profile *profile, smp_kernel_profile *added, smp_error *error) {
    smp_kernel_profile *kernel = find_unseen(profile, added->name, added->code_hash);
    if (!kernel)
        return SMP_OK;
    const smp_status status = note_unlike(kernel, added, error);
    free(kernel->not_seen);
    kernel->not_seen = NULL;
    kernel->blocks_skipped -=
        added->blocks < kernel->blocks_skipped ? added->blocks : kernel->blocks_skipped;
    return status;
}

static void set_bounds(smp_profile *profile) {
    EACH(smp_kernel_profile, kernel, profile->kernels, profile->kernel_count)
        if (kernel->launches == 0 && kernel->blocks > 0 && kernel->time_us > 0)
            smp_kernel_set_time(kernel, kernel->time_us);
}

smp_status emulate_kept_unseen(const char *folder, const smp_arch *arch, double seconds,
                               smp_profile *profile, smp_error *error) {
    smp_profile sampled = {0};
    const kept_sample how = {.wants = wants,
                             .blocks_of = blocks_of,
                             .user = profile,
                             .arch = arch,
                             .limit = LIMIT,
                             .seconds = seconds,
                             .code_bytes = CODE_BYTES};
    progress_line line;
    emulate_budget_start(0, NULL);
    progress_on_interrupt(emulate_budget_end); /* in the workers, too */
    progress_begin(&line, NULL, 0);
    smp_status status = emulate_kept_sample(folder, &how, &sampled, error);
    progress_clear();
    progress_end(&line);
    progress_on_interrupt(NULL);
    for (uint32_t i = 0; status == SMP_OK && i < sampled.kernel_count; i++)
        status = settle(profile, &sampled.kernels[i], error);
    if (status == SMP_OK)
        status = smp_profile_merge(profile, &sampled, error);
    smp_profile_clear(&sampled);
    set_bounds(profile);
    EACH(smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        if (find_unseen(profile, kernel->name, kernel->code_hash) != kernel)
            continue;
        free(kernel->not_seen); /* of figures that it has none of */
        kernel->not_seen = NULL;
    }
    return status;
}
