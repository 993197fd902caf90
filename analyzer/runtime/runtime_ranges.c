/* SPDX-License-Identifier: MIT */
/* The NVTX ranges in which kernels are launched. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <string.h>

#include "nvtx_ranges.h"
#include "runtime.h"

/* True if the kernel was launched in these ranges before, or in more ranges than are kept. */
static bool is_noted(rt_kernel *kernel, const char *path) {
    uint64_t hash[2];
    rt_hash(path, strlen(path), hash);
    for (unsigned i = 0; i < kernel->range_count; i++)
        if (kernel->ranges[i] == hash[0])
            return true;
    if (kernel->range_count == RT_RANGES_MAX)
        return true;
    kernel->ranges[kernel->range_count++] = hash[0];
    return false;
}

void rt_ranges_note(rt_kernel *kernel) {
    char path[NVTX_PATH_BYTES];
    smp_profile one = {0};
    if (!nvtx_ranges_now(path) || is_noted(kernel, path))
        return;
    smp_kernel_profile *place = smp_profile_add_kernel(&one);
    if (!place)
        return;
    place->name = strdup(kernel->function->name);
    place->code_hash = kernel->function->code_hash;
    place->arch = rt_arch();
    if (place->name && smp_kernel_add_range(place, path) == SMP_OK)
        rt_profile_merge(&one);
    smp_profile_clear(&one);
}
