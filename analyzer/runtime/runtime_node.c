/* SPDX-License-Identifier: MIT */
/*
 * What nodes of graphs do: made, read, and changed.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

cudaError_t rt_launch_from_parameters(const struct cudaKernelNodeParams *p, rt_work *out) {
    if (!p)
        return cudaErrorInvalidValue;
    if (p->extra)
        return rt_refuse("cudaGraphAddKernelNode", "arguments in one buffer (extra)");
    return rt_launch_make(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams,
                          out);
}

cudaError_t rt_node_add(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                        size_t count, cudaError_t made, rt_work *work) {
    if (made != cudaSuccess)
        return made;
    bool is_fine = out && rt_graph_is_known(graph) && (count == 0 || after);
    for (size_t i = 0; i < count && is_fine; i++)
        is_fine = rt_node_is_known(after[i]) && after[i]->graph == graph;
    if (is_fine)
        return rt_graph_add(graph, after, count, work, out);
    rt_work_clear(work);
    return cudaErrorInvalidValue;
}

cudaError_t rt_node_set(cudaGraphNode_t node, rt_work *work) {
    if (!node || node->work.kind != work->kind) {
        rt_work_clear(work);
        return cudaErrorInvalidValue;
    }
    rt_work_clear(&node->work);
    node->work = *work;
    return cudaSuccess;
}

static cudaError_t set(cudaGraphNode_t node, cudaError_t made, rt_work *work) {
    if (made != cudaSuccess)
        return made;
    return rt_node_set(rt_node_is_known(node) ? node : NULL, work);
}

/* ---- Making ---- */

#define NODE_ARGUMENTS \
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count

RT_FUNCTION(cudaGraphAddKernelNode(NODE_ARGUMENTS, const struct cudaKernelNodeParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(
        rt_node_add(out, graph, after, count, rt_launch_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphAddMemcpyNode(NODE_ARGUMENTS, const struct cudaMemcpy3DParms *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(
        rt_node_add(out, graph, after, count, rt_copy_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphAddMemcpyNode1D(NODE_ARGUMENTS, void *to, const void *from, size_t bytes,
                                     int direction)) {
    rt_work work;
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count,
                                rt_copy_make(to, from, bytes, direction, &work), &work));
}

static cudaError_t make_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                  int direction, rt_work *work) {
    void *to;
    const cudaError_t result = rt_symbol_part(symbol, offset, bytes, &to);
    return result == cudaSuccess ? rt_copy_make(to, from, bytes, direction, work) : result;
}

static cudaError_t make_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                    int direction, rt_work *work) {
    void *from;
    const cudaError_t result = rt_symbol_part(symbol, offset, bytes, &from);
    return result == cudaSuccess ? rt_copy_make(to, from, bytes, direction, work) : result;
}

RT_FUNCTION(cudaGraphAddMemcpyNodeToSymbol(NODE_ARGUMENTS, const void *symbol, const void *from,
                                           size_t bytes, size_t offset, int direction)) {
    rt_work work;
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count,
                                make_to_symbol(symbol, from, bytes, offset, direction, &work),
                                &work));
}

RT_FUNCTION(cudaGraphAddMemcpyNodeFromSymbol(NODE_ARGUMENTS, void *to, const void *symbol,
                                             size_t bytes, size_t offset, int direction)) {
    rt_work work;
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count,
                                make_from_symbol(to, symbol, bytes, offset, direction, &work),
                                &work));
}

RT_FUNCTION(cudaGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count, rt_set_from_parameters(p, &work), &work));
}

static cudaError_t make_host(const struct cudaHostNodeParams *p, rt_work *work) {
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *work = (rt_work){.kind = RT_WORK_HOST, .host = *p};
    return cudaSuccess;
}

RT_FUNCTION(cudaGraphAddHostNode(NODE_ARGUMENTS, const struct cudaHostNodeParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count, make_host(p, &work), &work));
}

RT_FUNCTION(cudaGraphAddEmptyNode(NODE_ARGUMENTS)) {
    rt_work work = {.kind = RT_WORK_NONE};
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count, cudaSuccess, &work));
}

static cudaError_t make_child(cudaGraph_t child, rt_work *work) {
    *work = (rt_work){.kind = RT_WORK_GRAPH};
    return rt_graph_is_known(child) ? rt_graph_copy(child, &work->graph) : cudaErrorInvalidValue;
}

