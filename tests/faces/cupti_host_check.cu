/* SPDX-License-Identifier: MIT */
/*
 * cupti_host_check.cu: holds no code; fails to compile where cupti_host.h and the installed CUPTI
 * disagree on a layout.
 */
#include <cstddef>

#include <cupti_profiler_host.h>

#include "cupti_host.h"

// Each begins with its size, by which a later CUPTI knows an earlier, smaller struct: 13.5 adds to
// the end of one.
#define NO_LARGER(ours, theirs) static_assert(sizeof(ours) <= sizeof(theirs), "size of " #theirs)
#define SAME_PLACE(ours, field, theirs, their_field)                        \
    static_assert(offsetof(ours, field) == offsetof(theirs, their_field) && \
                      sizeof(ours::field) == sizeof(theirs::their_field),   \
                  "place of " #theirs "::" #their_field)

static_assert(SMP_HOST_RANGE_PROFILER == (int)CUPTI_PROFILER_TYPE_RANGE_PROFILER, "profiler type");

NO_LARGER(smp_host_initialize, CUpti_Profiler_Host_Initialize_Params);
SAME_PLACE(smp_host_initialize, struct_size, CUpti_Profiler_Host_Initialize_Params, structSize);
SAME_PLACE(smp_host_initialize, profiler_type, CUpti_Profiler_Host_Initialize_Params, profilerType);
SAME_PLACE(smp_host_initialize, chip_name, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME_PLACE(smp_host_initialize, counter_availability, CUpti_Profiler_Host_Initialize_Params,
           pCounterAvailabilityImage);
SAME_PLACE(smp_host_initialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);

NO_LARGER(smp_host_deinitialize, CUpti_Profiler_Host_Deinitialize_Params);
SAME_PLACE(smp_host_deinitialize, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);

NO_LARGER(smp_host_add_metrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
SAME_PLACE(smp_host_add_metrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
SAME_PLACE(smp_host_add_metrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SAME_PLACE(smp_host_add_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);

NO_LARGER(smp_host_config_size, CUpti_Profiler_Host_GetConfigImageSize_Params);
SAME_PLACE(smp_host_config_size, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
SAME_PLACE(smp_host_config_size, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params,
           configImageSize);

NO_LARGER(smp_host_config, CUpti_Profiler_Host_GetConfigImage_Params);
SAME_PLACE(smp_host_config, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
SAME_PLACE(smp_host_config, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SAME_PLACE(smp_host_config, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);

NO_LARGER(smp_host_evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
SAME_PLACE(smp_host_evaluate, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
SAME_PLACE(smp_host_evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
           pCounterDataImage);
SAME_PLACE(smp_host_evaluate, data_bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
           counterDataImageSize);
SAME_PLACE(smp_host_evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME_PLACE(smp_host_evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
SAME_PLACE(smp_host_evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
SAME_PLACE(smp_host_evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
           pMetricValues);
