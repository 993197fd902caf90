/* SPDX-License-Identifier: MIT */
/* The live probe: opens the GPU and its counters, and measures accesses. */
#include "probe_cupti.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "system.h"

/* CUPTI starts in a thread of its own while the device's context is created, which saves a tenth of
 * the time of a single answer. */
struct starting {
    smp_probe *probe;
    thrd_t thread;
    bool is_running;
    smp_status status;
    smp_error error;
};

static int start_counters(void *user) {
    struct starting *starting = user;
    smp_cupti *cupti = &starting->probe->cupti;
    CUPTI_PARAMETERS(Profiler_Initialize, initialize, .pPriv = NULL);
    starting->status = smp_cupti_open(cupti, &starting->error);
    if (starting->status == SMP_OK)
        starting->status = smp_cupti_status(cupti, cupti->initialize(&initialize),
                                            "starting the profiler", &starting->error);
    return 0;
}

static void begin(struct starting *starting) {
    starting->is_running = thrd_create(&starting->thread, start_counters, starting) == thrd_success;
    if (!starting->is_running)
        (void)start_counters(starting);
}

static void join(struct starting *starting) {
    if (starting->is_running)
        (void)thrd_join(starting->thread, NULL);
}

static smp_status name_chip(smp_probe *probe, smp_error *error) {
    CUPTI_PARAMETERS(Device_GetChipName, chip, .deviceIndex = (size_t)probe->device.index);
    CUptiResult code = probe->cupti.chip_name(&chip);
    if (code != CUPTI_SUCCESS)
        return smp_cupti_status(&probe->cupti, code, "name of the chip", error);
    snprintf(probe->chip, sizeof probe->chip, "%s", chip.pChipName);
    return SMP_OK;
}

static smp_status allocate_scratch(smp_probe *probe, smp_error *error) {
    smp_status status = smp_cuda_status(cudaMalloc(&probe->scratch, smp_access_scratch_bytes()),
                                        "memory on the GPU", error);
    if (status != SMP_OK)
        return status;
    return smp_cuda_status(cudaMemset(probe->scratch, 0, smp_access_scratch_bytes()),
                           "memory on the GPU", error);
}

/* Everything but the counters still works then. */
static bool is_about_counters(smp_status status) {
    return status == SMP_E_COUNTERS_LOCKED || status == SMP_E_NO_CUPTI ||
           status == SMP_E_PROFILER_BUSY || status == SMP_E_CHIP || status == SMP_E_CUPTI;
}

bool smp_probe_falls_back(smp_probe *probe, smp_status status, const smp_error *error) {
    if (probe->witness != SMP_COUNTERS_OR_CLOCKS || !is_about_counters(status))
        return false;
    probe->witness = SMP_CLOCKS;
    probe->why_clocks = *error;
    return true;
}

static smp_status take_counters(smp_probe *probe, const struct starting *starting,
                                smp_error *error) {
    smp_status status = starting->status;
    if (status == SMP_OK)
        status = name_chip(probe, error);
    else
        *error = starting->error;
    return status != SMP_OK && smp_probe_falls_back(probe, status, error) ? SMP_OK : status;
}

static smp_status open_gpu(smp_probe *probe, int device, smp_error *error) {
    struct starting starting = {.probe = probe};
    int version, count;
    const bool counters = probe->witness != SMP_CLOCKS;
    smp_status status = smp_driver_start(&version, &count, error);
    if (status != SMP_OK)
        return status;
    if (counters)
        begin(&starting);
    status = smp_driver_open(device, &probe->device, &probe->context, error);
    join(&starting);
    if (status == SMP_OK && counters)
        status = take_counters(probe, &starting, error);
    return status == SMP_OK ? allocate_scratch(probe, error) : status;
}

smp_status smp_probe_open_with(int device, smp_witness witness, smp_probe **out, smp_error *error) {
    smp_error own;
    error = error ? error : &own;
    *out = NULL;
    smp_probe *probe = calloc(1, sizeof *probe);
    if (!probe)
        return smp_error_memory(error);
    probe->witness = witness;
    smp_status status = open_gpu(probe, device, error);
    if (status != SMP_OK) {
        smp_probe_close(probe);
        return status;
    }
    *out = probe;
    return SMP_OK;
}

smp_status smp_probe_open(int device, smp_probe **out, smp_error *error) {
    return smp_probe_open_with(device, SMP_COUNTERS, out, error);
}

smp_witness smp_probe_witness(const smp_probe *probe, smp_error *why) {
    if (why)
        *why = probe->why_clocks;
    return probe->witness == SMP_CLOCKS ? SMP_CLOCKS : SMP_COUNTERS;
}

void smp_probe_close(smp_probe *probe) {
    if (!probe)
        return;
    if (probe->scratch)
        cudaFree(probe->scratch);
    free(probe);
}

const smp_device *smp_probe_device(const smp_probe *probe) {
    return &probe->device;
}

void *smp_probe_scratch(smp_probe *probe) {
    return probe->scratch;
}

struct progress {
    smp_progress_fn call;
    void *user;
    size_t before, total;
};

