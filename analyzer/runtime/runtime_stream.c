/* SPDX-License-Identifier: MIT */
/*
 * Streams and events. Work is done when it is submitted, so a stream has always finished unless it
 * is being captured. The time of an event is this machine's clock when it is recorded; where two
 * versions of a program are compared, it is the events' number in seconds, so that both print the
 * same.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "seconds.h"

static struct rt_stream legacy = {.id = 1}, per_thread = {.id = 2};
static cudaStream_t streams;
static cudaEvent_t events;
static unsigned long long last_id = 2;

cudaStream_t rt_streams(void) {
    return streams;
}

cudaStream_t rt_stream_of(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread)
        return &per_thread;
    return rt_list_has(&streams, handle) ? handle : NULL;
}

void rt_streams_run_together(void) {
    rt_order_begin(&(rt_order_streams){&legacy, &per_thread, &streams});
}

bool rt_event_is_known(cudaEvent_t event) {
    return rt_list_has(&events, event);
}

static double clock_seconds(void) {
    static atomic_uint records;
    return getenv("SMP_RUNTIME_LEFT") ? atomic_fetch_add(&records, 1) : seconds_now();
}

cudaError_t rt_event_record(cudaEvent_t event) {
    if (!rt_event_is_known(event)) /* destroyed while a graph still uses it */
        return cudaErrorInvalidResourceHandle;
    event->time_ms = 1e3 * clock_seconds();
    event->is_recorded = true;
    event->capture = NULL;
    rt_nodes_clear(&event->nodes);
    return cudaSuccess;
}

/* ---- Streams ---- */

enum { HIGHEST_PRIORITY = -5 };

static cudaError_t create_stream(cudaStream_t *out, unsigned flags, int priority) {
    if (!out || flags > 1)
        return cudaErrorInvalidValue;
    cudaStream_t made = *out = rt_list_add(&streams, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    made->flags = flags;
    made->priority = priority > 0 ? 0 : priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY : priority;
    made->id = ++last_id;
    rt_streams_run_together();
    return cudaSuccess;
}

RT_CALL(cudaStreamCreate(cudaStream_t *out), create_stream(out, 0, 0));
SAME_CALL(cudaStreamCreateWithFlags, cuStreamCreate, (cudaStream_t * out, unsigned flags),
          create_stream(out, flags, 0));
SAME(cudaStreamCreateWithPriority, cuStreamCreateWithPriority, create_stream, cudaStream_t *,
     unsigned, int);

static void free_stream(cudaStream_t stream) {
    rt_nodes_clear(&stream->tail);
    rt_clock_clear(&stream->clock);
    rt_clock_clear(&stream->before);
    rt_clock_clear(&stream->lanes);
    free(stream);
}

SAME_CALL(cudaStreamDestroy, cuStreamDestroy_v2, (cudaStream_t stream),
          RT_WHERE(rt_list_remove(&streams, stream), free_stream(stream),
                   cudaErrorInvalidResourceHandle));

/* All work has ended, so nothing waits; during a capture the question is an error. */
static cudaError_t wait_stream(cudaStream_t stream) {
    const cudaStream_t found = rt_stream_of(stream);
    if (!found)
        return cudaErrorInvalidResourceHandle;
    rt_order_host_waits(found);
    return rt_capture_forbids(stream, true);
}

static cudaError_t wait_all(void) {
    rt_order_host_waits_for_all();
    return rt_capture_forbids(NULL, true);
}

SAME(cudaStreamSynchronize, cuStreamSynchronize, wait_stream, cudaStream_t);
SAME(cudaStreamQuery, cuStreamQuery, wait_stream, cudaStream_t);
SAME_CALL(cudaDeviceSynchronize, cuCtxSynchronize, (void), wait_all());
DRV_CALL_EARLY(cuCtxSynchronize_v2(CUcontext context),
               !context || drv_knows(context) ? wait_all() : CUDA_ERROR_INVALID_CONTEXT);

#define OF_STREAM(subject, type, value)                                            \
    SAME_CALL(                                                                     \
        cudaStream##subject, cuStream##subject, (cudaStream_t stream, type * out), \
        RT_WHERE(rt_stream_of(stream) && out, *out = (value), cudaErrorInvalidResourceHandle))
OF_STREAM(GetPriority, int, rt_stream_of(stream)->priority);
OF_STREAM(GetFlags, unsigned, rt_stream_of(stream)->flags);
OF_STREAM(GetId, unsigned long long, rt_stream_of(stream)->id);
OF_STREAM(GetDevice, int, 0);
SAME_CALL(cudaStreamAttachMemAsync, cuStreamAttachMemAsync,
          (cudaStream_t stream, void *address, size_t bytes, unsigned flags),
          rt_stream_of(stream) && address ? cudaSuccess : cudaErrorInvalidValue);

static cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void *user) {
    rt_work work = {.kind = RT_WORK_HOST, .host = {function, user}};
    return function ? rt_work_submit(stream, &work) : cudaErrorInvalidValue;
}

