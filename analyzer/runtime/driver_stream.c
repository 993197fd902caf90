/* SPDX-License-Identifier: MIT */
/*
 * Streams, events and captures of the driver's interface.
 */
#include "driver.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
CUresult cuCtxGetCurrent(CUcontext *out);

DRV_CALL(cuStreamCreate(cudaStream_t *out, unsigned flags),
         cudaStreamCreateWithPriority(out, flags, 0));
DRV_CALL(cuStreamGetCtx(cudaStream_t stream, CUcontext *out),
         rt_stream_of(stream) ? cuCtxGetCurrent(out) : cudaErrorInvalidResourceHandle);

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

DRV_CALL(cuEventRecord(cudaEvent_t event, cudaStream_t stream),
         cudaEventRecordWithFlags(event, stream, 0));

/* ---- Captures ---- */

DRV_EXPORT(cuStreamGetCaptureInfo_v3(cudaStream_t stream, int *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                     const void **edges, size_t *count)) {
    if (edges)
        *edges = NULL;
    DRV_DO(rt_capture_info(stream, status, id, graph, nodes, count));
}

DRV_CALL(cuStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                              const void *edges, size_t count, unsigned flags),
         rt_capture_update(stream, nodes, count, flags));