static bool report_progress(void *user, size_t done) {
    const struct progress *progress = user;
    return !progress->call ||
           progress->call(progress->user, progress->before + done, progress->total);
}

smp_status smp_probe_ranges(smp_probe *probe, const char *const *metrics, size_t metric_count,
                            smp_launch_fn launch, void *user, size_t launch_count, double *values,
                            smp_progress_fn progress, void *progress_user, size_t *done,
                            smp_error *error) {
    size_t finished = 0;
    struct progress report = {progress, progress_user, 0, launch_count};
    smp_ranges job = {.metrics = metrics,
                      .metric_count = metric_count,
                      .launch = launch,
                      .user = user,
                      .launch_count = launch_count,
                      .values = values,
                      .progress = report_progress,
                      .progress_user = &report};
    smp_status status = smp_ranges_run(probe, &job, &finished, error);
    if (done)
        *done = finished;
    return status;
}

/* Ranges of one counter: range i runs the accesses from i x group on, in the caller's order given
 * by `index`. */
struct batch {
    smp_probe *probe;
    const smp_access *accesses;
    const size_t *index; /* NULL for the given order */
    size_t count, group;
};

static smp_status launch_group(void *user, size_t i, smp_error *error) {
    const struct batch *batch = user;
    size_t first = i * batch->group, left = batch->count - first;
    size_t count = left < batch->group ? left : batch->group;
    if (batch->index)
        first = batch->index[first];
    return smp_access_launch(&batch->accesses[first], count, false, batch->probe->scratch, error);
}

/* Measures the ranges of `batch` with the counter of `row`; `values` holds two numbers per range,
 * and sums[i] is the cost of range i. */
static smp_status measure_batch(struct batch *batch, const smp_counter *row, double *values,
                                uint64_t *sums, struct progress *progress, size_t *done,
                                smp_error *error) {
    const char *const metrics[] = {row->metric, row->minus};
    const size_t metric_count = row->minus ? 2 : 1;
    smp_ranges job = {.metrics = metrics,
                      .metric_count = metric_count,
                      .launch = launch_group,
                      .user = batch,
                      .launch_count = (batch->count + batch->group - 1) / batch->group,
                      .values = values,
                      .progress = report_progress,
                      .progress_user = progress};
    smp_status status = smp_ranges_run(batch->probe, &job, done, error);
    for (size_t i = 0; i < *done; i++) {
        double minus = row->minus ? values[metric_count * i + 1] : 0;
        sums[i] = (uint64_t)(values[metric_count * i] - minus + 0.5);
    }
    return status;
}

/* Measures the accesses whose counter is that of `row`; index, values and sums have room for all.
 */
static smp_status measure_counter(smp_probe *probe, const smp_counter *row,
                                  const smp_access *accesses, size_t count, smp_reading *readings,
                                  size_t *index, double *values, uint64_t *sums,
                                  struct progress *progress, smp_error *error) {
    size_t members = 0, done = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(smp_counter_of(accesses[i].op)->metric, row->metric) == 0)
            index[members++] = i;
    struct batch batch = {probe, accesses, index, members, 1};
    smp_status status = measure_batch(&batch, row, values, sums, progress, &done, error);
    for (size_t i = 0; i < done; i++)
        readings[index[i]] = (smp_reading){.is_read = true, .count = sums[i]};
    progress->before += done;
    return status;
}

static smp_status check_counters(const smp_probe *probe, const smp_access *accesses, size_t count,
                                 smp_error *error) {
    const int cc = 10 * probe->device.cc_major + probe->device.cc_minor;
    for (size_t i = 0; i < count; i++) {
        const smp_counter *row = smp_counter_sees(accesses[i].op, accesses[i].width_bytes);
        if (!row || cc < row->first_cc)
            return smp_error_set(error, SMP_E_NOT_MODELLED, -1,
                                 "no counter sees %s of %u bytes alone%s",
                                 smp_ops(NULL)[accesses[i].op].name,
                                 (unsigned)accesses[i].width_bytes, row ? " on this GPU" : "");
    }
    return SMP_OK;
}

/* Reads the counter of each access's operation. */
static smp_status read_counters(smp_probe *probe, const smp_access *accesses, size_t count,
                                smp_reading *readings, smp_progress_fn progress, void *user,
                                size_t *done, smp_error *error) {
    struct progress report = {progress, user, 0, count};
    size_t *index = malloc((count + 1) * sizeof *index);
    double *values = malloc((2 * count + 1) * sizeof *values);
    uint64_t *sums = malloc((count + 1) * sizeof *sums);
    smp_status status = index && values && sums ? check_counters(probe, accesses, count, error)
                                                : smp_error_memory(error);
    for (size_t i = 0; i < count; i++)
        readings[i] = (smp_reading){.count = SMP_NOT_COUNTED};
    /* Each turn measures all accesses with the counter of the first one without a value. */
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        if (!readings[i].is_read)
            status = measure_counter(probe, smp_counter_of(accesses[i].op), accesses, count,
                                     readings, index, values, sums, &report, error);
    *done = report.before;
    free(index);
    free(values);
    free(sums);
    return status;
}

