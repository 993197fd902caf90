/* SPDX-License-Identifier: MIT */
/*
 * Measures whole kernels: result, time, and counters of one run. Device events time each run while
 * no profiler session is open. A variant alternates with the copy and the baseline, ten runs each,
 * so that all see the same clocks and neighbours. One untimed run begins each turn, so that each
 * sees the caches as it left them.
 */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe_cupti.h"

enum { WARM_UP_RUNS = 5, TURN_RUNS = 10, RUNS_LEAST = 10, RUNS_MOST = 100, COPIES_RUNS = 11 };
#define BUDGET_MS 2000.0 /* for the timed rounds of one variant */

/* The parties that are timed, in this order in each round. */
enum contender { VARIANT, COPY, BASELINE, CONTENDERS };

struct timer {
    cudaEvent_t start[RUNS_MOST], stop[RUNS_MOST];
    float ms[RUNS_MOST]; /* sorted */
};

struct smp_bench {
    smp_probe *probe;
    const smp_kernel_family *family;
    smp_kernel_case problem;
    smp_kernel_bytes bytes;
    void *in, *out, *work; /* device */
    void *host_in, *host_out;
    struct timer timers[CONTENDERS];
    const smp_kernel_variant *variant; /* running now */
    smp_kernel_launch launch;
    bool lacks_baseline; /* this toolkit has no such library */
};

/* ---- Memory ---- */

static smp_status take_memory(smp_bench *bench, smp_error *error) {
    const smp_kernel_bytes *bytes = &bench->bytes;
    bench->host_in = malloc(bytes->in);
    bench->host_out = malloc(bytes->out);
    if (!bench->host_in || !bench->host_out)
        return smp_error_set(error, SMP_E_MEMORY, -1, "the host lacks %llu bytes for this size",
                             (unsigned long long)(bytes->in + bytes->out));
    cudaError_t code = cudaMalloc(&bench->in, bytes->in);
    if (code == cudaSuccess)
        code = cudaMalloc(&bench->out, bytes->out);
    if (code == cudaSuccess && bytes->work > 0)
        code = cudaMalloc(&bench->work, bytes->work);
    if (code == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return smp_error_set(error, SMP_E_MEMORY, -1, "the GPU lacks %llu bytes for this size",
                             (unsigned long long)(bytes->in + bytes->out + bytes->work));
    }
    for (int i = 0; i < CONTENDERS * RUNS_MOST && code == cudaSuccess; i++) {
        struct timer *timer = &bench->timers[i / RUNS_MOST];
        code = cudaEventCreate(&timer->start[i % RUNS_MOST]);
        if (code == cudaSuccess)
            code = cudaEventCreate(&timer->stop[i % RUNS_MOST]);
    }
    return smp_cuda_status(code, "memory on the GPU", error);
}

smp_status smp_bench_open(smp_probe *probe, const smp_kernel_family *family,
                          const smp_kernel_case *problem, smp_bench **out, smp_error *error) {
    *out = NULL;
    smp_status status = smp_kernel_check(family, NULL, problem, error);
    if (status != SMP_OK)
        return status;
    smp_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return smp_error_memory(error);
    bench->probe = probe;
    bench->family = family;
    bench->problem = *problem;
    bench->bytes = family->bytes(problem);
    status = take_memory(bench, error);
    if (status != SMP_OK) {
        smp_bench_close(bench);
        return status;
    }
    family->fill(&bench->problem, bench->host_in);
    bench->launch = (smp_kernel_launch){
        .problem = &bench->problem, .in = bench->in, .out = bench->out, .work = bench->work};
    *out = bench;
    return SMP_OK;
}

