/* SPDX-License-Identifier: MIT */
/*
 * probe_cupti_kernel.c: measures whole kernels: result, counters of one launch, and time. Times are
 * taken with device events between back-to-back launches while no profiler session is open.
 */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "probe_cupti_ranges.h"

enum { WARM_UP_RUNS = 10, TIMED_RUNS = 100 };

struct job {
    const smp_kernel_variant *variant;
    smp_kernel_size size;
    size_t bytes;
    float *in, *out; /* device */
    float *host_in, *host_out, *host_expected;
    cudaEvent_t events[TIMED_RUNS + 1];
};

static void job_free(struct job *job) {
    for (int i = 0; i <= TIMED_RUNS; i++)
        if (job->events[i])
            cudaEventDestroy(job->events[i]);
    cudaFree(job->in);
    cudaFree(job->out);
    free(job->host_in);
    free(job->host_out);
    free(job->host_expected);
}

/* Distinct, unordered values, so that a misplaced element can't pass. */
static void fill(float *values, size_t count) {
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        values[i] = (float)(state >> 8) / 16777216.0f;
    }
}

static smp_status job_allocate(struct job *job, smp_error *error) {
    job->host_in = malloc(job->bytes);
    job->host_out = malloc(job->bytes);
    job->host_expected = malloc(job->bytes);
    if (!job->host_in || !job->host_out || !job->host_expected)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory for a matrix of %zu bytes",
                             job->bytes);
    cudaError_t code = cudaMalloc((void **)&job->in, job->bytes);
    if (code == cudaSuccess)
        code = cudaMalloc((void **)&job->out, job->bytes);
    for (int i = 0; i <= TIMED_RUNS && code == cudaSuccess; i++)
        code = cudaEventCreate(&job->events[i]);
    return smp_cuda_status(code, "memory on the GPU", error);
}

static smp_status launch(void *user, size_t index, smp_error *error) {
    const struct job *job = user;
    (void)index;
    return job->variant->launch(job->in, job->out, job->size, false, error);
}

/* For counting: blocks that share a multiprocessor add passes lost in arbitration. */
static smp_status launch_alone(void *user, size_t index, smp_error *error) {
    const struct job *job = user;
    (void)index;
    return job->variant->launch(job->in, job->out, job->size, true, error);
}

static smp_status check_result(struct job *job, smp_error *error) {
    const size_t count = job->bytes / sizeof(float);
    fill(job->host_in, count);
    job->variant->reference(job->host_in, job->host_expected, job->size);
    cudaError_t code = cudaMemcpy(job->in, job->host_in, job->bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess)
        code = cudaMemset(job->out, 0xff, job->bytes);
    smp_status status = smp_cuda_status(code, "copy to the GPU", error);
    if (status == SMP_OK)
        status = launch(job, 0, error);
    if (status != SMP_OK)
        return status;
    code = cudaMemcpy(job->host_out, job->out, job->bytes, cudaMemcpyDeviceToHost);
    status = smp_cuda_status(code, job->variant->name, error);
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        if (memcmp(&job->host_out[i], &job->host_expected[i], sizeof(float)) != 0)
            status =
                smp_error_set(error, SMP_E_RESULT, -1, "%s %s: element %zu is %g, the CPU has %g",
                              job->variant->family, job->variant->name, i, (double)job->host_out[i],
                              (double)job->host_expected[i]);
    return status;
}

static smp_status copy(void *user, size_t index, smp_error *error) {
    const struct job *job = user;
    (void)index;
    cudaError_t code =
        cudaMemcpyAsync(job->out, job->in, job->bytes, cudaMemcpyDeviceToDevice, NULL);
    return smp_cuda_status(code, "copy on the GPU", error);
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Milliseconds of each run, sorted. */
static smp_status time_runs(struct job *job, smp_launch_fn run, float times_ms[TIMED_RUNS],
                            smp_error *error) {
    smp_status status = SMP_OK;
    for (int i = 0; i < WARM_UP_RUNS && status == SMP_OK; i++)
        status = run(job, 0, error);
    cudaError_t code = cudaEventRecord(job->events[0], NULL);
    for (int i = 0; i < TIMED_RUNS && status == SMP_OK && code == cudaSuccess; i++) {
        status = run(job, 0, error);
        code = cudaEventRecord(job->events[i + 1], NULL);
    }
    if (status != SMP_OK)
        return status;
    if (code == cudaSuccess)
        code = cudaDeviceSynchronize();
    for (int i = 0; i < TIMED_RUNS && code == cudaSuccess; i++)
        code = cudaEventElapsedTime(&times_ms[i], job->events[i], job->events[i + 1]);
    qsort(times_ms, TIMED_RUNS, sizeof times_ms[0], by_value);
    return smp_cuda_status(code, "timing", error);
}

static double median_us(const float times_ms[TIMED_RUNS]) {
    return 1e3 * ((double)times_ms[TIMED_RUNS / 2 - 1] + (double)times_ms[TIMED_RUNS / 2]) / 2;
}

static smp_status time_kernel(struct job *job, smp_kernel_result *out, smp_error *error) {
    float times_ms[TIMED_RUNS];
    smp_status status = time_runs(job, launch, times_ms, error);
    if (status != SMP_OK)
        return status;
    out->runs = TIMED_RUNS;
    out->time_us = median_us(times_ms);
    const float low = times_ms[TIMED_RUNS / 10], high = times_ms[TIMED_RUNS - 1 - TIMED_RUNS / 10];
    out->time_spread_us = 1e3 * (double)(high - low) / 2;
    status = time_runs(job, copy, times_ms, error);
    out->copy_us = median_us(times_ms);
    return status;
}

static smp_status count_kernel(smp_probe *probe, struct job *job, smp_kernel_result *out,
                               smp_error *error) {
    const char *metrics[] = {
        smp_counter_of(SMP_LD_SHARED)->metric, smp_counter_of(SMP_ST_SHARED)->metric,
        smp_counter_of(SMP_LD_GLOBAL)->metric, smp_counter_of(SMP_ST_GLOBAL)->metric};
    double values[4];
    smp_status status =
        smp_probe_ranges(probe, metrics, 4, launch_alone, job, 1, values, NULL, NULL, NULL, error);
    if (status != SMP_OK)
        return status;
    out->wavefronts_ld = (uint64_t)(values[0] + 0.5);
    out->wavefronts_st = (uint64_t)(values[1] + 0.5);
    out->sectors_ld = (uint64_t)(values[2] + 0.5);
    out->sectors_st = (uint64_t)(values[3] + 0.5);
    return SMP_OK;
}

smp_status smp_measure_kernel(smp_probe *probe, const smp_kernel_variant *variant,
                              smp_kernel_size size, smp_kernel_result *out, smp_error *error) {
    struct job job = {.variant = variant, .size = size};
    job.bytes = (size_t)size.rows * size.columns * sizeof(float);
    memset(out, 0, sizeof *out);
    smp_status status = job_allocate(&job, error);
    if (status == SMP_OK)
        status = check_result(&job, error);
    if (status == SMP_OK)
        status = time_kernel(&job, out, error);
    if (status == SMP_OK)
        status = count_kernel(probe, &job, out, error);
    job_free(&job);
    return status;
}
