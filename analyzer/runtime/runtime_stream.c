/* SPDX-License-Identifier: MIT */
/*
 * Streams and events. Work is done when it is submitted, so a stream that is not being captured has
 * always finished; an event's time is this machine's clock when it was recorded.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime.h"

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

bool rt_event_is_known(cudaEvent_t event) {
    return rt_list_has(&events, event);
}

cudaError_t rt_event_record(cudaEvent_t event) {
    struct timespec time;
    if (!rt_event_is_known(event)) /* destroyed, while a graph still names it */
        return cudaErrorInvalidResourceHandle;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    event->time_ms = 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
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
    return cudaSuccess;
}

RT_CALL(cudaStreamCreate(cudaStream_t *out), create_stream(out, 0, 0));
RT_CALL(cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags), create_stream(out, flags, 0));
RT_FORWARD(cudaStreamCreateWithPriority, create_stream, cudaStream_t *, unsigned, int);

static cudaError_t destroy_stream(cudaStream_t stream) {
    if (!rt_list_remove(&streams, stream))
        return cudaErrorInvalidResourceHandle;
    rt_nodes_clear(&stream->tail);
    free(stream);
    return cudaSuccess;
}

RT_FORWARD(cudaStreamDestroy, destroy_stream, cudaStream_t);

/* All has ended; only captures forbid to ask. */
#define WAITS(name)                                                                            \
    RT_CALL(name(cudaStream_t stream), rt_stream_of(stream) ? rt_capture_forbids(stream, true) \
                                                            : cudaErrorInvalidResourceHandle)
WAITS(cudaStreamSynchronize);
WAITS(cudaStreamQuery);
RT_CALL(cudaDeviceSynchronize(void), rt_capture_forbids(NULL, true));

#define OF_STREAM(name, type, value)              \
    RT_CALL(name(cudaStream_t stream, type *out), \
            RT_WHERE(rt_stream_of(stream) && out, *out = (value), cudaErrorInvalidResourceHandle))
OF_STREAM(cudaStreamGetPriority, int, rt_stream_of(stream)->priority);
OF_STREAM(cudaStreamGetFlags, unsigned, rt_stream_of(stream)->flags);
OF_STREAM(cudaStreamGetId, unsigned long long, rt_stream_of(stream)->id);
OF_STREAM(cudaStreamGetDevice, int, 0);
RT_CALL(cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes, unsigned flags),
        rt_stream_of(stream) && address ? cudaSuccess : cudaErrorInvalidValue);

static cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void *user) {
    rt_work work = {.kind = RT_WORK_HOST, .host = {function, user}};
    return function ? rt_work_submit(stream, &work) : cudaErrorInvalidValue;
}

RT_FORWARD(cudaLaunchHostFunc, call_host, cudaStream_t, cudaHostFn_t, void *);

RT_FUNCTION(cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned flags)) {
    rt_enter();
    cudaError_t result = callback && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
    if (result == cudaSuccess && rt_stream_is_capturing(stream))
        result = cudaErrorStreamCaptureUnsupported;
    if (result == cudaSuccess && !rt_stream_of(stream))
        result = cudaErrorInvalidResourceHandle;
    if (result == cudaSuccess)
        callback(stream, rt_broken(), user);
    return rt_leave(result);
}

/* ---- Events ---- */

static cudaError_t create_event(cudaEvent_t *out, unsigned flags) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = rt_list_add(&events, sizeof **out);
    return RT_WHERE(*out, (*out)->flags = flags, cudaErrorMemoryAllocation);
}

RT_CALL(cudaEventCreate(cudaEvent_t *out), create_event(out, 0));
RT_CALL(cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags),
        flags < 8 ? create_event(out, flags) : cudaErrorInvalidValue);

static cudaError_t destroy_event(cudaEvent_t event) {
    if (!rt_list_remove(&events, event))
        return cudaErrorInvalidResourceHandle;
    rt_nodes_clear(&event->nodes);
    free(event);
    return cudaSuccess;
}

RT_FORWARD(cudaEventDestroy, destroy_event, cudaEvent_t);

static cudaError_t record(cudaEvent_t event, cudaStream_t handle) {
    if (!rt_event_is_known(event) || !rt_stream_of(handle))
        return cudaErrorInvalidResourceHandle;
    if (rt_stream_is_capturing(handle))
        return rt_capture_record(rt_stream_of(handle), event);
    const cudaError_t result = rt_capture_forbids(handle, false);
    return result == cudaSuccess ? rt_event_record(event) : result;
}

RT_FORWARD(cudaEventRecord, record, cudaEvent_t, cudaStream_t);

/* External: the event itself, when the graph runs. */
static cudaError_t record_external(cudaEvent_t event, cudaStream_t handle) {
    rt_work work = {.kind = RT_WORK_RECORD, .event = event};
    if (!rt_event_is_known(event))
        return cudaErrorInvalidResourceHandle;
    return rt_work_submit(handle, &work);
}

RT_CALL(cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags),
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
    return cudaSuccess;
}

RT_FORWARD(cudaStreamWaitEvent, wait_event, cudaStream_t, cudaEvent_t, unsigned);

#define HAS_ENDED(name)                                                                         \
    RT_CALL(name(cudaEvent_t event), !rt_event_is_known(event) ? cudaErrorInvalidResourceHandle \
                                     : event->capture          ? cudaErrorCapturedEvent         \
                                                               : cudaSuccess)
HAS_ENDED(cudaEventQuery);
HAS_ENDED(cudaEventSynchronize);

static cudaError_t elapsed(float *ms, cudaEvent_t from, cudaEvent_t to) {
    if (!rt_event_is_known(from) || !rt_event_is_known(to) || !from->is_recorded ||
        !to->is_recorded || (from->flags | to->flags) & cudaEventDisableTiming)
        return cudaErrorInvalidResourceHandle;
    if (!ms)
        return cudaErrorInvalidValue;
    rt_note("times of events are this machine's, not a GPU's");
    *ms = (float)(to->time_ms - from->time_ms);
    return cudaSuccess;
}

RT_FORWARD(cudaEventElapsedTime, elapsed, float *, cudaEvent_t, cudaEvent_t);
