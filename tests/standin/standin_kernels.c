/* SPDX-License-Identifier: MIT */
/*
 * standin_kernels.c: the kernels: an access adds its cost to a counter; a variant of a family
 * computes its reference and adds what its trace lists. In place of kernels/kernel_none.c, whose
 * functions of the same names are compiled with the ending _none, as is the registry.
 */
#include <stdlib.h>

#include "smp_kernels.h"
#include "standin.h"

enum { VARIANTS_MAX = 32 };

const smp_kernel_variant *smp_kernel_variants_none(size_t *count);

bool smp_kernels_built(void) {
    return true;
}

size_t smp_access_scratch_bytes(void) {
    return 64;
}

smp_status smp_access_launch(const smp_access *accesses, size_t count, bool dry, void *scratch,
                             smp_error *error) {
    (void)scratch;
    if (standin_result("cuLaunchKernel") != 0)
        return smp_error_set(error, SMP_E_CUDA, -1, "launch of the access kernel: failed");
    for (size_t i = 0; i < count && !dry; i++)
        standin_run_access(&accesses[i], 1);
    return SMP_OK;
}

smp_status smp_access_clock(const smp_access *access, void *scratch, double *cycles,
                            smp_error *error) {
    (void)scratch;
    if (standin_result("cuLaunchKernel") != 0)
        return smp_error_set(error, SMP_E_CUDA, -1, "launch of the clock kernel: failed");
    *cycles = (double)standin_cost(access);
    return SMP_OK;
}

static bool run_traced(void *user, const char *site, const smp_access *access, uint64_t times) {
    (void)user, (void)site;
    standin_run_access(access, times);
    return true;
}

static smp_status launch(size_t variant, const float *in, float *out, smp_kernel_size size,
                         bool alone, smp_error *error) {
    size_t count;
    const smp_kernel_variant *row = &smp_kernel_variants_none(&count)[variant];
    (void)alone;
    if (standin_result("cuLaunchKernel") != 0)
        return smp_error_set(error, SMP_E_CUDA, -1, "launch of %s: failed", row->name);
    row->reference(in, out, size);
    if (standin_number("spoil", 0) != 0)
        out[0] += 1;
    return row->trace(size, run_traced, NULL);
}

/* One launch function a row, since a launch does not know whose it is. */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ROWS(X) EIGHT(X, 00) EIGHT(X, 01) EIGHT(X, 02) EIGHT(X, 03)
#define LAUNCH(n)                                                                               \
    static smp_status launch_##n(const float *in, float *out, smp_kernel_size size, bool alone, \
                                 smp_error *error) {                                            \
        return launch(n, in, out, size, alone, error);                                          \
    }
ROWS(LAUNCH)
#undef LAUNCH

const smp_kernel_variant *smp_kernel_variants(size_t *count) {
#define LAUNCH_NAME(n) launch_##n,
    smp_status (*const launches[VARIANTS_MAX])(const float *, float *, smp_kernel_size, bool,
                                               smp_error *) = {ROWS(LAUNCH_NAME)};
#undef LAUNCH_NAME
    static smp_kernel_variant rows[VARIANTS_MAX];
    const smp_kernel_variant *real = smp_kernel_variants_none(count);
    if (*count > VARIANTS_MAX)
        abort();
    for (size_t i = 0; i < *count; i++) {
        rows[i] = real[i];
        rows[i].launch = launches[i];
    }
    return rows;
}
