/* SPDX-License-Identifier: MIT */
/* As much of CUPTI's interface as the probe uses: starting the profiler; see cuda.h. */
#ifndef STANDIN_CUPTI_PROFILER_TARGET_H
#define STANDIN_CUPTI_PROFILER_TARGET_H

#include "cupti_target.h"

typedef enum CUpti_ProfilerRange { CUPTI_AutoRange = 1, CUPTI_UserRange = 2 } CUpti_ProfilerRange;
typedef enum CUpti_ProfilerReplayMode {
    CUPTI_ApplicationReplay = 1,
    CUPTI_KernelReplay = 2,
    CUPTI_UserReplay = 3
} CUpti_ProfilerReplayMode;

typedef struct CUpti_Profiler_Initialize_Params {
    size_t structSize;
    void *pPriv;
} CUpti_Profiler_Initialize_Params;
#define CUpti_Profiler_Initialize_Params_STRUCT_SIZE sizeof(CUpti_Profiler_Initialize_Params)
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params);

#endif
