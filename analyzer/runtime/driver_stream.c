/* SPDX-License-Identifier: MIT */
/*
 * Streams, events and captures of the driver's interface.
 */
#include "driver.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes,
                                     unsigned flags);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned flags);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute,
                                   const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attribute,
                                   cudaLaunchAttributeValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, const void *edges,
                                          size_t count, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status);
cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode);
CUresult cuCtxGetCurrent(CUcontext *out);

DRV_EXPORT(cuStreamCreate(cudaStream_t *out, unsigned flags)) {
    DRV_DO(cudaStreamCreateWithPriority(out, flags, 0));
}

DRV_EXPORT(cuStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)) {
    DRV_DO(cudaStreamCreateWithPriority(out, flags, priority));
}

DRV_EXPORT(cuStreamDestroy_v2(cudaStream_t stream)) {
    DRV_DO(cudaStreamDestroy(stream));
}

DRV_EXPORT(cuStreamSynchronize(cudaStream_t stream)) {
    DRV_DO(cudaStreamSynchronize(stream));
}

DRV_EXPORT(cuStreamQuery(cudaStream_t stream)) {
    DRV_DO(cudaStreamQuery(stream));
}

DRV_EXPORT(cuStreamGetPriority(cudaStream_t stream, int *priority)) {
    DRV_DO(cudaStreamGetPriority(stream, priority));
}

DRV_EXPORT(cuStreamGetFlags(cudaStream_t stream, unsigned *flags)) {
    DRV_DO(cudaStreamGetFlags(stream, flags));
}

DRV_EXPORT(cuStreamGetId(cudaStream_t stream, unsigned long long *id)) {
    DRV_DO(cudaStreamGetId(stream, id));
}

DRV_EXPORT(cuStreamGetDevice(cudaStream_t stream, CUdevice *device)) {
    DRV_DO(cudaStreamGetDevice(stream, device));
}

DRV_EXPORT(cuStreamGetCtx(cudaStream_t stream, CUcontext *out)) {
    DRV_DO(rt_stream_of(stream) ? cuCtxGetCurrent(out) : cudaErrorInvalidResourceHandle);
}

DRV_EXPORT(cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)) {
    DRV_DO(cudaStreamWaitEvent(stream, event, flags));
}

DRV_EXPORT(cuStreamAttachMemAsync(cudaStream_t stream, CUdeviceptr address, size_t bytes,
                                  unsigned flags)) {
    DRV_DO(cudaStreamAttachMemAsync(stream, drv_pointer(address), bytes, flags));
}

DRV_EXPORT(cuStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                               unsigned flags)) {
    DRV_DO(cudaStreamAddCallback(stream, callback, user, flags));
}

DRV_EXPORT(cuStreamSetAttribute(cudaStream_t stream, int attribute,
                                const cudaLaunchAttributeValue *value)) {
    DRV_DO(cudaStreamSetAttribute(stream, attribute, value));
}

DRV_EXPORT(cuStreamGetAttribute(cudaStream_t stream, int attribute,
                                cudaLaunchAttributeValue *value)) {
    DRV_DO(cudaStreamGetAttribute(stream, attribute, value));
}

DRV_EXPORT(cuStreamCopyAttributes(cudaStream_t to, cudaStream_t from)) {
    DRV_DO(cudaStreamCopyAttributes(to, from));
}

/* ---- Words in memory that streams write and wait for ---- */

/* Its lowest bits say how: 0 at least, 1 equal, 2 one of these bits, 3 none of them not set. */
static bool is_over(uint64_t is, uint64_t value, unsigned flags, bool is_wide) {
    switch (flags & 3) {
    case 0:
        return is_wide ? (int64_t)(is - value) >= 0 : (int32_t)(uint32_t)(is - value) >= 0;
    case 1:
        return is == value;
    case 2:
        return (is & value) != 0;
    default:
        return (is | value) != (is_wide ? UINT64_MAX : UINT32_MAX);
    }
}

static cudaError_t word_now(cudaStream_t stream, CUdeviceptr address, size_t bytes, uint8_t **out) {
    if (rt_stream_is_capturing(stream))
        return rt_refuse("cuStreamWriteValue", "in a graph");
    *out = rt_bytes(drv_pointer(address), bytes);
    return !rt_stream_of(stream) ? cudaErrorInvalidResourceHandle
           : *out                ? cudaSuccess
                                 : cudaErrorInvalidValue;
}