SAME(cudaLaunchHostFunc, cuLaunchHostFunc, call_host, cudaStream_t, cudaHostFn_t, void *);

static cudaError_t call_back(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                             unsigned flags) {
    if (!callback || flags != 0)
        return cudaErrorInvalidValue;
    if (rt_stream_is_capturing(stream))
        return cudaErrorStreamCaptureUnsupported;
    if (!rt_stream_of(stream))
        return cudaErrorInvalidResourceHandle;
    callback(stream, rt_broken(), user);
    return cudaSuccess;
}

SAME(cudaStreamAddCallback, cuStreamAddCallback, call_back, cudaStream_t, cudaStreamCallback_t,
     void *, unsigned);

/* Windows of the L2 cache, priorities and the like: no figure depends on them. */
SAME_CALL(cudaStreamSetAttribute, cuStreamSetAttribute,
          (cudaStream_t stream, int attribute, const cudaLaunchAttributeValue *value),
          rt_stream_of(stream) && attribute > 0 && value ? cudaSuccess : cudaErrorInvalidValue);
SAME_CALL(cudaStreamGetAttribute, cuStreamGetAttribute,
          (cudaStream_t stream, int attribute, cudaLaunchAttributeValue *value),
          RT_IF(rt_stream_of(stream) && attribute > 0 && value, memset(value, 0, sizeof *value)));
SAME_CALL(cudaStreamCopyAttributes, cuStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
          rt_stream_of(to) && rt_stream_of(from) ? cudaSuccess : cudaErrorInvalidResourceHandle);

/* ---- Events ---- */

static cudaError_t create_event(cudaEvent_t *out, unsigned flags) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = rt_list_add(&events, sizeof **out);
    return RT_WHERE(*out, (*out)->flags = flags, cudaErrorMemoryAllocation);
}

RT_CALL(cudaEventCreate(cudaEvent_t *out), create_event(out, 0));
SAME_CALL(cudaEventCreateWithFlags, cuEventCreate, (cudaEvent_t * out, unsigned flags),
          flags < 8 ? create_event(out, flags) : cudaErrorInvalidValue);

SAME_CALL(cudaEventDestroy, cuEventDestroy_v2, (cudaEvent_t event),
          RT_WHERE(rt_list_remove(&events, event),
                   (rt_nodes_clear(&event->nodes), rt_clock_clear(&event->clock), free(event)),
                   cudaErrorInvalidResourceHandle));

static cudaError_t record(cudaEvent_t event, cudaStream_t handle) {
    if (!rt_event_is_known(event) || !rt_stream_of(handle))
        return cudaErrorInvalidResourceHandle;
    if (rt_stream_is_capturing(handle))
        return rt_capture_record(rt_stream_of(handle), event);
    const cudaError_t result = rt_capture_forbids(handle, false);
    rt_order_record(event, rt_stream_of(handle));
    return result == cudaSuccess ? rt_event_record(event) : result;
}

SAME(cudaEventRecord, cuEventRecord, record, cudaEvent_t, cudaStream_t);

/* External: the event is recorded when the graph runs. */
static cudaError_t record_external(cudaEvent_t event, cudaStream_t handle) {
    rt_work work = {.kind = RT_WORK_RECORD, .event = event};
    if (!rt_event_is_known(event))
        return cudaErrorInvalidResourceHandle;
    return rt_work_submit(handle, &work);
}