void smp_bench_close(smp_bench *bench) {
    if (!bench)
        return;
    for (int i = 0; i < CONTENDERS * RUNS_MOST; i++) {
        struct timer *timer = &bench->timers[i / RUNS_MOST];
        if (timer->start[i % RUNS_MOST])
            cudaEventDestroy(timer->start[i % RUNS_MOST]);
        if (timer->stop[i % RUNS_MOST])
            cudaEventDestroy(timer->stop[i % RUNS_MOST]);
    }
    cudaFree(bench->in);
    cudaFree(bench->out);
    cudaFree(bench->work);
    free(bench->host_in);
    free(bench->host_out);
    free(bench);
}

/* ---- Results ---- */

static smp_status prepare(smp_bench *bench, smp_error *error) {
    return bench->variant->prepare ? bench->variant->prepare(&bench->launch, error) : SMP_OK;
}

static smp_status upload(smp_bench *bench, smp_error *error) {
    return smp_cuda_status(
        cudaMemcpy(bench->in, bench->host_in, bench->bytes.in, cudaMemcpyHostToDevice),
        "copy to the GPU", error);
}

/* An earlier variant's output must not count as a result. */
static smp_status spoil(smp_bench *bench, smp_error *error) {
    memset(bench->host_out, 0xa5, bench->bytes.out);
    return smp_cuda_status(cudaMemset(bench->out, 0xa5, bench->bytes.out), "clearing the result",
                           error);
}

static smp_status run_once(smp_bench *bench, smp_error *error) {
    smp_status status = prepare(bench, error);
    if (status == SMP_OK)
        status = bench->variant->launch(&bench->launch, error);
    if (status != SMP_OK)
        return status;
    return smp_cuda_status(
        cudaMemcpy(bench->host_out, bench->out, bench->bytes.out, cudaMemcpyDeviceToHost),
        bench->variant->name, error);
}

static smp_status check_result(smp_bench *bench, smp_error *error) {
    smp_status status = spoil(bench, error);
    if (status == SMP_OK)
        status = upload(bench, error);
    if (status == SMP_OK)
        status = run_once(bench, error);
    if (status == SMP_OK)
        status = bench->family->verify(&bench->problem, bench->host_in, bench->host_out, error);
    if (status == SMP_E_RESULT && error) {
        const smp_error cause = *error;
        (void)smp_error_set(error, status, -1, "%s %s: %.180s", bench->family->name,
                            bench->variant->name, cause.message);
    }
    return status;
}

/* ---- Time ---- */

static bool takes_part(const smp_bench *bench, enum contender who) {
    const smp_kernel_bytes *bytes = &bench->bytes;
    if (who == COPY)
        return bytes->out >= bytes->in || bytes->work >= bytes->in;
    return who == VARIANT || (bench->family->baseline && !bench->lacks_baseline);
}

static smp_status run_copy(smp_bench *bench, smp_error *error) {
    void *to = bench->bytes.out >= bench->bytes.in ? bench->out : bench->work;
    return smp_cuda_status(
        cudaMemcpyAsync(to, bench->in, bench->bytes.in, cudaMemcpyDeviceToDevice, NULL),
        "copy on the GPU", error);
}

