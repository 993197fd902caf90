/* SPDX-License-Identifier: MIT */
/*
 * Functions whose parameters are those of version 12 of the interface, under the names that
 * programs compiled with its headers ask for.
 */
#include "runtime.h"

RT_EXPORT cudaError_t cudaRuntimeGetVersion(int *version);
RT_EXPORT cudaError_t cudaGetDeviceProperties_v2(void *out, int device);
RT_EXPORT cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to);
RT_EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                        cudaGraphNode_t *to, size_t *count);
RT_EXPORT cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                   size_t *count);
RT_EXPORT cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                     size_t *count);
RT_EXPORT cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count);
RT_EXPORT cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, size_t count);
RT_EXPORT cudaError_t cudaMemAdvise(const void *address, size_t bytes, int advice, int device);
RT_EXPORT cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device,
                                           cudaStream_t stream);
RT_EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status,
                                                  unsigned long long *id, cudaGraph_t *graph,
                                                  const cudaGraphNode_t **nodes, size_t *count);
RT_EXPORT cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t *nodes, size_t count,
                                                          unsigned flags);
RT_EXPORT cudaError_t cudaThreadSynchronize(void);
RT_EXPORT cudaError_t cudaThreadExit(void);
/* runtime_stream.c, runtime_device.c */
RT_EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
RT_EXPORT cudaError_t cudaDeviceSynchronize(void);
RT_EXPORT cudaError_t cudaDeviceReset(void);

cudaError_t cudaRuntimeGetVersion(int *version) {
    rt_enter();
    if (version)
        *version = 12080;
    return rt_leave(version ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties_v2(void *out, int device) {
    RT_DO(rt_device_properties(out, device, 12));
}

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to) {
    return cudaEventElapsedTime(ms, from, to);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              size_t *count) {
    RT_DO(rt_graph_edges(graph, from, to, count));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         size_t *count) {
    RT_DO(rt_graph_dependencies(node, nodes, count));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           size_t *count) {
    RT_DO(rt_graph_dependents(node, nodes, count));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count) {
    (void)graph;
    RT_DO(rt_graph_change_edges(from, to, count, true));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, size_t count) {
    (void)graph;
    RT_DO(rt_graph_change_edges(from, to, count, false));
}

cudaError_t cudaMemAdvise(const void *address, size_t bytes, int advice, int device) {
    (void)advice, (void)device;
    RT_DO(rt_bytes(address, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device,
                                 cudaStream_t stream) {
    (void)device;
    RT_DO(rt_stream_of(stream) && rt_bytes(address, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                                        cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                        size_t *count) {
    RT_DO(rt_capture_info(stream, status, id, graph, nodes, count));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                size_t count, unsigned flags) {
    RT_DO(rt_capture_update(stream, nodes, count, flags));
}

cudaError_t cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void) {
    return cudaDeviceReset();
}

/* Of programs compiled for a default stream of each thread. */
#define PER_THREAD(name) RT_EXPORT extern __typeof__(name) name##_ptsz __attribute__((alias(#name)))
PER_THREAD(cudaMemPrefetchAsync);
PER_THREAD(cudaStreamGetCaptureInfo_v2);
PER_THREAD(cudaStreamUpdateCaptureDependencies);
