/* SPDX-License-Identifier: MIT */
/*
 * Graphs of the driver's interface: the runtime's, whose structures most of its functions share.
 */
#include "driver.h"

#define NODE_VALUES out, graph, after, count

typedef struct CUDA_KERNEL_NODE_PARAMS {
    struct cudaKernelNodeParams same; /* all that version 1 has */
    cudaKernel_t kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

cudaError_t cudaGraphAddKernelNode(NODE_ARGUMENTS, const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *p);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p);

/* ---- Graphs ---- */

DRV_CALL_EARLY(cuGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                  void *data, size_t *count),
               rt_graph_edges(graph, from, to, count));
DRV_CALL_EARLY(cuGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                             void *data, size_t *count),
               rt_graph_dependencies(node, nodes, count));
DRV_CALL_EARLY(cuGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                               void *data, size_t *count),
               rt_graph_dependents(node, nodes, count));
DRV_CALL_EARLY(cuGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                      const cudaGraphNode_t *to, size_t count),
               rt_graph_change_edges(from, to, count, true));
DRV_CALL_EARLY(cuGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                         const cudaGraphNode_t *to, const void *data, size_t count),
               rt_graph_change_edges(from, to, count, true));
DRV_CALL_EARLY(cuGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                         const cudaGraphNode_t *to, size_t count),
               rt_graph_change_edges(from, to, count, false));
DRV_CALL_EARLY(cuGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, const void *data,
                                            size_t count),
               rt_graph_change_edges(from, to, count, false));

/* ---- Nodes ---- */

/* A kernel may be given as one or as a function: both are the same here. */
static struct cudaKernelNodeParams kernel_of(const CUDA_KERNEL_NODE_PARAMS *p) {
    struct cudaKernelNodeParams out = p->same;
    if (!out.func)
        out.func = p->kern;
    return out;
}

/* A function of the runtime that takes the parameters of a kernel last. */
#define WITH_KERNEL(function, ...)                                            \
    (p ? function(__VA_ARGS__, (struct cudaKernelNodeParams[]){kernel_of(p)}) \
       : cudaErrorInvalidValue)

DRV_CALL(cuGraphAddKernelNode_v2(NODE_ARGUMENTS, const CUDA_KERNEL_NODE_PARAMS *p),
         WITH_KERNEL(cudaGraphAddKernelNode, NODE_VALUES));
DRV_CALL(cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *p),
         WITH_KERNEL(cudaGraphKernelNodeSetParams, node));
DRV_CALL(cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const CUDA_KERNEL_NODE_PARAMS *p),
         WITH_KERNEL(cudaGraphExecKernelNodeSetParams, exec, node));

static cudaError_t get_kernel(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p)
        return cudaErrorInvalidValue;
    p->kern = NULL;
    p->ctx = NULL;
    return cudaGraphKernelNodeGetParams(node, &p->same);
}

DRV_FORWARD_EARLY(cuGraphKernelNodeGetParams_v2, get_kernel, cudaGraphNode_t,
                  CUDA_KERNEL_NODE_PARAMS *);

static cudaError_t add_copy(NODE_ARGUMENTS, const CUDA_MEMCPY3D *p) {
    rt_work work;
    return rt_node_add(out, graph, after, count, drv_copy_make(p, &work), &work);
}

DRV_CALL(cuGraphAddMemcpyNode(NODE_ARGUMENTS, const CUDA_MEMCPY3D *p, CUcontext context),
         add_copy(NODE_VALUES, p));
DRV_CALL(cuGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *p, CUcontext context),
         cudaGraphAddMemsetNode(NODE_VALUES, p));
DRV_CALL(cuGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                        const struct cudaMemsetParams *p, CUcontext context),
         cudaGraphExecMemsetNodeSetParams(exec, node, p));

/* ---- Ready to run ---- */

DRV_EXPORT(cuGraphInstantiate_v2(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                 char *log, size_t log_bytes)) {
    if (wrong)
        *wrong = NULL;
    if (log && log_bytes > 0)
        log[0] = '\0';
    DRV_DO(cudaGraphInstantiateWithFlags(out, graph, 0));
}
