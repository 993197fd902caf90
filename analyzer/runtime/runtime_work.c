/* SPDX-License-Identifier: MIT */
/* A piece of work of a stream or graph. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

cudaError_t rt_work_run(const rt_work *work) {
    if (rt_broken() != cudaSuccess)
        return rt_broken();
    switch (work->kind) {
    case RT_WORK_LAUNCH:
        return rt_launch_run(&work->launch);
    case RT_WORK_COPY:
        return rt_copy_run(work);
    case RT_WORK_SET:
        return rt_set_run(work);
    case RT_WORK_HOST:
        work->host.fn(work->host.userData);
        return cudaSuccess;
    case RT_WORK_RECORD:
        rt_order_record_now(work->event);
        return rt_event_record(work->event);
    case RT_WORK_GRAPH:
        return rt_graph_run(work->graph);
    case RT_WORK_ALLOCATE: /* allocated when the node was made; again if it was freed */
        return rt_allocate_again(work->memory.address, work->memory.bytes);
    case RT_WORK_FREE:
        return rt_free(work->memory.address);
    case RT_WORK_WAIT:
    case RT_WORK_NONE:
        break;
    }
    return cudaSuccess;
}

/* Copies to such memory are complete when they return. */
static bool is_pageable(const void *address) {
    rt_range range;
    return !rt_range_of(address, &range);
}

static cudaError_t run_in(cudaStream_t handle, const rt_work *work) {
    const bool is_launch = work->kind == RT_WORK_LAUNCH;
    const cudaStream_t stream = rt_stream_of(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (is_launch && (work->launch.is_early || handle == cudaStreamPerThread))
        rt_streams_run_together();
    rt_order_work(stream, is_launch && work->launch.is_early);
    const cudaError_t result = rt_work_run(work);
    if (work->kind == RT_WORK_COPY && is_pageable(work->copy.to.at))
        rt_order_host_waits(stream);
    rt_order_launched(stream, is_launch && rt_launch_lets_next_begin());
    return result;
}

cudaError_t rt_work_submit(cudaStream_t stream, rt_work *work) {
    if (rt_stream_is_capturing(stream))
        return rt_stream_capture(stream, work);
    cudaError_t result = rt_capture_forbids(stream, false);
    if (result == cudaSuccess)
        result = run_in(stream, work);
    rt_work_clear(work);
    return result;
}

void rt_work_clear(rt_work *work) {
    if (work->kind == RT_WORK_LAUNCH) {
        free(work->launch.parameters);
        free(work->launch.pointers);
    } else if (work->kind == RT_WORK_GRAPH) {
        rt_graph_free(work->graph);
    }
    memset(work, 0, sizeof *work);
}

cudaError_t rt_work_copy(const rt_work *from, rt_work *out) {
    *out = *from;
    if (from->kind == RT_WORK_GRAPH)
        return rt_graph_copy(from->graph, &out->graph);
    if (from->kind != RT_WORK_LAUNCH)
        return cudaSuccess;
    out->launch.pointers = NULL;
    out->launch.parameters = malloc(from->launch.parameter_bytes + 1u);
    if (!out->launch.parameters)
        return cudaErrorMemoryAllocation;
    memcpy(out->launch.parameters, from->launch.parameters, from->launch.parameter_bytes);
    return cudaSuccess;
}
