/* SPDX-License-Identifier: MIT */
/*
 * Graphs of the driver's interface: the runtime's, whose structures most of its functions share.
 */
#include "driver.h"

#define NODE_ARGUMENTS \
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count
#define NODE_VALUES out, graph, after, count

typedef struct CUDA_KERNEL_NODE_PARAMS {
    struct cudaKernelNodeParams same; /* all that version 1 has */
    cudaKernel_t kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t origin,
                                     cudaGraph_t clone);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphAddKernelNode(NODE_ARGUMENTS, const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *p);
cudaError_t cudaGraphAddHostNode(NODE_ARGUMENTS, const struct cudaHostNodeParams *p);
cudaError_t cudaGraphAddEmptyNode(NODE_ARGUMENTS);
cudaError_t cudaGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t child);
cudaError_t cudaGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(NODE_ARGUMENTS, void *p);
cudaError_t cudaGraphAddMemFreeNode(NODE_ARGUMENTS, void *address);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, void *out);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                           void *parameters);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *p);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *p);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned is_enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned *is_enabled);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, void *result);

/* ---- Graphs ---- */

DRV_EXPORT(cuGraphCreate(cudaGraph_t *out, unsigned flags)) {
    DRV_DO_EARLY(cudaGraphCreate(out, flags));
}

DRV_EXPORT(cuGraphDestroy(cudaGraph_t graph)) {
    DRV_DO_EARLY(cudaGraphDestroy(graph));
}

DRV_EXPORT(cuGraphClone(cudaGraph_t *out, cudaGraph_t graph)) {
    DRV_DO_EARLY(cudaGraphClone(out, graph));
}

DRV_EXPORT(cuGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t origin,
                                  cudaGraph_t clone)) {
    DRV_DO_EARLY(cudaGraphNodeFindInClone(out, origin, clone));
}

DRV_EXPORT(cuGraphDestroyNode(cudaGraphNode_t node)) {
    DRV_DO_EARLY(cudaGraphDestroyNode(node));
}

DRV_EXPORT(cuGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)) {
    DRV_DO_EARLY(cudaGraphGetNodes(graph, nodes, count));
}

DRV_EXPORT(cuGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)) {
    DRV_DO_EARLY(cudaGraphGetRootNodes(graph, nodes, count));
}

DRV_EXPORT(cuGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                           size_t *count)) {
    DRV_DO_EARLY(rt_graph_edges(graph, from, to, count));
}

DRV_EXPORT(cuGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              void *data, size_t *count)) {
    (void)data;
    DRV_DO_EARLY(rt_graph_edges(graph, from, to, count));
}

DRV_EXPORT(cuGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                      size_t *count)) {
    DRV_DO_EARLY(rt_graph_dependencies(node, nodes, count));
}

DRV_EXPORT(cuGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *data,
                                         size_t *count)) {
    (void)data;
    DRV_DO_EARLY(rt_graph_dependencies(node, nodes, count));
}

DRV_EXPORT(cuGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                        size_t *count)) {
    DRV_DO_EARLY(rt_graph_dependents(node, nodes, count));
}

DRV_EXPORT(cuGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *data,
                                           size_t *count)) {
    (void)data;
    DRV_DO_EARLY(rt_graph_dependents(node, nodes, count));
}

DRV_EXPORT(cuGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                  const cudaGraphNode_t *to, size_t count)) {
    (void)graph;
    DRV_DO_EARLY(rt_graph_change_edges(from, to, count, true));
}

DRV_EXPORT(cuGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const void *data, size_t count)) {
    (void)graph, (void)data;
    DRV_DO_EARLY(rt_graph_change_edges(from, to, count, true));
}

DRV_EXPORT(cuGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count)) {
    (void)graph;
    DRV_DO_EARLY(rt_graph_change_edges(from, to, count, false));
}

DRV_EXPORT(cuGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const void *data,
                                        size_t count)) {
    (void)graph, (void)data;
    DRV_DO_EARLY(rt_graph_change_edges(from, to, count, false));
}

/* ---- Nodes ---- */