static smp_status run_contender(smp_bench *bench, enum contender who, smp_error *error) {
    if (who == COPY)
        return run_copy(bench, error);
    return who == VARIANT ? bench->variant->launch(&bench->launch, error)
                          : bench->family->baseline(&bench->launch, error);
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static smp_status timed_run(smp_bench *bench, enum contender who, int index, smp_error *error) {
    struct timer *timer = &bench->timers[who];
    smp_status status = who == VARIANT ? prepare(bench, error) : SMP_OK;
    cudaError_t code = cudaEventRecord(timer->start[index], NULL);
    if (status == SMP_OK && code == cudaSuccess)
        status = run_contender(bench, who, error);
    if (who == BASELINE && status == SMP_E_NOT_BUILT) {
        bench->lacks_baseline = true;
        status = SMP_OK;
    }
    if (code == cudaSuccess)
        code = cudaEventRecord(timer->stop[index], NULL);
    return status != SMP_OK ? status : smp_cuda_status(code, "timing", error);
}

/* Times runs `first` to `first` + 9, or fewer at the end of `count`. */
static smp_status take_turn(smp_bench *bench, enum contender who, int first, int count,
                            smp_error *error) {
    const int end = first + TURN_RUNS < count ? first + TURN_RUNS : count;
    smp_status status = timed_run(bench, who, first, error);
    for (int i = first; i < end && status == SMP_OK; i++)
        status = timed_run(bench, who, i, error);
    return status;
}

/* Fills the times of all parties. */
static smp_status time_rounds(smp_bench *bench, int count, smp_error *error) {
    smp_status status = SMP_OK;
    for (int first = 0; first < count; first += TURN_RUNS)
        for (int who = 0; who < CONTENDERS && status == SMP_OK; who++)
            if (takes_part(bench, who))
                status = take_turn(bench, who, first, count, error);
    if (status != SMP_OK)
        return status;
    cudaError_t code = cudaDeviceSynchronize();
    for (int who = 0; who < CONTENDERS; who++) {
        struct timer *timer = &bench->timers[who];
        for (int i = 0; i < count && code == cudaSuccess; i++)
            if (takes_part(bench, who))
                code = cudaEventElapsedTime(&timer->ms[i], timer->start[i], timer->stop[i]);
        qsort(timer->ms, (size_t)count, sizeof timer->ms[0], by_value);
    }
    return smp_cuda_status(code, "timing", error);
}

static double median_us(const smp_bench *bench, enum contender who, int count) {
    const float *ms = bench->timers[who].ms;
    if (!takes_part(bench, who))
        return 0;
    return 1e3 * ((double)ms[(count - 1) / 2] + (double)ms[count / 2]) / 2;
}

/* Warms up, and from that chooses how many rounds fit the budget. */
static smp_status time_variant(smp_bench *bench, smp_kernel_result *out, smp_error *error) {
    smp_status status = time_rounds(bench, WARM_UP_RUNS, error);
    if (status != SMP_OK)
        return status;
    double round_us = 1;
    for (int who = 0; who < CONTENDERS; who++)
        round_us += median_us(bench, who, WARM_UP_RUNS);
    const double fit = 1e3 * BUDGET_MS / round_us;
    const int count = fit > RUNS_MOST ? RUNS_MOST : fit < RUNS_LEAST ? RUNS_LEAST : (int)fit;
    status = time_rounds(bench, count, error);
    const float *ms = bench->timers[VARIANT].ms;
    out->runs = (uint32_t)count;
    out->time_us = median_us(bench, VARIANT, count);
    out->time_spread_us = 1e3 * ((double)ms[count - 1 - count / 10] - (double)ms[count / 10]) / 2;
    out->copy_us = median_us(bench, COPY, count);
    out->baseline_us = bench->family->baseline ? median_us(bench, BASELINE, count) : out->copy_us;
    out->is_timed = status == SMP_OK;
    return status;
}

static double now_us(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* For a program with its data on the host: copy, run, copy back. */
static smp_status time_copies(smp_bench *bench, smp_kernel_result *out, smp_error *error) {
    float times_us[COPIES_RUNS];
    smp_status status = SMP_OK;
    for (int i = 0; i < COPIES_RUNS && status == SMP_OK; i++) {
        const double start = now_us();
        status = upload(bench, error);
        if (status == SMP_OK)
            status = run_once(bench, error);
        times_us[i] = (float)(now_us() - start);
    }
    qsort(times_us, COPIES_RUNS, sizeof times_us[0], by_value);
    out->copies_us = (double)times_us[COPIES_RUNS / 2];
    return status;
}

/* ---- Counters ---- */

/* Range 0 prepares, range 1 is measured. */
static smp_status counted_range(void *user, size_t index, smp_error *error) {
    smp_bench *bench = user;
    return index == 0 ? prepare(bench, error) : bench->variant->launch(&bench->launch, error);
}

static smp_status counted_launch(void *user, size_t index, smp_error *error) {
    (void)index;
    return counted_range(user, 1, error);
}

/* Counts nothing if counters cannot be read and the probe may do without. */
static smp_status count_variant(smp_bench *bench, smp_kernel_result *out, smp_error *error) {
    if (smp_probe_witness(bench->probe, NULL) == SMP_CLOCKS)
        return SMP_OK;
    const smp_traffic_row *rows = smp_traffic_rows();
    const size_t ranges = bench->variant->prepare ? 2 : 1;
    const char *metrics[SMP_TRAFFIC_COUNT];
    double values[2 * SMP_TRAFFIC_COUNT];
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
        metrics[i] = smp_counter_of(rows[i].op)->metric;
    bench->launch.alone = true;
    smp_status status = smp_probe_ranges(bench->probe, metrics, SMP_TRAFFIC_COUNT,
                                         ranges == 2 ? counted_range : counted_launch, bench,
                                         ranges, values, NULL, NULL, NULL, error);
    bench->launch.alone = false;
    if (status != SMP_OK)
        return smp_probe_falls_back(bench->probe, status, error) ? SMP_OK : status;
    for (int i = 0; i < SMP_TRAFFIC_COUNT; i++)
        out->counted.count[i] =
            (uint64_t)(values[(ranges - 1) * SMP_TRAFFIC_COUNT + (size_t)i] + 0.5);
    out->is_counted = true;
    return SMP_OK;
}

/* ---- All of it ---- */

static smp_status ask_residency(smp_bench *bench, smp_kernel_result *out, smp_error *error) {
    bench->launch.residency = &out->residency;
    smp_status status = bench->variant->launch(&bench->launch, error);
    bench->launch.residency = NULL;
    return status;
}

/* A variant without a kernel: checked, and timed with the host's clock. */
static smp_status run_on_host(smp_bench *bench, smp_kernel_result *out, smp_error *error) {
    float times_us[RUNS_LEAST];
    memset(bench->host_out, 0xa5, bench->bytes.out);
    for (int i = 0; i < RUNS_LEAST; i++) {
        const double start = now_us();
        bench->variant->host(&bench->problem, bench->host_in, bench->host_out);
        times_us[i] = (float)(now_us() - start);
    }
    qsort(times_us, RUNS_LEAST, sizeof times_us[0], by_value);
    out->time_us = (double)times_us[RUNS_LEAST / 2];
    out->time_spread_us = ((double)times_us[RUNS_LEAST - 2] - (double)times_us[1]) / 2;
    out->copies_us = bench->family->times_copies ? out->time_us : 0;
    out->runs = RUNS_LEAST;
    out->is_timed = true;
    smp_error found;
    const smp_status status =
        bench->family->verify(&bench->problem, bench->host_in, bench->host_out, &found);
    if (status == SMP_OK)
        return SMP_OK;
    if (status == SMP_E_RESULT && bench->variant->wrong) {
        (void)snprintf(out->wrong, sizeof out->wrong, "%.120s", found.message);
        return SMP_OK;
    }
    return smp_error_set(error, status, -1, "%s", found.message);
}

smp_status smp_bench_run(smp_bench *bench, const smp_kernel_variant *variant,
                         smp_kernel_result *out, smp_error *error) {
    memset(out, 0, sizeof *out);
    bench->variant = variant;
    smp_status status = smp_kernel_check(bench->family, variant, &bench->problem, error);
    if (status != SMP_OK)
        return status;
    if (!variant->launch)
        return run_on_host(bench, out, error);
    status = check_result(bench, error);
    if (status == SMP_OK)
        status = ask_residency(bench, out, error);
    if (status == SMP_OK)
        status = time_variant(bench, out, error);
    if (status == SMP_OK && bench->family->times_copies)
        status = time_copies(bench, out, error);
    if (status == SMP_OK)
        status = upload(bench, error); /* a variant may have changed its input */
    return status == SMP_OK ? count_variant(bench, out, error) : status;
}
