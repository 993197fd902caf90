/* SPDX-License-Identifier: MIT */
/*
 * As much of CUPTI's interface as the probe uses: status codes and the name of a chip; see cuda.h.
 */
#ifndef STANDIN_CUPTI_TARGET_H
#define STANDIN_CUPTI_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "cuda.h"

typedef enum CUptiResult {
    CUPTI_SUCCESS = 0,
    CUPTI_ERROR_INVALID_PARAMETER = 1,
    CUPTI_ERROR_INVALID_DEVICE = 2,
    CUPTI_ERROR_INVALID_OPERATION = 7,
    CUPTI_ERROR_OUT_OF_MEMORY = 8,
    CUPTI_ERROR_INVALID_METRIC_NAME = 17,
    CUPTI_ERROR_HARDWARE_BUSY = 26,
    CUPTI_ERROR_NOT_SUPPORTED = 27,
    CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
    CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
    CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED = 38,
    CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
    CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
    CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
    CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED = 42,
    CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED = 43,
    CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED = 44,
    CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED = 45,
    CUPTI_ERROR_INVALID_CHIP_NAME = 46,
    CUPTI_ERROR_UNKNOWN = 999
} CUptiResult;

CUptiResult cuptiGetResultString(CUptiResult code, const char **text);

/* Every call takes one struct that begins with its own size; the last field is what the macro
 * *_STRUCT_SIZE reaches to. */
#define STANDIN_PARAMS(Name, fields) \
    typedef struct Name {            \
        size_t structSize;           \
        void *pPriv;                 \
        fields                       \
    } Name

STANDIN_PARAMS(CUpti_Device_GetChipName_Params, size_t deviceIndex; const char *pChipName;);
#define CUpti_Device_GetChipName_Params_STRUCT_SIZE sizeof(CUpti_Device_GetChipName_Params)
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params);

#endif