/* A kernel may be given as one or as a function: both are the same here. */
static struct cudaKernelNodeParams kernel_of(const CUDA_KERNEL_NODE_PARAMS *p) {
    struct cudaKernelNodeParams out = p->same;
    if (!out.func)
        out.func = p->kern;
    return out;
}

static cudaError_t add_kernel(NODE_ARGUMENTS, const CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p)
        return cudaErrorInvalidValue;
    const struct cudaKernelNodeParams kernel = kernel_of(p);
    return cudaGraphAddKernelNode(NODE_VALUES, &kernel);
}

DRV_EXPORT(cuGraphAddKernelNode_v2(NODE_ARGUMENTS, const CUDA_KERNEL_NODE_PARAMS *p)) {
    DRV_DO(add_kernel(NODE_VALUES, p));
}

DRV_EXPORT(cuGraphAddKernelNode(NODE_ARGUMENTS, const struct cudaKernelNodeParams *p)) {
    DRV_DO(cudaGraphAddKernelNode(NODE_VALUES, p));
}

static cudaError_t get_kernel(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p)
        return cudaErrorInvalidValue;
    p->kern = NULL;
    p->ctx = NULL;
    return cudaGraphKernelNodeGetParams(node, &p->same);
}

DRV_EXPORT(cuGraphKernelNodeGetParams_v2(cudaGraphNode_t node, CUDA_KERNEL_NODE_PARAMS *p)) {
    DRV_DO_EARLY(get_kernel(node, p));
}

static cudaError_t set_kernel(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p)
        return cudaErrorInvalidValue;
    const struct cudaKernelNodeParams kernel = kernel_of(p);
    return cudaGraphKernelNodeSetParams(node, &kernel);
}

DRV_EXPORT(cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS *p)) {
    DRV_DO(set_kernel(node, p));
}

static cudaError_t set_kernel_in(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const CUDA_KERNEL_NODE_PARAMS *p) {
    if (!p)
        return cudaErrorInvalidValue;
    const struct cudaKernelNodeParams kernel = kernel_of(p);
    return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
}

DRV_EXPORT(cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const CUDA_KERNEL_NODE_PARAMS *p)) {
    DRV_DO(set_kernel_in(exec, node, p));
}

static cudaError_t add_copy(NODE_ARGUMENTS, const CUDA_MEMCPY3D *p) {
    rt_work work;
    bool is_fine = out && rt_graph_is_known(graph) && (count == 0 || after);
    for (size_t i = 0; i < count && is_fine; i++)
        is_fine = rt_node_is_known(after[i]) && after[i]->graph == graph;
    const cudaError_t made = is_fine ? drv_copy_make(p, &work) : cudaErrorInvalidValue;
    return made == cudaSuccess ? rt_graph_add(graph, after, count, &work, out) : made;
}

DRV_EXPORT(cuGraphAddMemcpyNode(NODE_ARGUMENTS, const CUDA_MEMCPY3D *p, CUcontext context)) {
    (void)context;
    DRV_DO(add_copy(NODE_VALUES, p));
}

DRV_EXPORT(cuGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *p,
                                CUcontext context)) {
    (void)context;
    DRV_DO(cudaGraphAddMemsetNode(NODE_VALUES, p));
}

DRV_EXPORT(cuGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)) {
    DRV_DO_EARLY(cudaGraphMemsetNodeGetParams(node, p));
}

DRV_EXPORT(cuGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p)) {
    DRV_DO(cudaGraphMemsetNodeSetParams(node, p));
}

DRV_EXPORT(cuGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                          const struct cudaMemsetParams *p, CUcontext context)) {
    (void)context;
    DRV_DO(cudaGraphExecMemsetNodeSetParams(exec, node, p));
}

DRV_EXPORT(cuGraphAddHostNode(NODE_ARGUMENTS, const struct cudaHostNodeParams *p)) {
    DRV_DO_EARLY(cudaGraphAddHostNode(NODE_VALUES, p));
}

DRV_EXPORT(cuGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)) {
    DRV_DO_EARLY(cudaGraphHostNodeGetParams(node, p));
}

DRV_EXPORT(cuGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p)) {
    DRV_DO_EARLY(cudaGraphHostNodeSetParams(node, p));
}

