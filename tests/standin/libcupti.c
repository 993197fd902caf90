/* SPDX-License-Identifier: MIT */
/*
 * Libcupti.so.13, as far as the probe asks it. A range's value of a metric is what the counter grew
 * by between push and pop. Calls in an order that CUPTI would refuse are refused.
 */
#include <cupti_range_profiler.h>
#include <cupti_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti_host.h"
#include "standin.h"

enum { METRICS_MAX = 32 };

struct smp_host {
    char metrics[METRICS_MAX][160];
    size_t metric_count;
};

/* What the configuration image holds. */
struct config {
    char metrics[METRICS_MAX][160];
    size_t metric_count;
};

/* What the counter data image begins with; the values follow, by range. */
struct image {
    size_t metric_count, capacity, ranges;
    double values[];
};

struct CUpti_RangeProfiler_Object {
    struct config config;
    struct image *image;
    size_t range, pass; /* of the running pass; passes done */
    bool is_started, is_pushed;
    double before[METRICS_MAX];
};

static CUpti_RangeProfiler_Object *enabled;

/* A GPU must never be left with its profiler enabled. */
__attribute__((destructor)) static void check_disabled(void) {
    if (enabled) {
        fputs("stand-in: the profiler was left enabled\n", stderr);
        _exit(70);
    }
}

#define RESULT(function)                                  \
    do {                                                  \
        const int result_code = standin_result(function); \
        if (result_code != 0)                             \
            return (CUptiResult)result_code;              \
    } while (0)
#define REQUIRE(condition)                        \
    do {                                          \
        if (!(condition))                         \
            return CUPTI_ERROR_INVALID_OPERATION; \
    } while (0)

CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = 130001;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult code, const char **text) {
    RESULT("cuptiGetResultString");
    *text = code == CUPTI_ERROR_INVALID_OPERATION     ? "CUPTI_ERROR_INVALID_OPERATION"
            : code == CUPTI_ERROR_INVALID_METRIC_NAME ? "CUPTI_ERROR_INVALID_METRIC_NAME"
                                                      : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params) {
    (void)params;
    return (CUptiResult)standin_result("cuptiProfilerInitialize");
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params) {
    params->pChipName = standin_text("chip", "GH100");
    return (CUptiResult)standin_result("cuptiDeviceGetChipName");
}

CUptiResult cuptiProfilerHostInitialize(smp_host_initialize *params) {
    RESULT("cuptiProfilerHostInitialize");
    params->host = calloc(1, sizeof *params->host);
    return params->host ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY;
}

CUptiResult cuptiProfilerHostDeinitialize(smp_host_deinitialize *params) {
    free(params->host);
    return (CUptiResult)standin_result("cuptiProfilerHostDeinitialize");
}

CUptiResult cuptiProfilerHostConfigAddMetrics(smp_host_add_metrics *params) {
    RESULT("cuptiProfilerHostConfigAddMetrics");
    for (size_t i = 0; i < params->count; i++) {
        smp_host *host = params->host;
        if (host->metric_count == METRICS_MAX || strncmp(params->names[i], "l1tex__", 7) != 0)
            return CUPTI_ERROR_INVALID_METRIC_NAME;
        strncpy(host->metrics[host->metric_count++], params->names[i], sizeof host->metrics[0] - 1);
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(smp_host_config_size *params) {
    params->bytes = sizeof(struct config);
    return (CUptiResult)standin_result("cuptiProfilerHostGetConfigImageSize");
}

CUptiResult cuptiProfilerHostGetConfigImage(smp_host_config *params) {
    RESULT("cuptiProfilerHostGetConfigImage");
    REQUIRE(params->bytes == sizeof(struct config));
    memcpy(params->image, params->host, sizeof(struct config));
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(smp_host_evaluate *params) {
    const struct image *image = (const void *)params->data;
    RESULT("cuptiProfilerHostEvaluateToGpuValues");
    REQUIRE(params->count == image->metric_count && params->range < image->ranges);
    memcpy(params->values, &image->values[params->range * params->count],
           params->count * sizeof *params->values);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *params) {
    RESULT("cuptiRangeProfilerEnable");
    REQUIRE(!enabled && params->ctx);
    enabled = calloc(1, sizeof *enabled);
    params->pRangeProfilerObject = enabled;
    return enabled ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *params) {
    REQUIRE(params->pRangeProfilerObject == enabled);
    free(enabled);
    enabled = NULL;
    return (CUptiResult)standin_result("cuptiRangeProfilerDisable");
}

CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *params) {
    params->counterDataSize =
        sizeof(struct image) + params->maxNumOfRanges * params->numMetrics * sizeof(double);
    return (CUptiResult)standin_result("cuptiRangeProfilerGetCounterDataSize");
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params) {
    RESULT("cuptiRangeProfilerCounterDataImageInitialize");
    memset(params->pCounterData, 0, params->counterDataSize);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *params) {
    CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;
    RESULT("cuptiRangeProfilerSetConfig");
    REQUIRE(profiler == enabled && params->configSize == sizeof profiler->config);
    memcpy(&profiler->config, params->pConfig, sizeof profiler->config);
    profiler->image = (void *)params->pCounterDataImage;
    profiler->image->metric_count = profiler->config.metric_count;
    profiler->image->capacity = params->maxRangesPerPass;
    profiler->pass = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *params) {
    CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;
    RESULT("cuptiRangeProfilerStart");
    REQUIRE(profiler == enabled && profiler->image && !profiler->is_started);
    profiler->is_started = true;
    profiler->range = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *params) {
    CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;
    REQUIRE(profiler == enabled && profiler->is_started && !profiler->is_pushed);
    profiler->is_started = false;
    params->isAllPassSubmitted = ++profiler->pass >= (size_t)standin_number("passes", 1);
    return (CUptiResult)standin_result("cuptiRangeProfilerStop");
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *params) {
    CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;
    RESULT("cuptiRangeProfilerPushRange");
    REQUIRE(profiler == enabled && profiler->is_started && !profiler->is_pushed &&
            profiler->range < profiler->image->capacity);
    profiler->is_pushed = true;
    for (size_t i = 0; i < profiler->config.metric_count; i++)
        profiler->before[i] = standin_counter(profiler->config.metrics[i]);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *params) {
    CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;
    const size_t count = profiler->config.metric_count;
    double *values = &profiler->image->values[profiler->range++ * count];
    REQUIRE(profiler == enabled && profiler->is_pushed);
    profiler->is_pushed = false;
    for (size_t i = 0; i < count; i++)
        values[i] = standin_counter(profiler->config.metrics[i]) - profiler->before[i];
    return (CUptiResult)standin_result("cuptiRangeProfilerPopRange");
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *params) {
    CUpti_RangeProfiler_Object *profiler = params->pRangeProfilerObject;
    RESULT("cuptiRangeProfilerDecodeData");
    REQUIRE(profiler == enabled && !profiler->is_started && profiler->pass > 0);
    profiler->image->ranges = profiler->range;
    params->numOfRangeDropped = (size_t)standin_number("dropped", 0);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *params) {
    const struct image *image = (const void *)params->pCounterDataImage;
    params->numTotalRanges = image->ranges - (size_t)standin_number("lost", 0);
    return (CUptiResult)standin_result("cuptiRangeProfilerGetCounterDataInfo");
}

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params) {
    params->rangeName = "";
    return CUPTI_SUCCESS;
}