RT_FUNCTION(cudaGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t child)) {
    rt_work work;
    rt_enter();
    return rt_leave(rt_node_add(out, graph, after, count, make_child(child, &work), &work));
}

static cudaError_t make_event(rt_work_kind kind, cudaEvent_t event, rt_work *work) {
    *work = (rt_work){.kind = kind, .event = event};
    return rt_event_is_known(event) ? cudaSuccess : cudaErrorInvalidValue;
}

RT_FUNCTION(cudaGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t event)) {
    rt_work work;
    rt_enter();
    return rt_leave(
        rt_node_add(out, graph, after, count, make_event(RT_WORK_RECORD, event, &work), &work));
}

RT_FUNCTION(cudaGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t event)) {
    rt_work work;
    rt_enter();
    return rt_leave(
        rt_node_add(out, graph, after, count, make_event(RT_WORK_WAIT, event, &work), &work));
}

/* ---- Reading ---- */

RT_FUNCTION(cudaGraphNodeGetType(cudaGraphNode_t node, int *type)) {
    static const int types[] = {[RT_WORK_NONE] = cudaGraphNodeTypeEmpty,
                                [RT_WORK_LAUNCH] = cudaGraphNodeTypeKernel,
                                [RT_WORK_COPY] = cudaGraphNodeTypeMemcpy,
                                [RT_WORK_SET] = cudaGraphNodeTypeMemset,
                                [RT_WORK_HOST] = cudaGraphNodeTypeHost,
                                [RT_WORK_RECORD] = cudaGraphNodeTypeEventRecord,
                                [RT_WORK_WAIT] = cudaGraphNodeTypeWaitEvent,
                                [RT_WORK_GRAPH] = cudaGraphNodeTypeGraph,
                                [RT_WORK_ALLOCATE] = cudaGraphNodeTypeMemAlloc,
                                [RT_WORK_FREE] = cudaGraphNodeTypeMemFree};
    rt_enter();
    const bool is_fine = type && rt_node_is_known(node);
    if (is_fine)
        *type = types[node->work.kind];
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

static bool is_a(cudaGraphNode_t node, rt_work_kind kind) {
    return rt_node_is_known(node) && node->work.kind == kind;
}

RT_FUNCTION(cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out)) {
    rt_enter();
    const bool is_fine = out && is_a(node, RT_WORK_COPY);
    if (is_fine)
        *out = node->work.copy.as_given;
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

RT_FUNCTION(cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out)) {
    rt_enter();
    const bool is_fine = out && is_a(node, RT_WORK_SET);
    if (is_fine)
        *out = node->work.set.as_given;
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

RT_FUNCTION(cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out)) {
    rt_enter();
    const bool is_fine = out && is_a(node, RT_WORK_HOST);
    if (is_fine)
        *out = node->work.host;
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

/* The arguments' addresses are ours, and good as long as the node is. */
static cudaError_t read_launch(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
    cudaError_t result;
    if (!out || !is_a(node, RT_WORK_LAUNCH))
        return cudaErrorInvalidValue;
    rt_launch *launch = &node->work.launch;
    const rt_kernel *kernel = rt_kernel_find(launch->function, &result);
    if (!kernel)
        return result;
    const smp_function *f = kernel->function;
    if (!launch->pointers)
        launch->pointers = calloc(f->parameter_count + 1u, sizeof *launch->pointers);
    if (!launch->pointers)
        return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < f->parameter_count; i++)
        launch->pointers[i] = launch->parameters + f->parameters[i].offset_bytes;
    *out = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)launch->function,
                                         .gridDim = launch->grid,
                                         .blockDim = launch->block,
                                         .sharedMemBytes = launch->dynamic_shared_bytes,
                                         .kernelParams = launch->pointers};
    return cudaSuccess;
}

RT_FORWARD(cudaGraphKernelNodeGetParams, read_launch, cudaGraphNode_t,
           struct cudaKernelNodeParams *);

RT_FUNCTION(cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)) {
    rt_enter();
    const bool is_fine = out && is_a(node, RT_WORK_GRAPH);
    if (is_fine)
        *out = node->work.graph;
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Changing ---- */

RT_FUNCTION(cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(node, rt_launch_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(node, rt_copy_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t bytes, int direction)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(node, rt_copy_make(to, from, bytes, direction, &work), &work));
}

RT_FUNCTION(cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(node, rt_set_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(node, make_host(p, &work), &work));
}
