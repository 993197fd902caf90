/* SPDX-License-Identifier: MIT */
/*
 * Replaces the CUPTI probe in builds without the CUDA toolkit: the same interface, and every call
 * says why nothing was measured.
 */
#include "system.h"

static smp_status not_built(smp_error *error) {
    return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                         "built without the CUDA toolkit, so nothing can be measured live");
}

/* A measuring function: sets its result, and says that it is not built. */
#define NOT_BUILT(declaration, ...) \
    smp_status declaration {        \
        __VA_ARGS__;                \
        return not_built(error);    \
    }

static void nothing_done(size_t *done) {
    if (done)
        *done = 0;
}

NOT_BUILT(smp_probe_open_with(int device, smp_witness witness, smp_probe **out, smp_error *error),
          *out = NULL)
NOT_BUILT(smp_probe_open(int device, smp_probe **out, smp_error *error), *out = NULL)
NOT_BUILT(smp_measure_readings(smp_probe *probe, const smp_access *accesses, size_t count,
                               smp_reading *readings, smp_progress_fn progress, void *user,
                               size_t *done, smp_error *error),
          nothing_done(done))
NOT_BUILT(smp_measure_clocks(smp_probe *probe, const smp_access *accesses, size_t count,
                             smp_reading *readings, smp_progress_fn progress, void *user,
                             size_t *done, smp_error *error),
          nothing_done(done))
NOT_BUILT(smp_measure_sums(smp_probe *probe, const smp_access *accesses, size_t count, size_t group,
                           uint64_t *sums, size_t *done, smp_error *error),
          nothing_done(done))
NOT_BUILT(smp_probe_ranges(smp_probe *probe, const char *const *metrics, size_t metric_count,
                           smp_launch_fn launch, void *user, size_t launch_count, double *values,
                           smp_progress_fn progress, void *progress_user, size_t *done,
                           smp_error *error),
          nothing_done(done))
NOT_BUILT(smp_bench_open(smp_probe *probe, const smp_kernel_family *family,
                         const smp_kernel_case *problem, smp_bench **out, smp_error *error),
          *out = NULL)
NOT_BUILT(smp_bench_run(smp_bench *bench, const smp_kernel_variant *variant, smp_kernel_result *out,
                        smp_error *error),
          *out = (smp_kernel_result){0})

smp_witness smp_probe_witness(const smp_probe *probe, smp_error *why) {
    if (why)
        (void)not_built(why);
    return SMP_COUNTERS;
}

const smp_device *smp_probe_device(const smp_probe *probe) {
    static const smp_device none = {.name = "none"};
    return &none;
}

void *smp_probe_scratch(smp_probe *probe) {
    return NULL;
}

void smp_survey_take(int device, smp_survey *out) {
    *out = (smp_survey){0};
    smp_system_survey(out);
    (void)not_built(&out->driver);
    out->cupti = out->counters = out->clocks = out->driver;
}

void smp_probe_close(smp_probe *probe) {
}

void smp_bench_close(smp_bench *bench) {
}
