/* SPDX-License-Identifier: MIT */
/* Functions whose parameters are those of version 13 of the interface. */
#include "interface.h"

RT_CALL(cudaRuntimeGetVersion(int *version), RT_GIVE(version, 13000));
RT_CALL(cudaGetDeviceProperties(void *out, int device), rt_device_properties(out, device, 13));
RT_CALL(cudaMemAdvise(const void *address, size_t bytes, int advice,
                      struct cudaMemLocation location),
        RT_IF(rt_bytes(address, bytes), 0));
RT_CALL(cudaMemPrefetchAsync(const void *address, size_t bytes, struct cudaMemLocation location,
                             unsigned flags, cudaStream_t stream),
        RT_IF(rt_stream_of(stream) && rt_bytes(address, bytes), 0));

RT_FORWARD(cudaStreamGetCaptureInfo, rt_capture_info_edges, cudaStream_t, int *,
           unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, const void **, size_t *);

#define DATA const void *data,
#define VERSIONED(state, subject, parameters, ...) RT_CALL(cuda##subject parameters, __VA_ARGS__);
#include "versions.inc"

RT_PER_THREAD(cudaMemPrefetchAsync);
RT_PER_THREAD(cudaStreamGetCaptureInfo);
RT_PER_THREAD(cudaStreamUpdateCaptureDependencies);
