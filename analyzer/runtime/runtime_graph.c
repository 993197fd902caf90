/* SPDX-License-Identifier: MIT */
/* Graphs: nodes with their dependencies, run in an order that respects them. */
#include <stdlib.h>
#include <string.h>

#include "interface.h"

static cudaGraph_t graphs;

bool rt_graph_is_known(cudaGraph_t graph) {
    return rt_list_has(&graphs, graph);
}

bool rt_node_is_known(cudaGraphNode_t node) {
    for (cudaGraph_t graph = graphs; graph && node; graph = graph->next)
        if (rt_list_has(&graph->nodes, node))
            return true;
    return false;
}

cudaGraph_t rt_graph_make(void) {
    return rt_list_add(&graphs, sizeof(struct rt_graph));
}

static void free_node(cudaGraphNode_t node) {
    rt_work_clear(&node->work);
    rt_nodes_clear(&node->after);
    rt_clock_clear(&node->before);
    rt_clock_clear(&node->clock);
    free(node);
}

void rt_graph_free(cudaGraph_t graph) {
    if (!graph)
        return;
    (void)rt_list_remove(&graphs, graph);
    while (graph->nodes) {
        cudaGraphNode_t next = graph->nodes->next;
        free_node(graph->nodes);
        graph->nodes = next;
    }
    free(graph);
}

cudaError_t rt_graph_add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                         rt_work *work, cudaGraphNode_t *out) {
    cudaGraphNode_t made = calloc(1, sizeof *made), *link = &graph->nodes;
    if (!made || !rt_nodes_add(&made->after, after, count)) {
        rt_work_clear(work);
        if (made)
            free_node(made);
        return cudaErrorMemoryAllocation;
    }
    made->graph = graph;
    made->work = *work;
    while (*link)
        link = &(*link)->next;
    *link = *out = made;
    return cudaSuccess;
}

bool rt_graph_precedes(cudaGraphNode_t node, cudaGraphNode_t later) {
    if (node == later)
        return true;
    return ANY(one, later->after.list, later->after.count, rt_graph_precedes(node, *one));
}

/* ---- Copies ---- */

cudaGraphNode_t rt_graph_counterpart(cudaGraph_t copy, const struct rt_node *origin) {
    cudaGraphNode_t node = copy->nodes;
    while (node && node->origin != origin)
        node = node->next;
    return node;
}

static cudaError_t copy_node(cudaGraph_t into, const struct rt_node *from) {
    cudaGraphNode_t made;
    rt_work work;
    cudaError_t result = rt_work_copy(&from->work, &work);
    if (result == cudaSuccess)
        result = rt_graph_add(into, NULL, 0, &work, &made);
    if (result != cudaSuccess)
        return result;
    made->origin = from;
    made->is_disabled = from->is_disabled;
    return cudaSuccess;
}

cudaError_t rt_graph_copy(cudaGraph_t graph, cudaGraph_t *out) {
    cudaError_t result = cudaSuccess;
    cudaGraph_t made = rt_graph_make();
    *out = NULL;
    if (!made)
        return cudaErrorMemoryAllocation;
    for (const struct rt_node *n = graph->nodes; n && result == cudaSuccess; n = n->next)
        result = copy_node(made, n);
    for (const struct rt_node *n = graph->nodes; n && result == cudaSuccess; n = n->next)
        for (size_t i = 0; i < n->after.count; i++) {
            const cudaGraphNode_t before = rt_graph_counterpart(made, n->after.list[i]);
            if (!rt_nodes_add(&rt_graph_counterpart(made, n)->after, &before, 1))
                result = cudaErrorMemoryAllocation;
        }
    if (result != cudaSuccess) {
        rt_graph_free(made);
        return result;
    }
    *out = made;
    return cudaSuccess;
}

/* ---- Running ---- */

static bool is_ready(const struct rt_node *node) {
    return !node->is_done && EVERY(one, node->after.list, node->after.count, (*one)->is_done);
}

/* Runs the first node that is ready, again and again: in the order in which they were made, if
 * dependencies allow it. */
cudaError_t rt_graph_run(cudaGraph_t graph) {
    cudaError_t result = cudaSuccess;
    for (cudaGraphNode_t n = graph->nodes; n; n = n->next)
        n->is_done = false;
    for (cudaGraphNode_t n = graph->nodes; n && result == cudaSuccess;) {
        if (!is_ready(n)) {
            n = n->next;
            continue;
        }
        rt_order_node(n);
        result = n->is_disabled ? cudaSuccess : rt_work_run(&n->work);
        n->is_done = true;
        n = graph->nodes;
    }
    return result;
}

/* ---- The interface ---- */

static cudaError_t create(cudaGraph_t *out) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = rt_graph_make();
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

