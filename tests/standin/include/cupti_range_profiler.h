/* SPDX-License-Identifier: MIT */
/* As much of CUPTI's interface as the probe uses: the Range Profiler; see cuda.h. */
#ifndef STANDIN_CUPTI_RANGE_PROFILER_H
#define STANDIN_CUPTI_RANGE_PROFILER_H

#include "cupti_profiler_target.h"

typedef struct CUpti_RangeProfiler_Object CUpti_RangeProfiler_Object;

STANDIN_PARAMS(CUpti_RangeProfiler_Enable_Params, CUcontext ctx;
               CUpti_RangeProfiler_Object * pRangeProfilerObject;);
STANDIN_PARAMS(CUpti_RangeProfiler_Disable_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;);
STANDIN_PARAMS(CUpti_RangeProfiler_SetConfig_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;
               size_t configSize; const uint8_t *pConfig; size_t counterDataImageSize;
               uint8_t * pCounterDataImage; CUpti_ProfilerRange range;
               CUpti_ProfilerReplayMode replayMode; size_t maxRangesPerPass;
               uint16_t numNestingLevels; uint16_t minNestingLevel; size_t passIndex;
               uint16_t targetNestingLevel;);
STANDIN_PARAMS(CUpti_RangeProfiler_Start_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;);
STANDIN_PARAMS(CUpti_RangeProfiler_Stop_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;
               size_t passIndex; size_t targetNestingLevel; uint8_t isAllPassSubmitted;);
STANDIN_PARAMS(CUpti_RangeProfiler_PushRange_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;
               const char *pRangeName;);
STANDIN_PARAMS(CUpti_RangeProfiler_PopRange_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;);
STANDIN_PARAMS(CUpti_RangeProfiler_DecodeData_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;
               size_t numOfRangeDropped;);
STANDIN_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;
               const char **pMetricNames; size_t numMetrics; size_t maxNumOfRanges;
               uint32_t maxNumRangeTreeNodes; size_t counterDataSize;);
STANDIN_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
               CUpti_RangeProfiler_Object *pRangeProfilerObject;
               size_t counterDataSize; uint8_t * pCounterData;);
STANDIN_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, const uint8_t *pCounterDataImage;
               size_t counterDataImageSize; size_t numTotalRanges;);
STANDIN_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params,
               const uint8_t *pCounterDataImage;
               size_t counterDataImageSize; size_t rangeIndex; const char *rangeDelimiter;
               const char *rangeName;);

#define CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE sizeof(CUpti_RangeProfiler_Enable_Params)
#define CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE sizeof(CUpti_RangeProfiler_Disable_Params)
#define CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_SetConfig_Params)
#define CUpti_RangeProfiler_Start_Params_STRUCT_SIZE sizeof(CUpti_RangeProfiler_Start_Params)
#define CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE sizeof(CUpti_RangeProfiler_Stop_Params)
#define CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_PushRange_Params)
#define CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE sizeof(CUpti_RangeProfiler_PopRange_Params)
#define CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_DecodeData_Params)
#define CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_GetCounterDataSize_Params)
#define CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
#define CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_GetCounterDataInfo_Params)
#define CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE \
    sizeof(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params)

#endif
