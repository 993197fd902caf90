/* SPDX-License-Identifier: MIT */
/* The lines of a Python program that launch a kernel, of its first launches only. */
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
