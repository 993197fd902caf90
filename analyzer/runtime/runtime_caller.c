/* SPDX-License-Identifier: MIT */
/* The lines of a Python program that make a kernel's first launches, and the NVTX ranges around
 * them. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "python_caller.h"
#include "runtime.h"

enum { CALLERS_MAX = 4 };

/* A copy of the kernel's name: its module may be unloaded when Python answers. */
typedef struct kernel_key {
    char *name;
    uint64_t code_hash;
} kernel_key;

static void add_caller(const kernel_key *of, const char *file, uint32_t line) {
    smp_profile one = {0};
    smp_kernel_profile *place = smp_profile_add_kernel(&one);
    if (place) {
        place->name = strdup(of->name);
        place->code_hash = of->code_hash;
        place->arch = rt_arch();
    }
    if (place && place->name && smp_kernel_add_caller(place, file, line) == SMP_OK)
        rt_profile_merge(&one);
    smp_profile_clear(&one);
}

static void take_caller(void *user, const char *file, uint32_t line, bool is_later) {
    kernel_key *of = user;
    cudaError_t before = cudaSuccess;
    if (is_later)
        before = rt_enter_quietly();
    add_caller(of, file, line);
    if (is_later)
        rt_leave_quietly(before);
    free(of->name);
    free(of);
}

void rt_caller_note(rt_kernel *kernel) {
    if (kernel->callers >= CALLERS_MAX)
        return;
    kernel->callers++;
    kernel_key *of = malloc(sizeof *of);
    char *name = of ? strdup(kernel->function->name) : NULL;
    if (!name) {
        free(of);
        return;
    }
    *of = (kernel_key){name, kernel->function->code_hash};
    if (!python_caller_ask(take_caller, of)) {
        free(name);
        free(of);
    }
}

/* ---- NVTX ranges ---- */

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
