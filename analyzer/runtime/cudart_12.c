/* SPDX-License-Identifier: MIT */
/*
 * Functions whose parameters are those of version 12 of the interface, under the names that its
 * headers give them.
 */
#include "interface.h"

/* runtime_stream.c, runtime_device.c */
RT_EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
RT_EXPORT cudaError_t cudaDeviceSynchronize(void);
RT_EXPORT cudaError_t cudaDeviceReset(void);

RT_CALL(cudaRuntimeGetVersion(int *version), RT_GIVE(version, 12080));
RT_CALL(cudaGetDeviceProperties_v2(void *out, int device), rt_device_properties(out, device, 12));

RT_FORWARD(cudaEventElapsedTime_v2, cudaEventElapsedTime, float *, cudaEvent_t, cudaEvent_t);
RT_CALL(cudaMemAdvise(const void *address, size_t bytes, int advice, int device),
        rt_bytes(address, bytes) ? cudaSuccess : cudaErrorInvalidValue);
RT_CALL(cudaMemPrefetchAsync(const void *address, size_t bytes, int device, cudaStream_t stream),
        rt_stream_of(stream) && rt_bytes(address, bytes) ? cudaSuccess : cudaErrorInvalidValue);
RT_FORWARD(cudaStreamGetCaptureInfo_v2, rt_capture_info, cudaStream_t, int *, unsigned long long *,
           cudaGraph_t *, const cudaGraphNode_t **, size_t *);

#define DATA
#define VERSIONED(state, subject, parameters, ...) RT_CALL(cuda##subject parameters, __VA_ARGS__);
#include "versions.inc"

RT_CALL(cudaThreadSynchronize(void), cudaDeviceSynchronize());
RT_CALL(cudaThreadExit(void), cudaDeviceReset());

/* For programs that are compiled with a default stream for each thread. */
#define PER_THREAD(name) RT_EXPORT extern __typeof__(name) name##_ptsz __attribute__((alias(#name)))
PER_THREAD(cudaMemPrefetchAsync);
PER_THREAD(cudaStreamGetCaptureInfo_v2);
PER_THREAD(cudaStreamUpdateCaptureDependencies);
