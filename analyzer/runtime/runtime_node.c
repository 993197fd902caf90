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

/* ---- Making and changing ---- */

static cudaError_t set(cudaGraphNode_t node, cudaError_t made, rt_work *work) {
    return made == cudaSuccess ? rt_node_set(node, work) : made;
}

static cudaGraphNode_t known(cudaGraphNode_t node) {
    return rt_node_is_known(node) ? node : NULL;
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

static cudaError_t make_host(const struct cudaHostNodeParams *p, rt_work *work) {
    if (!p || !p->fn)
        return cudaErrorInvalidValue;
    *work = (rt_work){.kind = RT_WORK_HOST, .host = *p};
    return cudaSuccess;
}

static cudaError_t make_child(cudaGraph_t child, rt_work *work) {
    *work = (rt_work){.kind = RT_WORK_GRAPH};
    return rt_graph_is_known(child) ? rt_graph_copy(child, &work->graph) : cudaErrorInvalidValue;
}

static cudaError_t make_event(rt_work_kind kind, cudaEvent_t event, rt_work *work) {
    *work = (rt_work){.kind = kind, .event = event};
    return rt_event_is_known(event) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t make_nothing(rt_work *work) {
    *work = (rt_work){.kind = RT_WORK_NONE};
    return cudaSuccess;
}

/* NAME adds a node whose work the expression `make` puts into `work`. */
#define ADDED(name, parameters, make)                              \
    RT_FUNCTION(name(RT_OPEN parameters)) {                        \
        rt_work work;                                              \
        RT_DO(rt_node_add(out, graph, after, count, make, &work)); \
    }

/* The three functions of a kind of node: one adds it, one changes it in a graph, one in a graph
 * that is ready to run. */
#define KIND(kind, suffix, parameters, make)                                                \
    ADDED(cudaGraphAdd##kind##Node##suffix, (NODE_ARGUMENTS, RT_OPEN parameters), make)     \
    RT_FUNCTION(                                                                            \
        cudaGraph##kind##NodeSetParams##suffix(cudaGraphNode_t node, RT_OPEN parameters)) { \
        rt_work work;                                                                       \
        RT_DO(set(known(node), make, &work));                                               \
    }                                                                                       \
    RT_FUNCTION(cudaGraphExec##kind##NodeSetParams##suffix(                                 \
        cudaGraphExec_t exec, cudaGraphNode_t node, RT_OPEN parameters)) {                  \
        rt_work work;                                                                       \
        RT_DO(set(rt_exec_node(exec, node), make, &work));                                  \
    }

/* clang-format off */
KIND(Kernel, , (const struct cudaKernelNodeParams *p), rt_launch_from_parameters(p, &work))
KIND(Memcpy, , (const struct cudaMemcpy3DParms *p), rt_copy_from_parameters(p, &work))
KIND(Memcpy, 1D, (void *to, const void *from, size_t bytes, int direction),
     rt_copy_make(to, from, bytes, direction, &work))
KIND(Memset, , (const struct cudaMemsetParams *p), rt_set_from_parameters(p, &work))
KIND(Host, , (const struct cudaHostNodeParams *p), make_host(p, &work))
ADDED(cudaGraphAddMemcpyNodeToSymbol,
      (NODE_ARGUMENTS, const void *symbol, const void *from, size_t bytes, size_t offset, int direction),
      make_to_symbol(symbol, from, bytes, offset, direction, &work))
ADDED(cudaGraphAddMemcpyNodeFromSymbol,
      (NODE_ARGUMENTS, void *to, const void *symbol, size_t bytes, size_t offset, int direction),
      make_from_symbol(to, symbol, bytes, offset, direction, &work))
ADDED(cudaGraphAddEmptyNode, (NODE_ARGUMENTS), make_nothing(&work))
ADDED(cudaGraphAddChildGraphNode, (NODE_ARGUMENTS, cudaGraph_t child), make_child(child, &work))
ADDED(cudaGraphAddEventRecordNode, (NODE_ARGUMENTS, cudaEvent_t event),
      make_event(RT_WORK_RECORD, event, &work))
ADDED(cudaGraphAddEventWaitNode, (NODE_ARGUMENTS, cudaEvent_t event),
      make_event(RT_WORK_WAIT, event, &work))
/* clang-format on */

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
    RT_DO(RT_WHERE(type && rt_node_is_known(node), *type = types[node->work.kind],
                   cudaErrorInvalidValue));
}

bool rt_node_is(cudaGraphNode_t node, rt_work_kind kind) {
    return rt_node_is_known(node) && node->work.kind == kind;
}

RT_CALL(cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out),
        RT_WHERE(rt_node_is(node, RT_WORK_COPY) && out, *out = node->work.copy.as_given,
                 cudaErrorInvalidValue));
RT_CALL(cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out),
        RT_WHERE(rt_node_is(node, RT_WORK_SET) && out, *out = node->work.set.as_given,
                 cudaErrorInvalidValue));
RT_CALL(cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out),
        RT_WHERE(rt_node_is(node, RT_WORK_HOST) && out, *out = node->work.host,
                 cudaErrorInvalidValue));

/* The arguments' addresses are ours, and good as long as the node is. */
static cudaError_t read_launch(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
    cudaError_t result;
    if (!out || !rt_node_is(node, RT_WORK_LAUNCH))
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
RT_CALL(cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out),
        RT_WHERE(rt_node_is(node, RT_WORK_GRAPH) && out, *out = node->work.graph,
                 cudaErrorInvalidValue));
