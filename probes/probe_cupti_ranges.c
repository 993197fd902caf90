/* SPDX-License-Identifier: MIT */
/*
 * One profiler session: metrics of many launches. Each launch is a range of its own. If the metrics
 * need several passes, we repeat all launches (user replay), which takes a quarter of the time of
 * letting CUPTI save and restore memory around each. All metrics go into one configuration, since
 * CUPTI packs them into passes only within one call.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_cupti.h"

/* Ranges between two readings of the counters; bounds the memory of a session. */
enum { CHUNK_RANGES = 1000 };

typedef struct session {
    smp_probe *probe;
    const smp_ranges *job;
    const char **metrics; /* CUPTI's prototypes want a mutable array */
    smp_host *host;
    CUpti_RangeProfiler_Object *profiler;
    uint8_t *config, *data;
    size_t config_bytes, data_bytes;
    size_t ranges; /* capacity of the counter data */
} session;

static smp_status failed(const session *s, CUptiResult code, const char *what, smp_error *error) {
    return smp_cupti_status(&s->probe->cupti, code, what, error);
}

static smp_status build_config(session *s, smp_error *error) {
    const smp_cupti *cupti = &s->probe->cupti;
    smp_host_initialize init = {.struct_size = sizeof init,
                                .profiler_type = SMP_HOST_RANGE_PROFILER,
                                .chip_name = s->probe->chip};
    CUptiResult code = cupti->host_initialize(&init);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "starting the profiler host", error);
    s->host = init.host;
    smp_host_add_metrics add = {sizeof add, NULL, s->host, s->metrics, s->job->metric_count};
    code = cupti->host_add_metrics(&add);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, s->metrics[0], error);
    smp_host_config_size size = {.struct_size = sizeof size, .host = s->host};
    code = cupti->host_config_size(&size);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "configuring the counters", error);
    s->config_bytes = size.bytes;
    s->config = malloc(size.bytes);
    if (!s->config)
        return smp_error_memory(error);
    smp_host_config config = {sizeof config, NULL, s->host, s->config_bytes, s->config};
    return failed(s, cupti->host_config(&config), "configuring the counters", error);
}

static smp_status allocate_data(session *s, smp_error *error) {
    CUPTI_PARAMETERS(RangeProfiler_GetCounterDataSize, size, .pRangeProfilerObject = s->profiler,
                     .pMetricNames = s->metrics, .numMetrics = s->job->metric_count,
                     .maxNumOfRanges = s->ranges, .maxNumRangeTreeNodes = (uint32_t)s->ranges);
    CUptiResult code = s->probe->cupti.data_size(&size);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "sizing the counter data", error);
    s->data_bytes = size.counterDataSize;
    s->data = malloc(s->data_bytes);
    return s->data ? SMP_OK : smp_error_memory(error);
}

static smp_status session_open(session *s, smp_error *error) {
    s->metrics = malloc(s->job->metric_count * sizeof *s->metrics);
    if (!s->metrics)
        return smp_error_memory(error);
    memcpy(s->metrics, s->job->metrics, s->job->metric_count * sizeof *s->metrics);
    smp_status status = build_config(s, error);
    if (status != SMP_OK)
        return status;
    CUPTI_PARAMETERS(RangeProfiler_Enable, enable, .ctx = s->probe->context);
    CUptiResult code = s->probe->cupti.enable(&enable);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "enabling the range profiler", error);
    s->profiler = enable.pRangeProfilerObject;
    return allocate_data(s, error);
}

static void session_close(session *s) {
    if (s->profiler) {
        CUPTI_PARAMETERS(RangeProfiler_Disable, disable, .pRangeProfilerObject = s->profiler);
        s->probe->cupti.disable(&disable);
    }
    if (s->host) {
        smp_host_deinitialize end = {sizeof end, NULL, s->host};
        s->probe->cupti.host_deinitialize(&end);
    }
    free(s->data);
    free(s->config);
    free(s->metrics);
}

/* Empties the counter data and binds it to the coming passes. */
static smp_status prepare(session *s, smp_error *error) {
    CUPTI_PARAMETERS(RangeProfiler_CounterDataImage_Initialize, initialize,
                     .pRangeProfilerObject = s->profiler, .counterDataSize = s->data_bytes,
                     .pCounterData = s->data);
    CUptiResult code = s->probe->cupti.data_initialize(&initialize);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "preparing the counter data", error);
    CUPTI_PARAMETERS(RangeProfiler_SetConfig, set, .pRangeProfilerObject = s->profiler,
                     .configSize = s->config_bytes, .pConfig = s->config,
                     .counterDataImageSize = s->data_bytes, .pCounterDataImage = s->data,
                     .range = CUPTI_UserRange, .replayMode = CUPTI_UserReplay,
                     .maxRangesPerPass = s->ranges, .numNestingLevels = 1, .minNestingLevel = 1,
                     .targetNestingLevel = 1);
    return failed(s, s->probe->cupti.set_config(&set), "setting the counters", error);
}