static cudaError_t write_word(cudaStream_t stream, CUdeviceptr address, uint64_t value,
                              size_t bytes) {
    uint8_t *at = NULL;
    const cudaError_t result = word_now(stream, address, bytes, &at);
    for (size_t i = 0; i < bytes && result == cudaSuccess; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return result;
}

/* Everything that was asked for before is done: what is not there will not come. */
static cudaError_t wait_word(cudaStream_t stream, CUdeviceptr address, uint64_t value, size_t bytes,
                             unsigned flags) {
    uint8_t *at = NULL;
    uint64_t is = 0;
    const cudaError_t result = word_now(stream, address, bytes, &at);
    for (size_t i = 0; i < bytes && result == cudaSuccess; i++)
        is |= (uint64_t)at[i] << 8 * i;
    if (result != cudaSuccess || is_over(is, value, flags, bytes == 8))
        return result;
    return rt_refuse("cuStreamWaitValue", "work is done when it is asked for: a stream cannot wait "
                                          "for a value that is written later");
}

#define WORD_FUNCTIONS(bits, suffix)                                                      \
    DRV_EXPORT(cuStreamWriteValue##bits##suffix(cudaStream_t stream, CUdeviceptr address, \
                                                uint##bits##_t value, unsigned flags)) {  \
        (void)flags;                                                                      \
        DRV_DO(write_word(stream, address, value, sizeof value));                         \
    }                                                                                     \
    DRV_EXPORT(cuStreamWaitValue##bits##suffix(cudaStream_t stream, CUdeviceptr address,  \
                                               uint##bits##_t value, unsigned flags)) {   \
        DRV_DO(wait_word(stream, address, value, sizeof value, flags));                   \
    }
WORD_FUNCTIONS(32, _v2)
WORD_FUNCTIONS(64, _v2)

/* ---- Events ---- */

DRV_EXPORT(cuEventCreate(cudaEvent_t *out, unsigned flags)) {
    DRV_DO(cudaEventCreateWithFlags(out, flags));
}

DRV_EXPORT(cuEventDestroy_v2(cudaEvent_t event)) {
    DRV_DO(cudaEventDestroy(event));
}

DRV_EXPORT(cuEventRecord(cudaEvent_t event, cudaStream_t stream)) {
    DRV_DO(cudaEventRecordWithFlags(event, stream, 0));
}

DRV_EXPORT(cuEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)) {
    DRV_DO(cudaEventRecordWithFlags(event, stream, flags));
}

DRV_EXPORT(cuEventQuery(cudaEvent_t event)) {
    DRV_DO(cudaEventQuery(event));
}

DRV_EXPORT(cuEventSynchronize(cudaEvent_t event)) {
    DRV_DO(cudaEventSynchronize(event));
}

DRV_EXPORT(cuEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)) {
    DRV_DO(cudaEventElapsedTime(ms, from, to));
}

DRV_EXPORT(cuEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to)) {
    DRV_DO(cudaEventElapsedTime(ms, from, to));
}

/* ---- Captures ---- */

DRV_EXPORT(cuStreamBeginCapture_v2(cudaStream_t stream, int mode)) {
    DRV_DO(cudaStreamBeginCapture(stream, mode));
}

DRV_EXPORT(cuStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, const void *edges,
                                       size_t count, int mode)) {
    DRV_DO(cudaStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode));
}

DRV_EXPORT(cuStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)) {
    DRV_DO(cudaStreamEndCapture(stream, out));
}

DRV_EXPORT(cuStreamIsCapturing(cudaStream_t stream, int *status)) {
    DRV_DO(cudaStreamIsCapturing(stream, status));
}

DRV_EXPORT(cuStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                     size_t *count)) {
    DRV_DO(rt_capture_info(stream, status, id, graph, nodes, count));
}

DRV_EXPORT(cuStreamGetCaptureInfo_v3(cudaStream_t stream, int *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                     const void **edges, size_t *count)) {
    if (edges)
        *edges = NULL;
    DRV_DO(rt_capture_info(stream, status, id, graph, nodes, count));
}

DRV_EXPORT(cuStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                             size_t count, unsigned flags)) {
    DRV_DO(rt_capture_update(stream, nodes, count, flags));
}

DRV_EXPORT(cuStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const void *edges, size_t count, unsigned flags)) {
    (void)edges;
    DRV_DO(rt_capture_update(stream, nodes, count, flags));
}

DRV_EXPORT(cuThreadExchangeStreamCaptureMode(int *mode)) {
    DRV_DO(cudaThreadExchangeStreamCaptureMode(mode));
}
