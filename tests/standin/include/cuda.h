/* SPDX-License-Identifier: MIT */
/*
 * As much of the CUDA driver's interface as the probe uses, so that its sources compile without the
 * toolkit for tests against the stand-in.
 */
#ifndef STANDIN_CUDA_H
#define STANDIN_CUDA_H

typedef struct CUctx_st *CUcontext;
typedef int CUdevice;

typedef enum CUresult {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_SYSTEM_NOT_READY = 802,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGetCount(int *count);
CUresult cuCtxGetCurrent(CUcontext *context);

#endif
