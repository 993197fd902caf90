/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs. Each is a copy of a graph; its nodes can be changed, but not their
 * dependencies.
 */
#include <stdlib.h>
#include <string.h>

#include "interface.h"

struct rt_graph_exec {
    struct rt_graph_exec *next;
    cudaGraph_t graph;
    unsigned long long flags;
};

static cudaGraphExec_t execs;

static bool is_known(cudaGraphExec_t exec) {
    return rt_list_has(&execs, exec);
}

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags) {
    cudaGraph_t copy;
    if (!out || !rt_graph_is_known(graph))
        return cudaErrorInvalidValue;
    cudaError_t result = rt_graph_copy(graph, &copy);
    if (result != cudaSuccess)
        return result;
    cudaGraphExec_t made = *out = rt_list_add(&execs, sizeof *made);
    if (!made) {
        rt_graph_free(copy);
        return cudaErrorMemoryAllocation;
    }
    made->graph = copy;
    made->flags = flags;
    return cudaSuccess;
}

SAME(cudaGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, instantiate, cudaGraphExec_t *,
     cudaGraph_t, unsigned long long);

/* Its parameters begin with the flags; a result of 0 is success. */
static cudaError_t instantiate_with(cudaGraphExec_t *out, cudaGraph_t graph, void *parameters) {
    struct parameters {
        unsigned long long flags;
        cudaStream_t stream;
        cudaGraphNode_t wrong_node;
        int result;
    } *p = parameters;
    if (!p)
        return cudaErrorInvalidValue;
    const cudaError_t result = instantiate(out, graph, p->flags);
    p->wrong_node = NULL;
    p->result = result == cudaSuccess ? 0 : 1;
    return result;
}

SAME(cudaGraphInstantiateWithParams, cuGraphInstantiateWithParams, instantiate_with,
     cudaGraphExec_t *, cudaGraph_t, void *);

DRV_EXPORT(cuGraphInstantiate_v2(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                 char *log, size_t log_bytes)) {
    if (wrong)
        *wrong = NULL;
    if (log && log_bytes > 0)
        log[0] = '\0';
    DRV_DO(instantiate(out, graph, 0));
}

EARLY_CALL(cudaGraphExecDestroy, cuGraphExecDestroy, (cudaGraphExec_t exec),
           RT_IF(rt_list_remove(&execs, exec), (rt_graph_free(exec->graph), free(exec))));
EARLY_CALL(cudaGraphExecGetFlags, cuGraphExecGetFlags,
           (cudaGraphExec_t exec, unsigned long long *flags),
           RT_IF(is_known(exec) && flags, *flags = exec->flags));

static cudaError_t run(cudaGraphExec_t exec, cudaStream_t stream) {
    if (rt_stream_of(stream))
        rt_order_graph(rt_stream_of(stream), exec->graph);
    const cudaError_t result = rt_graph_run(exec->graph);
    rt_order_graph_ends(exec->graph);
    return result;
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream) {
    rt_work work = {.kind = RT_WORK_GRAPH};
    if (!is_known(exec))
        return cudaErrorInvalidValue;
    if (!rt_stream_is_capturing(stream)) {
        const cudaError_t result = rt_capture_forbids(stream, false);
        return result == cudaSuccess ? run(exec, stream) : result;
    }
    const cudaError_t result = rt_graph_copy(exec->graph, &work.graph);
    return result == cudaSuccess ? rt_work_submit(stream, &work) : result;
}

SAME(cudaGraphLaunch, cuGraphLaunch, launch, cudaGraphExec_t, cudaStream_t);
SAME_CALL(cudaGraphUpload, cuGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream),
          is_known(exec) && rt_stream_of(stream) ? cudaSuccess : cudaErrorInvalidValue);

/* ---- Changing an executable graph ---- */

cudaGraphNode_t rt_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node) {
    return is_known(exec) ? rt_graph_counterpart(exec->graph, node) : NULL;
}

EARLY_CALL(cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled,
           (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled),
           RT_IF(rt_exec_node(exec, node), rt_exec_node(exec, node)->is_disabled = !is_enabled));
EARLY_CALL(cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled,
           (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *is_enabled),
           RT_IF(!!is_enabled && rt_exec_node(exec, node),
                 *is_enabled = !rt_exec_node(exec, node)->is_disabled));

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

cudaError_t rt_exec_update(cudaGraphExec_t exec, cudaGraph_t graph, rt_exec_update_result *out) {
    const cudaError_t updated = update(exec, graph);
    if (out) {
        out->result = updated == cudaSuccess                       ? 0
                      : updated == cudaErrorGraphExecUpdateFailure ? 2
                                                                   : 1;
        out->wrong = out->from = NULL;
    }
    return updated;
}

EARLY(cudaGraphExecUpdate, cuGraphExecUpdate_v2, rt_exec_update, cudaGraphExec_t, cudaGraph_t,
      rt_exec_update_result *);