SAME_CALL(cudaEventRecordWithFlags, cuEventRecordWithFlags,
          (cudaEvent_t event, cudaStream_t stream, unsigned flags),
          flags == 1 ? record_external(event, stream) : record(event, stream));

static cudaError_t wait_event(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    if (!rt_event_is_known(event) || !rt_stream_of(handle))
        return cudaErrorInvalidResourceHandle;
    if (flags == 1 && rt_stream_is_capturing(handle)) {
        rt_work work = {.kind = RT_WORK_WAIT, .event = event};
        return rt_work_submit(handle, &work);
    }
    if (event->capture || rt_stream_is_capturing(handle))
        return rt_capture_wait(rt_stream_of(handle), event);
    rt_order_wait(rt_stream_of(handle), event);
    return cudaSuccess;
}

SAME(cudaStreamWaitEvent, cuStreamWaitEvent, wait_event, cudaStream_t, cudaEvent_t, unsigned);

static cudaError_t has_ended(cudaEvent_t event) {
    if (rt_event_is_known(event))
        rt_order_host_waits_for(event);
    return !rt_event_is_known(event) ? cudaErrorInvalidResourceHandle
           : event->capture          ? cudaErrorCapturedEvent
                                     : cudaSuccess;
}

SAME(cudaEventQuery, cuEventQuery, has_ended, cudaEvent_t);
SAME(cudaEventSynchronize, cuEventSynchronize, has_ended, cudaEvent_t);

static cudaError_t elapsed(float *ms, cudaEvent_t from, cudaEvent_t to) {
    if (!rt_event_is_known(from) || !rt_event_is_known(to) || !from->is_recorded ||
        !to->is_recorded || (from->flags | to->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (!ms)
        return cudaErrorInvalidValue;
    rt_aside("times of events are this machine's, not a GPU's");
    *ms = (float)(to->time_ms - from->time_ms);
    return cudaSuccess;
}

SAME(cudaEventElapsedTime, cuEventElapsedTime, elapsed, float *, cudaEvent_t, cudaEvent_t);

CUresult cuCtxGetCurrent(CUcontext *out);

DRV_CALL(cuStreamGetCtx(cudaStream_t stream, CUcontext *out),
         rt_stream_of(stream) ? cuCtxGetCurrent(out) : cudaErrorInvalidResourceHandle);

/* ---- Words in memory that streams write and wait for ---- */

/* The lowest bits of `flags` say how to compare: 0 at least, 1 equal, 2 some common bit, 3
 * (CU_STREAM_WAIT_VALUE_NOR) a bit that neither has. */
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
    if (result == cudaSuccess)
        rt_order_word(rt_stream_of(stream), true);
    for (size_t i = 0; i < bytes && result == cudaSuccess; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    return result;
}

/* All earlier work is done, so a value that is not there yet will never come. */
static cudaError_t wait_word(cudaStream_t stream, CUdeviceptr address, uint64_t value, size_t bytes,
                             unsigned flags) {
    uint8_t *at = NULL;
    uint64_t is = 0;
    const cudaError_t result = word_now(stream, address, bytes, &at);
    for (size_t i = 0; i < bytes && result == cudaSuccess; i++)
        is |= (uint64_t)at[i] << 8 * i;
    if (result == cudaSuccess)
        rt_order_word(rt_stream_of(stream), false);
    if (result != cudaSuccess || is_over(is, value, flags, bytes == 8))
        return result;
    return rt_refuse(
        "cuStreamWaitValue",
        "work runs when it is submitted: a stream cannot wait for a value that is written later");
}

#define WORD_FUNCTIONS(bits, suffix)                                                      \
    DRV_EXPORT(cuStreamWriteValue##bits##suffix(cudaStream_t stream, CUdeviceptr address, \
                                                uint##bits##_t value, unsigned flags)) {  \
        DRV_DO(write_word(stream, address, value, sizeof value));                         \
    }                                                                                     \
    DRV_EXPORT(cuStreamWaitValue##bits##suffix(cudaStream_t stream, CUdeviceptr address,  \
                                               uint##bits##_t value, unsigned flags)) {   \
        DRV_DO(wait_word(stream, address, value, sizeof value, flags));                   \
    }
WORD_FUNCTIONS(32, _v2)
WORD_FUNCTIONS(64, _v2)