smp_status smp_measure_clocks(smp_probe *probe, const smp_access *accesses, size_t count,
                              smp_reading *readings, smp_progress_fn progress, void *user,
                              size_t *done, smp_error *error) {
    enum { BETWEEN_REPORTS = 64 };
    const smp_arch *arch = smp_arch_of_cc(probe->device.cc_major, probe->device.cc_minor);
    smp_status status = SMP_OK;
    size_t i = 0;
    memset(readings, 0, count * sizeof *readings);
    while (i < count && status == SMP_OK) {
        double cycles = 0;
        status = smp_access_clock(&accesses[i], probe->scratch, &cycles, error);
        if (status != SMP_OK)
            break;
        readings[i] = smp_clock_reading(arch, &accesses[i], cycles);
        i++;
        bool is_time = i % BETWEEN_REPORTS == 0 || i == count;
        if (progress && is_time && !progress(user, i, count))
            status = smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    }
    if (done)
        *done = i;
    return status;
}

smp_status smp_measure_readings(smp_probe *probe, const smp_access *accesses, size_t count,
                                smp_reading *readings, smp_progress_fn progress, void *user,
                                size_t *done, smp_error *error) {
    smp_error own;
    size_t read = 0;
    error = error ? error : &own;
    done = done ? done : &read;
    if (probe->witness != SMP_CLOCKS) {
        smp_status status =
            read_counters(probe, accesses, count, readings, progress, user, done, error);
        if (status == SMP_OK || *done > 0 || !smp_probe_falls_back(probe, status, error))
            return status;
    }
    return smp_measure_clocks(probe, accesses, count, readings, progress, user, done, error);
}

smp_status smp_measure_sums(smp_probe *probe, const smp_access *accesses, size_t count,
                            size_t group, uint64_t *sums, size_t *done, smp_error *error) {
    struct progress report = {NULL, NULL, 0, count};
    struct batch batch = {probe, accesses, NULL, count, group};
    size_t groups = (count + group - 1) / group;
    double *values = malloc((2 * groups + 1) * sizeof *values);
    *done = 0;
    smp_status status =
        values ? check_counters(probe, accesses, count, error) : smp_error_memory(error);
    if (status == SMP_OK && count > 0)
        status = measure_batch(&batch, smp_counter_of(accesses[0].op), values, sums, &report, done,
                               error);
    free(values);
    return status;
}

/* ---- A survey: each part of a measurement by itself, so that one does not hide others ---- */

/* Something short to measure: 32 lanes read neighbouring words. */
static smp_access try_access(void) {
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.offset_bytes[lane] = 4 * lane;
    return access;
}

static void survey_driver(smp_survey *out) {
    int version, count;
    snprintf(out->toolkit, sizeof out->toolkit, "%d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    smp_status status = smp_driver_start(&version, &count, &out->driver);
    if (version > 0)
        snprintf(out->driver_cuda, sizeof out->driver_cuda, "%d.%d", version / 1000,
                 version % 1000 / 10);
    while (status == SMP_OK && (int)out->device_count < count &&
           out->device_count < SMP_SURVEY_MAX) {
        status = smp_device_describe((int)out->device_count, &out->devices[out->device_count],
                                     &out->driver);
        out->device_count += status == SMP_OK;
    }
}

static void survey_cupti(smp_survey *out) {
    smp_cupti cupti;
    uint32_t version = 0;
    if (smp_cupti_open(&cupti, &out->cupti) != SMP_OK)
        return;
    smp_cupti_path(&cupti, out->cupti_path, sizeof out->cupti_path);
    (void)cupti.version(&version);
    snprintf(out->cupti_version, sizeof out->cupti_version, "%u.%u.%u", version / 10000,
             version / 100 % 100, version % 100);
}

static smp_status try_counters(int device, smp_error *error) {
    const smp_access access = try_access();
    smp_probe *probe;
    smp_reading reading;
    smp_status status = smp_probe_open(device, &probe, error);
    if (status == SMP_OK)
        status = smp_measure_readings(probe, &access, 1, &reading, NULL, NULL, NULL, error);
    smp_probe_close(probe);
    return status;
}

static smp_status try_clocks(int device, smp_error *error) {
    const smp_access access = try_access();
    void *scratch = NULL;
    double cycles;
    smp_status status = smp_cuda_status(cudaSetDevice(device), "selecting the GPU", error);
    if (status == SMP_OK)
        status = smp_cuda_status(cudaMalloc(&scratch, smp_access_scratch_bytes()),
                                 "memory on the GPU", error);
    if (status == SMP_OK)
        status = smp_access_clock(&access, scratch, &cycles, error);
    cudaFree(scratch);
    return status;
}

void smp_survey_take(int device, smp_survey *out) {
    memset(out, 0, sizeof *out);
    smp_system_survey(out);
    survey_driver(out);
    survey_cupti(out);
    if (out->driver.status != SMP_OK) {
        out->counters = out->clocks = out->driver;
        return;
    }
    (void)try_clocks(device, &out->clocks);
    (void)try_counters(device, &out->counters);
}