DRV_EXPORT(cuGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                        const struct cudaHostNodeParams *p)) {
    DRV_DO_EARLY(cudaGraphExecHostNodeSetParams(exec, node, p));
}

DRV_EXPORT(cuGraphAddEmptyNode(NODE_ARGUMENTS)) {
    DRV_DO_EARLY(cudaGraphAddEmptyNode(NODE_VALUES));
}

DRV_EXPORT(cuGraphAddChildGraphNode(NODE_ARGUMENTS, cudaGraph_t child)) {
    DRV_DO_EARLY(cudaGraphAddChildGraphNode(NODE_VALUES, child));
}

DRV_EXPORT(cuGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *out)) {
    DRV_DO_EARLY(cudaGraphChildGraphNodeGetGraph(node, out));
}

DRV_EXPORT(cuGraphAddEventRecordNode(NODE_ARGUMENTS, cudaEvent_t event)) {
    DRV_DO_EARLY(cudaGraphAddEventRecordNode(NODE_VALUES, event));
}

DRV_EXPORT(cuGraphAddEventWaitNode(NODE_ARGUMENTS, cudaEvent_t event)) {
    DRV_DO_EARLY(cudaGraphAddEventWaitNode(NODE_VALUES, event));
}

DRV_EXPORT(cuGraphAddMemAllocNode(NODE_ARGUMENTS, void *p)) {
    DRV_DO(cudaGraphAddMemAllocNode(NODE_VALUES, p));
}

DRV_EXPORT(cuGraphAddMemFreeNode(NODE_ARGUMENTS, CUdeviceptr address)) {
    DRV_DO(cudaGraphAddMemFreeNode(NODE_VALUES, drv_pointer(address)));
}

DRV_EXPORT(cuGraphMemAllocNodeGetParams(cudaGraphNode_t node, void *p)) {
    DRV_DO_EARLY(cudaGraphMemAllocNodeGetParams(node, p));
}

DRV_EXPORT(cuGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *address)) {
    DRV_DO_EARLY(cudaGraphMemFreeNodeGetParams(node, address));
}

DRV_EXPORT(cuDeviceGraphMemTrim(CUdevice device)) {
    DRV_DO_EARLY(cudaDeviceGraphMemTrim(device));
}

DRV_EXPORT(cuGraphNodeGetType(cudaGraphNode_t node, int *type)) {
    DRV_DO_EARLY(cudaGraphNodeGetType(node, type));
}

/* ---- Ready to run ---- */

DRV_EXPORT(cuGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                       unsigned long long flags)) {
    DRV_DO(cudaGraphInstantiateWithFlags(out, graph, flags));
}

DRV_EXPORT(cuGraphInstantiate_v2(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *wrong,
                                 char *log, size_t log_bytes)) {
    if (wrong)
        *wrong = NULL;
    if (log && log_bytes > 0)
        log[0] = '\0';
    DRV_DO(cudaGraphInstantiateWithFlags(out, graph, 0));
}

DRV_EXPORT(cuGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t graph,
                                        void *parameters)) {
    DRV_DO(cudaGraphInstantiateWithParams(out, graph, parameters));
}

DRV_EXPORT(cuGraphExecDestroy(cudaGraphExec_t exec)) {
    DRV_DO_EARLY(cudaGraphExecDestroy(exec));
}

DRV_EXPORT(cuGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)) {
    DRV_DO_EARLY(cudaGraphExecGetFlags(exec, flags));
}

DRV_EXPORT(cuGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)) {
    DRV_DO(cudaGraphLaunch(exec, stream));
}

DRV_EXPORT(cuGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)) {
    DRV_DO(cudaGraphUpload(exec, stream));
}

DRV_EXPORT(cuGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned is_enabled)) {
    DRV_DO_EARLY(cudaGraphNodeSetEnabled(exec, node, is_enabled));
}

DRV_EXPORT(cuGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                 unsigned *is_enabled)) {
    DRV_DO_EARLY(cudaGraphNodeGetEnabled(exec, node, is_enabled));
}

DRV_EXPORT(cuGraphExecUpdate_v2(cudaGraphExec_t exec, cudaGraph_t graph, void *out)) {
    DRV_DO_EARLY(cudaGraphExecUpdate(exec, graph, out));
}
