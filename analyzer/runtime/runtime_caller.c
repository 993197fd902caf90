/* SPDX-License-Identifier: MIT */
/* The lines of a Python program that make a kernel's first launches, and the NVTX ranges around
 * them. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "nvtx_ranges.h"
#include "python_caller.h"
#include "runtime.h"

enum { CALLERS_MAX = 4 };

/* Begins a profile with one kernel of this name and code; NULL if out of memory. */
static smp_kernel_profile *begin_profile(smp_profile *one, const char *name, uint64_t code_hash) {
    smp_kernel_profile *kernel = smp_profile_add_kernel(one);
    if (!kernel)
        return NULL;
    kernel->name = strdup(name);
    kernel->code_hash = code_hash;
    kernel->arch = rt_arch();
    return kernel->name ? kernel : NULL;
}

/* A copy: the kernel's module may be unloaded when Python answers. */
typedef struct kernel_key {
    uint64_t code_hash;
    char name[];
} kernel_key;

static void add_caller(const kernel_key *of, const char *file, uint32_t line) {
    smp_profile one = {0};
    smp_kernel_profile *kernel = begin_profile(&one, of->name, of->code_hash);
    if (kernel && smp_kernel_add_caller(kernel, file, line) == SMP_OK)
        rt_profile_merge(&one);
    smp_profile_clear(&one);
}

static void take_caller(void *user, const char *file, uint32_t line, bool is_later) {
    cudaError_t before = cudaSuccess;
    if (is_later)
        before = rt_enter_quietly();
    add_caller(user, file, line);
    if (is_later)
        rt_leave_quietly(before);
    free(user);
}

void rt_caller_note(rt_kernel *kernel) {
    if (kernel->callers >= CALLERS_MAX)
        return;
    kernel->callers++;
    const char *name = kernel->function->name;
    kernel_key *of = malloc(sizeof *of + strlen(name) + 1);
    if (!of)
        return;
    of->code_hash = kernel->function->code_hash;
    strcpy(of->name, name);
    if (!python_caller_ask(take_caller, of))
        free(of);
}

/* ---- NVTX ranges ---- */

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
    smp_kernel_profile *place =
        begin_profile(&one, kernel->function->name, kernel->function->code_hash);
    if (place && smp_kernel_add_range(place, path) == SMP_OK)
        rt_profile_merge(&one);
    smp_profile_clear(&one);
}
