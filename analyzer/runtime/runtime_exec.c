/* SPDX-License-Identifier: MIT */
/*
 * Graphs that are ready to run: a copy each, whose nodes can be changed but not joined otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

struct rt_graph_exec {
    struct rt_graph_exec *next;
    cudaGraph_t graph;
    unsigned long long flags;
};

static cudaGraphExec_t execs;

static bool is_known(cudaGraphExec_t exec) {
    cudaGraphExec_t at = execs;
    while (at && at != exec)
        at = at->next;
    return at != NULL;
}

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    cudaGraph_t copy;
    if (!out || !rt_graph_is_known(graph))
        return cudaErrorInvalidValue;
    cudaError_t result = rt_graph_copy(graph, &copy);
    if (result != cudaSuccess)
        return result;
    cudaGraphExec_t made = calloc(1, sizeof *made);
    if (!made) {
        rt_graph_free(copy);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct rt_graph_exec){execs, copy, flags};
    execs = *out = made;
    return cudaSuccess;
}

RT_FORWARD(cudaGraphInstantiate, instantiate, cudaGraphExec_t *, cudaGraph_t, unsigned long long);
RT_FORWARD(cudaGraphInstantiateWithFlags, instantiate, cudaGraphExec_t *, cudaGraph_t,
           unsigned long long);

/* Its parameters begin with the flags; a result of 0 is success. */
RT_FUNCTION(cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                           void *parameters)) {
    struct parameters {
        unsigned long long flags;
        cudaStream_t stream;
        cudaGraphNode_t wrong_node;
        int result;
    } *p = parameters;
    rt_enter();
    const cudaError_t result = p ? instantiate(out, graph, p->flags) : cudaErrorInvalidValue;
    if (p) {
        p->wrong_node = NULL;
        p->result = result == cudaSuccess ? 0 : 1;
    }
    return rt_leave(result);
}

static cudaError_t destroy(cudaGraphExec_t exec) {
    cudaGraphExec_t *link = &execs;
    while (*link && *link != exec)
        link = &(*link)->next;
    if (!*link)
        return cudaErrorInvalidValue;
    *link = exec->next;
    rt_graph_free(exec->graph);
    free(exec);
    return cudaSuccess;
}

RT_FORWARD(cudaGraphExecDestroy, destroy, cudaGraphExec_t);

RT_FUNCTION(cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)) {
    rt_enter();
    const bool is_fine = flags && is_known(exec);
    if (is_fine)
        *flags = exec->flags;
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream) {
    rt_work work = {.kind = RT_WORK_GRAPH};
    if (!is_known(exec))
        return cudaErrorInvalidValue;
    if (!rt_stream_is_capturing(stream)) {
        const cudaError_t result = rt_capture_forbids(stream, false);
        return result == cudaSuccess ? rt_graph_run(exec->graph) : result;
    }
    const cudaError_t result = rt_graph_copy(exec->graph, &work.graph);
    return result == cudaSuccess ? rt_work_submit(stream, &work) : result;
}

RT_FORWARD(cudaGraphLaunch, launch, cudaGraphExec_t, cudaStream_t);

RT_FUNCTION(cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)) {
    RT_DO(is_known(exec) && rt_stream_of(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- Changing what is ready ---- */

static cudaGraphNode_t node_in(cudaGraphExec_t exec, cudaGraphNode_t node) {
    return is_known(exec) ? rt_graph_counterpart(exec->graph, node) : NULL;
}

static cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t made,
                       rt_work *work) {
    return made == cudaSuccess ? rt_node_set(node_in(exec, node), work) : made;
}

RT_FUNCTION(cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(exec, node, rt_launch_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(exec, node, rt_copy_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, int direction)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(exec, node, rt_copy_make(to, from, bytes, direction, &work), &work));
}

RT_FUNCTION(cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p)) {
    rt_work work;
    rt_enter();
    return rt_leave(set(exec, node, rt_set_from_parameters(p, &work), &work));
}

RT_FUNCTION(cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p)) {
    rt_work work = {.kind = RT_WORK_HOST};
    rt_enter();
    if (p)
        work.host = *p;
    return rt_leave(set(exec, node, p && p->fn ? cudaSuccess : cudaErrorInvalidValue, &work));
}

RT_FUNCTION(cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned is_enabled)) {
    rt_enter();
    const cudaGraphNode_t found = node_in(exec, node);
    if (found)
        found->is_disabled = !is_enabled;
    return rt_leave(found ? cudaSuccess : cudaErrorInvalidValue);
}

RT_FUNCTION(cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned *is_enabled)) {
    rt_enter();
    const cudaGraphNode_t found = is_enabled ? node_in(exec, node) : NULL;
    if (found)
        *is_enabled = !found->is_disabled;
    return rt_leave(found ? cudaSuccess : cudaErrorInvalidValue);
}

/* The same nodes in the same order with the same dependencies, or not. */
static bool is_alike(cudaGraph_t a, cudaGraph_t b) {
    const struct rt_node *n = a->nodes, *m = b->nodes;
    for (; n && m; n = n->next, m = m->next)
        if (n->work.kind != m->work.kind || n->after.count != m->after.count)
            return false;
    return !n && !m;
}

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph) {
    cudaGraph_t copy;
    if (!is_known(exec) || !rt_graph_is_known(graph))
        return cudaErrorInvalidValue;
    if (!is_alike(exec->graph, graph))
        return cudaErrorGraphExecUpdateFailure;
    const cudaError_t result = rt_graph_copy(graph, &copy);
    if (result != cudaSuccess)
        return result;
    /* Handles that the program holds are those of the graph that was instantiated first. */
    const struct rt_node *old = exec->graph->nodes;
    for (cudaGraphNode_t n = copy->nodes; n; n = n->next, old = old->next) {
        n->origin = old->origin;
        n->is_disabled = old->is_disabled;
    }
    rt_graph_free(exec->graph);
    exec->graph = copy;
    return cudaSuccess;
}

RT_FUNCTION(cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, void *result)) {
    struct {
        int result;
        cudaGraphNode_t wrong, from;
    } *out = result;
    rt_enter();
    const cudaError_t updated = update(exec, graph);
    if (out) {
        out->result = updated == cudaSuccess                       ? 0
                      : updated == cudaErrorGraphExecUpdateFailure ? 2
                                                                   : 1;
        out->wrong = out->from = NULL;
    }
    return rt_leave(updated);
}
