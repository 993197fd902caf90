/* SPDX-License-Identifier: MIT */
/*
 * Streams that are captured into graphs: work that would be done becomes nodes. The stream knows
 * which nodes its next one depends on; events carry these dependencies to other streams.
 */
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "list.h"

static rt_capture *captures, *ended; /* events may still refer to ended ones */
static unsigned long long last_id;

/* ---- Lists of nodes ---- */

bool rt_nodes_add(rt_nodes *nodes, const cudaGraphNode_t *more, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (ANY(one, nodes->list, nodes->count, *one == more[i]))
            continue;
        if (!LIST_ROOM(nodes->list, nodes->count))
            return false;
        nodes->list[nodes->count++] = more[i];
    }
    return true;
}

void rt_nodes_clear(rt_nodes *nodes) {
    free(nodes->list);
    *nodes = (rt_nodes){0};
}

/* ---- During a capture ---- */

bool rt_stream_is_capturing(cudaStream_t handle) {
    const cudaStream_t stream = rt_stream_of(handle);
    return stream && stream->capture;
}

cudaError_t rt_capture_forbids(cudaStream_t handle, bool waits) {
    enum { RELAXED = 2 };
    const cudaStream_t stream = rt_stream_of(handle);
    if (stream && stream->capture) {
        stream->capture->is_invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    const bool is_default = !handle || handle == cudaStreamLegacy;
    for (rt_capture *capture = captures; capture && is_default; capture = capture->next) {
        if (capture->mode == RELAXED || capture->origin->flags == 1)
            continue;
        capture->is_invalid = true;
        return waits ? cudaErrorStreamCaptureUnsupported : cudaErrorStreamCaptureImplicit;
    }
    return cudaSuccess;
}

cudaError_t rt_stream_capture(cudaStream_t handle, rt_work *work) {
    cudaGraphNode_t node;
    const cudaStream_t stream = rt_stream_of(handle);
    if (stream->capture->is_invalid) {
        rt_work_clear(work);
        return cudaErrorStreamCaptureInvalidated;
    }
    const cudaError_t result =
        rt_graph_add(stream->capture->graph, stream->tail.list, stream->tail.count, work, &node);
    if (result != cudaSuccess)
        return result;
    stream->tail.count = 0;
    return rt_nodes_add(&stream->tail, &node, 1) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t rt_capture_record(cudaStream_t stream, cudaEvent_t event) {
    rt_nodes_clear(&event->nodes);
    event->capture = stream->capture;
    return rt_nodes_add(&event->nodes, stream->tail.list, stream->tail.count)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

/* The stream becomes part of the capture that the event was recorded in. */
cudaError_t rt_capture_wait(cudaStream_t stream, cudaEvent_t event) {
    if (!event->capture || (stream->capture && stream->capture != event->capture)) {
        if (stream->capture)
            stream->capture->is_invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    stream->capture = event->capture;
    return rt_nodes_add(&stream->tail, event->nodes.list, event->nodes.count)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

/* ---- Beginning and end of a capture ---- */

static cudaError_t begin(cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t *after,
                         size_t count, int mode) {
    const cudaStream_t stream = rt_stream_of(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!handle || handle == cudaStreamLegacy)
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
        return cudaErrorIllegalState;
    rt_capture *made = rt_list_add(&captures, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    made->is_own_graph = !graph;
    made->graph = graph ? graph : rt_graph_make();
    made->origin = stream;
    made->id = ++last_id;
    made->mode = mode;
    stream->capture = made;
    stream->tail.count = 0;
    return made->graph && rt_nodes_add(&stream->tail, after, count) ? cudaSuccess
                                                                    : cudaErrorMemoryAllocation;
}

SAME_CALL(cudaStreamBeginCapture, cuStreamBeginCapture_v2, (cudaStream_t stream, int mode),
          begin(stream, NULL, NULL, 0, mode));
SAME_CALL(cudaStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph,
          (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after, const void *edges,
           size_t count, int mode),
          graph ? begin(stream, graph, after, count, mode) : cudaErrorInvalidValue);

static bool is_joined(cudaGraphNode_t node, const rt_nodes *ends) {
    return ANY(one, ends->list, ends->count, rt_graph_precedes(node, *one));
}

static bool all_joined(const rt_capture *capture) {
    for (cudaStream_t s = rt_streams(); s; s = s->next)
        for (size_t i = 0; s->capture == capture && i < s->tail.count; i++)
            if (!is_joined(s->tail.list[i], &capture->origin->tail))
                return false;
    return true;
}

static void leave_capture(rt_capture *capture) {
    for (cudaStream_t s = rt_streams(); s; s = s->next)
        if (s->capture == capture) {
            s->capture = NULL;
            rt_nodes_clear(&s->tail);
        }
    capture->origin->capture = NULL;
    rt_nodes_clear(&capture->origin->tail);
    (void)rt_list_remove(&captures, capture);
    capture->next = ended;
    ended = capture;
}

static cudaError_t end(cudaStream_t handle, cudaGraph_t *out) {
    const cudaStream_t stream = rt_stream_of(handle);
    rt_capture *capture = stream ? stream->capture : NULL;
    if (!capture)
        return stream ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
    if (capture->origin != stream)
        return cudaErrorStreamCaptureUnmatched;
    const cudaError_t result = capture->is_invalid   ? cudaErrorStreamCaptureInvalidated
                               : all_joined(capture) ? cudaSuccess
                                                     : cudaErrorStreamCaptureUnjoined;
    leave_capture(capture);
    if (result != cudaSuccess && capture->is_own_graph)
        rt_graph_free(capture->graph);
    if (out)
        *out = result == cudaSuccess ? capture->graph : NULL;
    return result;
}

SAME(cudaStreamEndCapture, cuStreamEndCapture, end, cudaStream_t, cudaGraph_t *);

static int status_of(const rt_capture *capture) {
    return !capture              ? cudaStreamCaptureStatusNone
           : capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
}

SAME_CALL(cudaStreamIsCapturing, cuStreamIsCapturing, (cudaStream_t stream, int *status),
          RT_WHERE(rt_stream_of(stream) && status,
                   *status = status_of(rt_stream_of(stream)->capture),
                   cudaErrorInvalidResourceHandle));

static cudaError_t exchange_mode(int *mode) {
    static _Thread_local int current;
    if (!mode)
        return cudaErrorInvalidValue;
    const int before = current;
    current = *mode;
    *mode = before;
    return cudaSuccess;
}

SAME(cudaThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, exchange_mode, int *);

cudaError_t rt_capture_info(cudaStream_t handle, int *status, unsigned long long *id,
                            cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count) {
    const cudaStream_t found = rt_stream_of(handle);
    const rt_capture *capture = found ? found->capture : NULL;
    if (!found || !status)
        return cudaErrorInvalidValue;
    *status = status_of(capture);
    if (capture && id)
        *id = capture->id;
    if (capture && graph)
        *graph = capture->graph;
    if (capture && nodes)
        *nodes = found->tail.list;
    if (capture && count)
        *count = found->tail.count;
    return cudaSuccess;
}

DRV_FORWARD(cuStreamGetCaptureInfo_v2, rt_capture_info, cudaStream_t, int *, unsigned long long *,
            cudaGraph_t *, const cudaGraphNode_t **, size_t *);

/* Edges never have data. */
cudaError_t rt_capture_info_edges(cudaStream_t handle, int *status, unsigned long long *id,
                                  cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                  const void **edges, size_t *count) {
    if (edges)
        *edges = NULL;
    return rt_capture_info(handle, status, id, graph, nodes, count);
}

DRV_FORWARD(cuStreamGetCaptureInfo_v3, rt_capture_info_edges, cudaStream_t, int *,
            unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, const void **, size_t *);

cudaError_t rt_capture_update(cudaStream_t handle, const cudaGraphNode_t *nodes, size_t count,
                              unsigned flags) {
    const cudaStream_t stream = rt_stream_of(handle);
    if (!stream || !stream->capture)
        return cudaErrorIllegalState;
    if (flags == 1)
        stream->tail.count = 0;
    return rt_nodes_add(&stream->tail, nodes, count) ? cudaSuccess : cudaErrorMemoryAllocation;
}
