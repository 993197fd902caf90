/* SPDX-License-Identifier: MIT */
/* Libcuda.so.1, as far as the probe asks it. */
#include <cuda.h>

#include "standin.h"

CUresult cuInit(unsigned flags) {
    (void)flags;
    return (CUresult)standin_result("cuInit");
}

CUresult cuDriverGetVersion(int *version) {
    *version = (int)standin_number("driver", 13000);
    return (CUresult)standin_result("cuDriverGetVersion");
}

CUresult cuDeviceGetCount(int *count) {
    *count = (int)standin_number("gpus", 1);
    return (CUresult)standin_result("cuDeviceGetCount");
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    static char own;
    *context = (CUcontext)&own;
    return (CUresult)standin_result("cuCtxGetCurrent");
}