static smp_status run_range(session *s, size_t first, size_t i, smp_error *error) {
    char name[24];
    snprintf(name, sizeof name, "%zu", i);
    CUPTI_PARAMETERS(RangeProfiler_PushRange, push, .pRangeProfilerObject = s->profiler,
                     .pRangeName = name);
    CUptiResult code = s->probe->cupti.push_range(&push);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "opening a range", error);
    smp_status status = s->job->launch(s->job->user, first + i, error);
    CUPTI_PARAMETERS(RangeProfiler_PopRange, pop, .pRangeProfilerObject = s->profiler);
    code = s->probe->cupti.pop_range(&pop);
    return status != SMP_OK ? status : failed(s, code, "closing a range", error);
}

/* One pass over the launches of a chunk. Always stops the session it started. */
static smp_status run_pass(session *s, size_t first, size_t count, bool *complete,
                           smp_error *error) {
    CUPTI_PARAMETERS(RangeProfiler_Start, start, .pRangeProfilerObject = s->profiler);
    CUptiResult code = s->probe->cupti.start(&start);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "starting the counters", error);
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        status = run_range(s, first, i, error);
    if (status == SMP_OK)
        status = smp_cuda_status(cudaDeviceSynchronize(), "measured kernel", error);
    CUPTI_PARAMETERS(RangeProfiler_Stop, stop, .pRangeProfilerObject = s->profiler);
    code = s->probe->cupti.stop(&stop);
    *complete = stop.isAllPassSubmitted != 0;
    return status != SMP_OK ? status : failed(s, code, "stopping the counters", error);
}

static smp_status read_values(session *s, size_t count, double *values, smp_error *error) {
    CUPTI_PARAMETERS(RangeProfiler_GetCounterDataInfo, info, .pCounterDataImage = s->data,
                     .counterDataImageSize = s->data_bytes);
    CUptiResult code = s->probe->cupti.data_info(&info);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "reading the counters", error);
    if (info.numTotalRanges != count)
        return smp_error_set(error, SMP_E_CUPTI, -1, "the profiler returned %zu ranges of %zu",
                             info.numTotalRanges, count);
    for (size_t i = 0; i < count && code == CUPTI_SUCCESS; i++) {
        smp_host_evaluate evaluate = {sizeof evaluate,
                                      NULL,
                                      s->host,
                                      s->data,
                                      s->data_bytes,
                                      i,
                                      s->metrics,
                                      s->job->metric_count,
                                      &values[i * s->job->metric_count]};
        code = s->probe->cupti.host_evaluate(&evaluate);
    }
    return failed(s, code, "evaluating the counters", error);
}

static smp_status run_chunk(session *s, size_t first, size_t count, smp_error *error) {
    bool complete = false;
    smp_status status = prepare(s, error);
    while (status == SMP_OK && !complete)
        status = run_pass(s, first, count, &complete, error);
    if (status != SMP_OK)
        return status;
    CUPTI_PARAMETERS(RangeProfiler_DecodeData, decode, .pRangeProfilerObject = s->profiler);
    CUptiResult code = s->probe->cupti.decode(&decode);
    if (code != CUPTI_SUCCESS)
        return failed(s, code, "decoding the counters", error);
    if (decode.numOfRangeDropped > 0)
        return smp_error_set(error, SMP_E_CUPTI, -1, "the profiler dropped %zu ranges",
                             decode.numOfRangeDropped);
    return read_values(s, count, &s->job->values[first * s->job->metric_count], error);
}

smp_status smp_ranges_run(smp_probe *probe, const smp_ranges *job, size_t *done, smp_error *error) {
    session s = {.probe = probe, .job = job};
    s.ranges = job->launch_count < CHUNK_RANGES ? job->launch_count : CHUNK_RANGES;
    *done = 0;
    smp_status status = session_open(&s, error);
    while (status == SMP_OK && *done < job->launch_count) {
        size_t left = job->launch_count - *done;
        size_t count = left < s.ranges ? left : s.ranges;
        status = run_chunk(&s, *done, count, error);
        *done += status == SMP_OK ? count : 0;
        if (status == SMP_OK && job->progress && !job->progress(job->progress_user, *done))
            status = smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
    }
    session_close(&s);
    return status;
}
