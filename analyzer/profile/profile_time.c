/* SPDX-License-Identifier: MIT */
/* Times of kernels, and the part of them due to wavefronts. */
#define _POSIX_C_SOURCE 200809L
#include "profile_time.h"

#include <stdlib.h>
#include <string.h>

#include "gain.h"
#include "list.h"

static bool has_shape(const smp_instrument_time *time, uint32_t registers,
                      const uint32_t block[3]) {
    return time->registers == registers && memcmp(time->block, block, sizeof time->block) == 0;
}

static smp_instrument_time *find(const smp_times *times, const smp_instrument_time *like) {
    return FIND(one, times->list, times->count,
                has_shape(one, like->registers, like->block) &&
                    strcmp(one->kernel, like->kernel) == 0);
}

smp_status smp_times_add(smp_times *into, const smp_instrument_dump *dump, smp_error *error) {
    EACH(const smp_instrument_time, from, dump->times, dump->time_count) {
        smp_instrument_time *known = find(into, from);
        if (known) {
            known->launches += from->launches;
            known->nanoseconds += from->nanoseconds;
            continue;
        }
        char *name = LIST_ROOM(into->list, into->count) ? strdup(from->kernel) : NULL;
        if (!name)
            return smp_error_memory(error);
        into->list[into->count] = *from;
        into->list[into->count++].kernel = name;
    }
    return SMP_OK;
}

void smp_times_clear(smp_times *times) {
    for (size_t i = 0; i < times->count; i++)
        free(times->list[i].kernel);
    free(times->list);
    *times = (smp_times){0};
}

uint64_t smp_kernel_excess(const smp_kernel_profile *kernel) {
    uint64_t excess = 0;
    for (uint32_t i = 0; i < kernel->site_count; i++)
        excess += kernel->sites[i].wavefronts - kernel->sites[i].ideal;
    return excess;
}

double smp_gain_of(const smp_kernel_profile *kernel, uint64_t excess) {
    const uint64_t all = smp_kernel_excess(kernel);
    return all > 0 ? kernel->gain_us * (double)excess / (double)all : 0;
}

/* `all` are the sums over the timed launches. */
static void set_bounds(smp_kernel_profile *kernel, const smp_scaled_sums *all) {
    const bool has_blocks = kernel->blocks > 0 && kernel->multiprocessors > 0;
    const smp_gain gain = smp_gain_predict(
        &(smp_gain_ask){.time_us = kernel->time_us,
                        .wavefronts = all->wavefronts,
                        .excess = all->wavefronts - all->ideal,
                        .blocks = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2],
                        .share = has_blocks ? (double)kernel->rounds / (double)kernel->blocks : 0,
                        .multiprocessors = kernel->multiprocessors,
                        .clock_khz = kernel->clock_khz});
    kernel->stage_us = gain.stage_us;
    kernel->gain_us = gain.most_us;
}

void smp_kernel_set_time(smp_kernel_profile *kernel, double time_us) {
    const smp_scaled_sums all = smp_kernel_scaled(kernel);
    kernel->time_us = time_us;
    if (smp_kernel_scale(kernel) > 0)
        set_bounds(kernel, &all);
}

/* Counts launched kernels of its name; *alike of these cannot be distinguished from it by their
 * launches. Both include itself. */
static uint32_t count_twins(const smp_profile *profile, const smp_kernel_profile *kernel,
                            uint32_t *alike) {
    uint32_t twins = 0;
    *alike = 0;
    EACH(const smp_kernel_profile, other, profile->kernels, profile->kernel_count) {
        if (other->launches == 0 || strcmp(other->name, kernel->name) != 0)
            continue;
        twins++;
        *alike += other->registers == kernel->registers &&
                  memcmp(other->block, kernel->block, sizeof other->block) == 0;
    }
    return twins;
}

/* Counts launches of its name, and if `has_twins`, of its shape. */
static smp_instrument_time sum_of(const smp_times *times, const smp_kernel_profile *kernel,
                                  bool has_twins) {
    smp_instrument_time sum = {.launches = 0};
    EACH(const smp_instrument_time, time, times->list, times->count) {
        if (strcmp(time->kernel, kernel->name) != 0 ||
            (has_twins && !has_shape(time, kernel->registers, kernel->block)))
            continue;
        sum.launches += time->launches;
        sum.nanoseconds += time->nanoseconds;
    }
    return sum;
}

smp_untimed smp_profile_set_times(smp_profile *profile, const smp_times *times) {
    smp_untimed without = {0, 0};
    EACH(smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        uint32_t alike;
        if (kernel->launches == 0)
            continue;
        const bool has_twins = count_twins(profile, kernel, &alike) > 1;
        const smp_instrument_time sum = sum_of(times, kernel, has_twins);
        without.unlaunched += sum.launches == 0;
        without.twins += sum.launches > 0 && alike > 1;
        if (sum.launches == 0 || alike > 1)
            continue;
        kernel->time_us = (double)sum.nanoseconds * 1e-3;
        smp_scaled_sums all = {.blocks = 0};
        for (uint32_t k = 0; k < kernel->site_count; k++)
            smp_scaled_add(&all, &kernel->sites[k],
                           (double)sum.launches / (double)kernel->launches);
        set_bounds(kernel, &all);
    }
    return without;
}
