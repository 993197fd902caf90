/* SPDX-License-Identifier: MIT */
/* Shared declarations of the CUPTI probe. Internal to probes/. */
#pragma once

#include <cuda.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include "cupti_host.h"
#include "smp_probes.h"

/* Declares parameters `name` of a CUPTI function. */
#define CUPTI_PARAMETERS(type, name, ...) \
    CUpti_##type##_Params name = {.structSize = CUpti_##type##_Params_STRUCT_SIZE, __VA_ARGS__}

/* Field, symbol of libcupti, parameters. */
#define SMP_CUPTI_LIST(X)                                                                \
    X(result_string, cuptiGetResultString, (CUptiResult, const char **))                 \
    X(version, cuptiGetVersion, (uint32_t *))                                            \
    X(initialize, cuptiProfilerInitialize, (CUpti_Profiler_Initialize_Params *))         \
    X(chip_name, cuptiDeviceGetChipName, (CUpti_Device_GetChipName_Params *))            \
    X(host_initialize, cuptiProfilerHostInitialize, (smp_host_initialize *))             \
    X(host_deinitialize, cuptiProfilerHostDeinitialize, (smp_host_deinitialize *))       \
    X(host_add_metrics, cuptiProfilerHostConfigAddMetrics, (smp_host_add_metrics *))     \
    X(host_config_size, cuptiProfilerHostGetConfigImageSize, (smp_host_config_size *))   \
    X(host_config, cuptiProfilerHostGetConfigImage, (smp_host_config *))                 \
    X(host_evaluate, cuptiProfilerHostEvaluateToGpuValues, (smp_host_evaluate *))        \
    X(enable, cuptiRangeProfilerEnable, (CUpti_RangeProfiler_Enable_Params *))           \
    X(disable, cuptiRangeProfilerDisable, (CUpti_RangeProfiler_Disable_Params *))        \
    X(data_size, cuptiRangeProfilerGetCounterDataSize,                                   \
      (CUpti_RangeProfiler_GetCounterDataSize_Params *))                                 \
    X(data_initialize, cuptiRangeProfilerCounterDataImageInitialize,                     \
      (CUpti_RangeProfiler_CounterDataImage_Initialize_Params *))                        \
    X(set_config, cuptiRangeProfilerSetConfig, (CUpti_RangeProfiler_SetConfig_Params *)) \
    X(start, cuptiRangeProfilerStart, (CUpti_RangeProfiler_Start_Params *))              \
    X(stop, cuptiRangeProfilerStop, (CUpti_RangeProfiler_Stop_Params *))                 \
    X(push_range, cuptiRangeProfilerPushRange, (CUpti_RangeProfiler_PushRange_Params *)) \
    X(pop_range, cuptiRangeProfilerPopRange, (CUpti_RangeProfiler_PopRange_Params *))    \
    X(decode, cuptiRangeProfilerDecodeData, (CUpti_RangeProfiler_DecodeData_Params *))   \
    X(data_info, cuptiRangeProfilerGetCounterDataInfo,                                   \
      (CUpti_RangeProfiler_GetCounterDataInfo_Params *))                                 \
    X(range_info, cuptiRangeProfilerCounterDataGetRangeInfo,                             \
      (CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *))

typedef struct smp_cupti {
#define SMP_CUPTI_FIELD(field, symbol, parameters) CUptiResult(*field) parameters;
    SMP_CUPTI_LIST(SMP_CUPTI_FIELD)
#undef SMP_CUPTI_FIELD
} smp_cupti;

struct smp_probe {
    smp_cupti cupti;
    smp_device device;
    CUcontext context; /* the device's primary context, current in the opening thread */
    char chip[32];     /* CUPTI's name, "GH100" */
    void *scratch;
    smp_witness witness; /* SMP_COUNTERS_OR_CLOCKS until the first reading */
    smp_error why_clocks;
};

/* Opens libcupti and fills *out. The library is never closed: it keeps threads and hooks. */
smp_status smp_cupti_open(smp_cupti *out, smp_error *error);
/* Returns the path of the opened library. */
void smp_cupti_path(const smp_cupti *cupti, char *text, size_t size);
/* Opens libcuda, initializes it, finds device `index`, and makes its primary context current. */
smp_status smp_driver_open(int index, smp_device *device, CUcontext *context, smp_error *error);
/* Only opens and initializes libcuda: the CUDA version that it runs, and how many GPUs it has. */
smp_status smp_driver_start(int *version, int *count, smp_error *error);
smp_status smp_device_describe(int index, smp_device *out, smp_error *error);

/* Switches to clocks if that is allowed and `status` is about counters; else returns false. */
bool smp_probe_falls_back(smp_probe *probe, smp_status status, const smp_error *error);

/* Translates a CUPTI code; SMP_OK for CUPTI_SUCCESS. `what` names the failed step. */
smp_status smp_cupti_status(const smp_cupti *cupti, CUptiResult code, const char *what,
                            smp_error *error);
/* Translates a code of the CUDA runtime. */
smp_status smp_cuda_status(int code, const char *what, smp_error *error);

/* ---- Metrics of many launches in one profiler session ---- */

typedef struct smp_ranges {
    const char *const *metrics;
    size_t metric_count;
    smp_launch_fn launch; /* launches range i, once per pass */
    void *user;
    size_t launch_count;
    double *values; /* [launch][metric] */
    bool (*progress)(void *user, size_t done);
    void *progress_user;
} smp_ranges;

/* Opens, runs and always closes a session; the first *done launches have values. */
smp_status smp_ranges_run(smp_probe *probe, const smp_ranges *job, size_t *done, smp_error *error);
