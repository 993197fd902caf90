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

static struct rt_stream legacy, per_thread;
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
    cudaStream_t stream = streams;
    while (stream && stream != handle)
        stream = stream->next;
    return stream;
}

bool rt_event_is_known(cudaEvent_t event) {
    cudaEvent_t at = events;
    while (at && at != event)
        at = at->next;
    return at != NULL;
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

RT_EXPORT cudaError_t cudaStreamCreate(cudaStream_t *out);
RT_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
RT_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
RT_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream);
RT_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream);
RT_EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream);
RT_EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
RT_EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
RT_EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
RT_EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
RT_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
RT_EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes,
                                               unsigned flags);
RT_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                            void *user, unsigned flags);
RT_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user);
RT_EXPORT cudaError_t cudaDeviceSynchronize(void);

enum { HIGHEST_PRIORITY = -5 };

static cudaError_t create_stream(cudaStream_t *out, unsigned flags, int priority) {
    if (!out || flags > 1)
        return cudaErrorInvalidValue;
    cudaStream_t made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    made->flags = flags;
    made->priority = priority > 0 ? 0 : priority < HIGHEST_PRIORITY ? HIGHEST_PRIORITY : priority;
    made->id = ++last_id;
    made->next = streams;
    streams = *out = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *out) {
    RT_DO(create_stream(out, 0, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    RT_DO(create_stream(out, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
    RT_DO(create_stream(out, flags, priority));
}

static cudaError_t destroy_stream(cudaStream_t stream) {
    cudaStream_t *link = &streams;
    while (*link && *link != stream)
        link = &(*link)->next;
    if (!*link)
        return cudaErrorInvalidResourceHandle;
    *link = stream->next;
    rt_nodes_clear(&stream->tail);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RT_DO(destroy_stream(stream));
}

static cudaError_t wait_for(cudaStream_t handle) {
    if (!rt_stream_of(handle))
        return cudaErrorInvalidResourceHandle;
    return rt_capture_forbids(handle, true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RT_DO(wait_for(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    RT_DO(wait_for(stream));
}

cudaError_t cudaDeviceSynchronize(void) {
    RT_DO(rt_capture_forbids(NULL, true));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    rt_enter();
    const cudaStream_t found = rt_stream_of(stream);
    if (found && priority)
        *priority = found->priority;
    return rt_leave(found && priority ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    rt_enter();
    const cudaStream_t found = rt_stream_of(stream);
    if (found && flags)
        *flags = found->flags;
    return rt_leave(found && flags ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    rt_enter();
    const cudaStream_t found = rt_stream_of(stream);
    if (found && id)
        *id = found == &legacy ? 1 : found == &per_thread ? 2 : found->id;
    return rt_leave(found && id ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    rt_enter();
    const cudaStream_t found = rt_stream_of(stream);
    if (found && device)
        *device = 0;
    return rt_leave(found && device ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *address, size_t bytes,
                                     unsigned flags) {
    (void)bytes, (void)flags;
    RT_DO(rt_stream_of(stream) && address ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t call_host(cudaStream_t stream, cudaHostFn_t function, void *user) {
    rt_work work = {.kind = RT_WORK_HOST, .host = {function, user}};
    return function ? rt_work_submit(stream, &work) : cudaErrorInvalidValue;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user) {
    RT_DO(call_host(stream, function, user));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned flags) {
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

RT_EXPORT cudaError_t cudaEventCreate(cudaEvent_t *out);
RT_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
RT_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event);
RT_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
RT_EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                               unsigned flags);
RT_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event);
RT_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event);
RT_EXPORT cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

static cudaError_t create_event(cudaEvent_t *out, unsigned flags) {
    if (!out)
        return cudaErrorInvalidValue;
    cudaEvent_t made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    made->flags = flags;
    made->next = events;
    events = *out = made;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *out) {
    RT_DO(create_event(out, 0));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    RT_DO(flags < 8 ? create_event(out, flags) : cudaErrorInvalidValue);
}

static cudaError_t destroy_event(cudaEvent_t event) {
    cudaEvent_t *link = &events;
    while (*link && *link != event)
        link = &(*link)->next;
    if (!*link)
        return cudaErrorInvalidResourceHandle;
    *link = event->next;
    rt_nodes_clear(&event->nodes);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RT_DO(destroy_event(event));
}

static cudaError_t record(cudaEvent_t event, cudaStream_t handle) {
    if (!rt_event_is_known(event) || !rt_stream_of(handle))
        return cudaErrorInvalidResourceHandle;
    if (rt_stream_is_capturing(handle))
        return rt_capture_record(rt_stream_of(handle), event);
    const cudaError_t result = rt_capture_forbids(handle, false);
    return result == cudaSuccess ? rt_event_record(event) : result;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    RT_DO(record(event, stream));
}

/* External: the event itself, when the graph runs. */
static cudaError_t record_external(cudaEvent_t event, cudaStream_t handle) {
    rt_work work = {.kind = RT_WORK_RECORD, .event = event};
    if (!rt_event_is_known(event))
        return cudaErrorInvalidResourceHandle;
    return rt_work_submit(handle, &work);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    RT_DO(flags == 1 ? record_external(event, stream) : record(event, stream));
}

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

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    RT_DO(wait_event(stream, event, flags));
}

static cudaError_t query_event(cudaEvent_t event) {
    if (!rt_event_is_known(event))
        return cudaErrorInvalidResourceHandle;
    return event->capture ? cudaErrorCapturedEvent : cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    RT_DO(query_event(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RT_DO(query_event(event));
}

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

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    RT_DO(elapsed(ms, from, to));
}
