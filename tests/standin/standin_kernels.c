/* SPDX-License-Identifier: MIT */
/*
 * The kernels: an access adds its cost to a counter; a variant of a family computes its reference
 * and adds what is predicted of it. In place of kernels/kernel_none.c, whose functions of the same
 * names are compiled with the ending _none, as is the registry.
 */
#include <stdlib.h>
#include <string.h>

#include "smp_analyzer.h"
#include "standin.h"

enum { VARIANTS_MAX = 128, FAMILIES_MAX = 16 };

const smp_kernel_family *const *smp_kernel_families_none(size_t *count);

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

/* A variant, by its number over all families, and its family. */
static const smp_kernel_variant *find(size_t number, const smp_kernel_family **family) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families_none(&count);
    for (size_t i = 0; i < count; i++) {
        *family = families[i];
        if (number < (*family)->variant_count)
            return &(*family)->variants[number];
        number -= (*family)->variant_count;
    }
    abort();
}

/* A case's input follows from the case, so what is asked again is not walked again. */
static smp_status forecast_of(size_t number, const smp_kernel_family *family,
                              const smp_kernel_variant *variant, const smp_kernel_launch *run,
                              smp_traffic *out, smp_error *error) {
    static struct {
        bool is_known;
        smp_kernel_case problem;
        smp_traffic traffic;
    } last[VARIANTS_MAX];
    const smp_kernel_case *before = &last[number].problem, *now = run->problem;
    smp_forecast forecast;
    if (!last[number].is_known || before->element != now->element || before->rows != now->rows ||
        before->columns != now->columns || before->cluster != now->cluster ||
        before->seed != now->seed) {
        const smp_status status = smp_kernel_forecast(smp_arch_of_cc(9, 0), family, variant, now,
                                                      run->in, &forecast, error);
        if (status != SMP_OK)
            return status;
        last[number].is_known = true;
        last[number].problem = *now;
        last[number].traffic = forecast.traffic;
    }
    *out = last[number].traffic;
    return SMP_OK;
}

static smp_status launch(size_t number, const smp_kernel_launch *run, smp_error *error) {
    const smp_kernel_family *family;
    const smp_kernel_variant *variant = find(number, &family);
    smp_traffic traffic = {{0}};
    if (standin_result("cuLaunchKernel") != 0)
        return smp_error_set(error, SMP_E_CUDA, -1, "launch of %s: failed", variant->name);
    if (run->residency) {
        const smp_kernel_shape shape = smp_kernel_shape_of(variant, run->problem);
        *run->residency = (smp_residency){4, 32, shape.threads, shape.shared_bytes};
        return SMP_OK;
    }
    family->solve(run->problem, run->in, run->out);
    if (standin_number("spoil", 0) != 0)
        *(unsigned char *)run->out ^= 0x10;
    smp_status status = forecast_of(number, family, variant, run, &traffic, error);
    for (int i = 0; i < SMP_TRAFFIC_COUNT && status == SMP_OK; i++)
        standin_count(smp_traffic_rows()[i].op, traffic.count[i]);
    return status;
}

/* One launch function a variant, since a launch does not know whose it is. */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define SIXTY_FOUR(X, n) \
    EIGHT(X, n##0)       \
    EIGHT(X, n##1)       \
    EIGHT(X, n##2) EIGHT(X, n##3) EIGHT(X, n##4) EIGHT(X, n##5) EIGHT(X, n##6) EIGHT(X, n##7)
#define ROWS(X) SIXTY_FOUR(X, 00) SIXTY_FOUR(X, 01)
#define LAUNCH(n)                                                                  \
    static smp_status launch_##n(const smp_kernel_launch *run, smp_error *error) { \
        return launch(n, run, error);                                              \
    }
ROWS(LAUNCH)
#undef LAUNCH

#define LAUNCH_NAME(n) launch_##n,
static const smp_launch_kernel_fn launches[VARIANTS_MAX] = {ROWS(LAUNCH_NAME)};
#undef LAUNCH_NAME

static smp_kernel_variant variants[VARIANTS_MAX];
static smp_kernel_family families[FAMILIES_MAX];
static const smp_kernel_family *rows[FAMILIES_MAX];

static smp_status launch_nothing(const smp_kernel_launch *run, smp_error *error) {
    (void)run, (void)error;
    return SMP_OK;
}

const smp_kernel_family *const *smp_kernel_families(size_t *count) {
    const smp_kernel_family *const *real = smp_kernel_families_none(count);
    size_t number = 0;
    if (*count > FAMILIES_MAX)
        abort();
    for (size_t i = 0; i < *count; i++) {
        families[i] = *real[i];
        families[i].variants = &variants[number];
        families[i].baseline = real[i]->baseline ? launch_nothing : NULL;
        for (size_t k = 0; k < real[i]->variant_count; k++, number++) {
            if (number == VARIANTS_MAX)
                abort();
            variants[number] = real[i]->variants[k];
            variants[number].prepare = variants[number].prepare ? launch_nothing : NULL;
            variants[number].launch = variants[number].launch ? launches[number] : NULL;
        }
        rows[i] = &families[i];
    }
    return rows;
}

const smp_kernel_family *smp_kernel_family_find(const char *name) {
    size_t count;
    const smp_kernel_family *const *all = smp_kernel_families(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}
