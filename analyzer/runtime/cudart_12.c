/* SPDX-License-Identifier: MIT */
/*
 * Functions whose parameters are those of version 12 of the interface, under the names that its
 * headers give them.
 */
#include "interface.h"

#include "before_13.inc"

RT_CALL(cudaRuntimeGetVersion(int *version), RT_GIVE(version, 12080));
RT_CALL(cudaGetDeviceProperties_v2(void *out, int device), rt_device_properties(out, device, 12));

RT_EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
RT_FORWARD(cudaEventElapsedTime_v2, cudaEventElapsedTime, float *, cudaEvent_t, cudaEvent_t);