EARLY_CALL(cudaGraphCreate, cuGraphCreate, (cudaGraph_t * out, unsigned flags), create(out));

EARLY_CALL(cudaGraphDestroy, cuGraphDestroy, (cudaGraph_t graph),
           RT_IF(rt_graph_is_known(graph), rt_graph_free(graph)));
EARLY_CALL(cudaGraphClone, cuGraphClone, (cudaGraph_t * out, cudaGraph_t graph),
           rt_graph_is_known(graph) && out ? rt_graph_copy(graph, out) : cudaErrorInvalidValue);

static cudaError_t find_in_clone(cudaGraphNode_t *out, cudaGraphNode_t origin, cudaGraph_t clone) {
    if (!out || !rt_graph_is_known(clone))
        return cudaErrorInvalidValue;
    *out = rt_graph_counterpart(clone, origin);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

EARLY(cudaGraphNodeFindInClone, cuGraphNodeFindInClone, find_in_clone, cudaGraphNode_t *,
      cudaGraphNode_t, cudaGraph_t);

static void drop_dependency(cudaGraphNode_t node, const struct rt_node *gone) {
    DROP_IF(one, node->after.list, node->after.count, *one == gone);
}

static cudaError_t destroy_node(cudaGraphNode_t node) {
    if (!rt_node_is_known(node))
        return cudaErrorInvalidValue;
    (void)rt_list_remove(&node->graph->nodes, node);
    for (cudaGraphNode_t n = node->graph->nodes; n; n = n->next)
        drop_dependency(n, node);
    free_node(node);
    return cudaSuccess;
}

EARLY(cudaGraphDestroyNode, cuGraphDestroyNode, destroy_node, cudaGraphNode_t);

/* Lists for the program hold at most *count nodes, and *count becomes how many there are. */
static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count,
                              bool roots_only) {
    size_t found = 0;
    if (!rt_graph_is_known(graph) || !count)
        return cudaErrorInvalidValue;
    for (cudaGraphNode_t n = graph->nodes; n; n = n->next) {
        if (roots_only && n->after.count > 0)
            continue;
        if (nodes && found < *count)
            nodes[found] = n;
        found++;
    }
    *count = found;
    return cudaSuccess;
}

EARLY_CALL(cudaGraphGetNodes, cuGraphGetNodes,
           (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
           list_nodes(graph, nodes, count, false));
EARLY_CALL(cudaGraphGetRootNodes, cuGraphGetRootNodes,
           (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count),
           list_nodes(graph, nodes, count, true));

/* The edges from `source` (NULL: any node) to `target`. */
static cudaError_t list_edges(cudaGraph_t graph, const struct rt_node *source,
                              const struct rt_node *target, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, size_t *count) {
    size_t found = 0;
    if (!rt_graph_is_known(graph) || !count)
        return cudaErrorInvalidValue;
    for (cudaGraphNode_t n = graph->nodes; n; n = n->next)
        for (size_t i = 0; i < n->after.count; i++) {
            if ((source && n->after.list[i] != source) || (target && n != target))
                continue;
            if (from && found < *count)
                from[found] = n->after.list[i];
            if (to && found < *count)
                to[found] = n;
            found++;
        }
    *count = found;
    return cudaSuccess;
}

cudaError_t rt_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                           size_t *count) {
    return list_edges(graph, NULL, NULL, from, to, count);
}

cudaError_t rt_graph_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    return rt_node_is_known(node) ? list_edges(node->graph, NULL, node, nodes, NULL, count)
                                  : cudaErrorInvalidValue;
}

cudaError_t rt_graph_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) {
    return rt_node_is_known(node) ? list_edges(node->graph, node, NULL, NULL, nodes, count)
                                  : cudaErrorInvalidValue;
}

cudaError_t rt_graph_change_edges(const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                  size_t count, bool adds) {
    for (size_t i = 0; i < count; i++) {
        if (!rt_node_is_known(from[i]) || !rt_node_is_known(to[i]) ||
            (adds && rt_graph_precedes(to[i], from[i])))
            return cudaErrorInvalidValue;
        if (!adds)
            drop_dependency(to[i], from[i]);
        else if (!rt_nodes_add(&to[i]->after, &from[i], 1))
            return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

/* ---- The driver's functions of two versions ---- */

#define DATA
#define VERSIONED(state, subject, parameters, ...) \
    DRV_CALL_AFTER(state, cu##subject parameters, __VA_ARGS__);
#include "versions.inc"
#undef DATA
#undef VERSIONED
#define DATA const void *data,
#define VERSIONED(state, subject, parameters, ...) \
    DRV_CALL_AFTER(state, cu##subject##_v2 parameters, __VA_ARGS__);
#include "versions.inc"
