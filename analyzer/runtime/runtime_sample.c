/* SPDX-License-Identifier: MIT */
/*
 * Launches after the time for whole ones (runtime_stop.c). They are not run but counted. If no
 * launch of a kernel ran, its first one is kept in the folder SMP_RUNTIME_SAMPLE, so that some of
 * its blocks can be run when the program has ended. By then memory is unknown, except constants.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "kept_launch.h"
#include "runtime.h"

/* Of a stopped launch with fewer blocks, those that did not end may matter. */
enum { BLOCKS_ENOUGH = 1000 };

static uint64_t blocks_of(const smp_launch *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* Keeps the launch by which others are scaled, in the folder if its blocks are still to be run. */
static void keep(rt_kernel *kernel, const smp_launch *launch, bool is_written) {
    char path[KEPT_PATH_BYTES];
    smp_error error;
    smp_kept_launch *kept = &kernel->sampled;
    const bool is_taken = smp_kept_take(rt_module_code(kernel->module), kernel->function, launch,
                                        rt_memory(), false, kept, &error) == SMP_OK;
    const int failed =
        is_taken && is_written ? smp_kept_put_new(getenv("SMP_RUNTIME_SAMPLE"), kept, path) : 0;
    if (!is_taken || failed != 0)
        rt_note("a launch was not kept: %s", is_taken ? strerror(failed) : error.message);
    free(kept->code); /* the rest tells later launches apart */
    kept->code = NULL;
}

static bool is_pointer(uint64_t value) {
    return value == 0 || smp_emu_memory_find(rt_memory(), value);
}

/* Whether all arguments but pointers are equal. */
static bool has_arguments(const smp_function *f, const uint8_t *a, const uint8_t *b) {
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const uint32_t at = f->parameters[i].offset_bytes, bytes = f->parameters[i].size_bytes;
        uint64_t x, y;
        if (memcmp(a + at, b + at, bytes) == 0)
            continue;
        if (bytes != sizeof x)
            return false;
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        if (!is_pointer(x) || !is_pointer(y))
            return false;
    }
    return true;
}

static bool is_like(const rt_kernel *kernel, const smp_launch *launch) {
    const smp_kept_launch *first = &kernel->sampled;
    return memcmp(first->grid, launch->grid, sizeof first->grid) == 0 &&
           memcmp(first->block, launch->block, sizeof first->block) == 0 &&
           memcmp(first->cluster, launch->cluster, sizeof first->cluster) == 0 &&
           first->dynamic_shared_bytes == launch->dynamic_shared_bytes &&
           has_arguments(kernel->function, first->parameters, launch->parameters);
}

/* Sorts before what is said of the stopped launch itself, which it replaces in the profile. */
static char *unlike_text(const rt_kernel *kernel) {
    const uint32_t *grid = kernel->sampled.grid;
    char text[240], stopped[100] = "";
    if (kernel->begun > 0)
        (void)snprintf(stopped, sizeof stopped,
                       "%llu of %llu blocks of one launch had begun when it was stopped; ",
                       (unsigned long long)kernel->begun,
                       (unsigned long long)grid[0] * grid[1] * grid[2]);
    (void)snprintf(text, sizeof text,
                   "%slaunches in other grids or with other arguments are scaled alike, with an "
                   "unknown error",
                   stopped);
    return strdup(text);
}

void rt_sample_skip(rt_kernel *kernel, const smp_launch *launch, const smp_emulation *done) {
    smp_kernel_profile profile = {0};
    const bool is_unseen = kernel->launches == 0;
    rt_profile_sampled();
    if (is_unseen && !kernel->sampled.kernel)
        keep(kernel, launch, true);
    if (!smp_emulate_kernel(kernel->function, launch, &profile))
        rt_note("out of memory for the profile; figures are missing");
    profile.launches = 0;
    profile.launches_skipped = 1;
    if (is_unseen || kernel->begun > 0)
        profile.blocks_skipped = blocks_of(launch);
    if (kernel->sampled.kernel && !is_like(kernel, launch))
        profile.not_seen = unlike_text(kernel);
    rt_profile_add(kernel->function, done, &profile, NULL);
}

bool rt_sample_stopped(rt_kernel *kernel, const smp_launch *launch, const smp_emulation *done,
                       smp_kernel_profile *profile) {
    const uint64_t each = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    const uint64_t begun = done->clusters_begun * (each > 1 ? each : 1);
    rt_profile_sampled();
    if (kernel->launches > 0)
        return true;
    if (begun < BLOCKS_ENOUGH)
        return false;
    profile->blocks = begun;
    profile->blocks_skipped = blocks_of(launch) - begun;
    kernel->begun = begun;
    keep(kernel, launch, false);
    return true;
}
