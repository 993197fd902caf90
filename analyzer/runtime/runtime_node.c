/* SPDX-License-Identifier: MIT */
/* Nodes of graphs: making them, reading and changing what they do. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

static cudaError_t make_launch(const struct cudaKernelNodeParams *p, rt_work *out) {
    if (!p)
        return cudaErrorInvalidValue;
    if (p->extra)
        return rt_refuse("cudaGraphAddKernelNode", "arguments in one buffer (extra)");
    return rt_launch_make(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams,
                          out);
}

static cudaError_t add_node(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
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

/* ---- Making and changing ---- */

/* Replaces a node's work by other work of the same kind. Takes `work`. */
static cudaError_t set(cudaGraphNode_t node, cudaError_t made, rt_work *work) {
    if (made != cudaSuccess)
        return made;
    if (!node || node->work.kind != work->kind) {
        rt_work_clear(work);
        return cudaErrorInvalidValue;
    }
    rt_work_clear(&node->work);
    node->work = *work;
    return cudaSuccess;
}

static cudaGraphNode_t known(cudaGraphNode_t node) {
    return rt_node_is_known(node) ? node : NULL;
}

static cudaError_t make_host(const struct cudaHostNodeParams *p, rt_work *work) {
    return RT_IF(p && p->fn, (*work = (rt_work){.kind = RT_WORK_HOST, .host = *p}));
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
#define ADDED(name, parameters, make)                           \
    RT_FUNCTION(name(RT_OPEN parameters)) {                     \
        rt_work work;                                           \
        RT_DO(add_node(out, graph, after, count, make, &work)); \
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
KIND(Kernel, , (const struct cudaKernelNodeParams *p), make_launch(p, &work))
KIND(Memcpy, , (const struct cudaMemcpy3DParms *p), rt_copy_from_parameters(p, &work))
KIND(Memcpy, 1D, (void *to, const void *from, size_t bytes, int direction),
     rt_copy_make(to, from, bytes, direction, &work))
KIND(Memset, , (const struct cudaMemsetParams *p), rt_set_from_parameters(p, &work))
KIND(Host, , (const struct cudaHostNodeParams *p), make_host(p, &work))
ADDED(cudaGraphAddMemcpyNodeToSymbol,
      (NODE_ARGUMENTS, const void *symbol, const void *from, size_t bytes, size_t offset, int direction),
      rt_copy_symbol(true, symbol, offset, from, bytes, direction, &work))
ADDED(cudaGraphAddMemcpyNodeFromSymbol,
      (NODE_ARGUMENTS, void *to, const void *symbol, size_t bytes, size_t offset, int direction),
      rt_copy_symbol(false, symbol, offset, to, bytes, direction, &work))
ADDED(cudaGraphAddEmptyNode, (NODE_ARGUMENTS), make_nothing(&work))
ADDED(cudaGraphAddChildGraphNode, (NODE_ARGUMENTS, cudaGraph_t child), make_child(child, &work))
ADDED(cudaGraphAddEventRecordNode, (NODE_ARGUMENTS, cudaEvent_t event),
      make_event(RT_WORK_RECORD, event, &work))
ADDED(cudaGraphAddEventWaitNode, (NODE_ARGUMENTS, cudaEvent_t event),
      make_event(RT_WORK_WAIT, event, &work))
/* clang-format on */

/* ---- Reading ---- */

static cudaError_t type_of(cudaGraphNode_t node, int *type) {
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
    return RT_IF(type && rt_node_is_known(node), *type = types[node->work.kind]);
}

EARLY(cudaGraphNodeGetType, cuGraphNodeGetType, type_of, cudaGraphNode_t, int *);

static bool node_is(cudaGraphNode_t node, rt_work_kind kind) {
    return rt_node_is_known(node) && node->work.kind == kind;
}

RT_CALL(cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out),
        RT_IF(node_is(node, RT_WORK_COPY) && out, *out = node->work.copy.as_given));
EARLY_CALL(cudaGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams,
           (cudaGraphNode_t node, struct cudaMemsetParams *out),
           RT_IF(node_is(node, RT_WORK_SET) && out, *out = node->work.set.as_given));
EARLY_CALL(cudaGraphHostNodeGetParams, cuGraphHostNodeGetParams,
           (cudaGraphNode_t node, struct cudaHostNodeParams *out),
           RT_IF(node_is(node, RT_WORK_HOST) && out, *out = node->work.host));

/* The addresses of the arguments are valid as long as the node is. */
static cudaError_t read_launch(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
    cudaError_t result;
    if (!out || !node_is(node, RT_WORK_LAUNCH))
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
EARLY_CALL(cudaGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph,
           (cudaGraphNode_t node, cudaGraph_t *out),
           RT_IF(node_is(node, RT_WORK_GRAPH) && out, *out = node->work.graph));

/* ---- Attributes of a kernel's node; no figure depends on others ---- */

static rt_launch *launch_of(cudaGraphNode_t node, int attribute, const void *value) {
    const bool is_fine = attribute > 0 && value && node_is(node, RT_WORK_LAUNCH);
    return is_fine ? &node->work.launch : NULL;
}

static cudaError_t set_attribute(cudaGraphNode_t node, int attribute,
                                 const cudaLaunchAttributeValue *value) {
    rt_launch *launch = launch_of(node, attribute, value);
    if (launch && attribute == cudaLaunchAttributeClusterDimension)
        launch->cluster = value->clusterDim;
    if (launch && attribute == cudaLaunchAttributeCooperative)
        launch->is_cooperative = value->cooperative != 0;
    return launch ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t get_attribute(cudaGraphNode_t node, int attribute,
                                 cudaLaunchAttributeValue *value) {
    const rt_launch *launch = launch_of(node, attribute, value);
    if (!launch)
        return cudaErrorInvalidValue;
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributeClusterDimension)
        value->clusterDim = launch->cluster;
    if (attribute == cudaLaunchAttributeCooperative)
        value->cooperative = launch->is_cooperative;
    return cudaSuccess;
}

RT_FORWARD(cudaGraphKernelNodeSetAttribute, set_attribute, cudaGraphNode_t, int,
           const cudaLaunchAttributeValue *);
RT_FORWARD(cudaGraphKernelNodeGetAttribute, get_attribute, cudaGraphNode_t, int,
           cudaLaunchAttributeValue *);

/* ---- Memory: allocated with the node; after a cudaFree again when the node runs ---- */

/* From driver_types.h; CUDA_MEM_ALLOC_NODE_PARAMS in cuda.h is the same. */
typedef struct cudaMemAllocNodeParams {
    struct {
        int allocType, handleTypes;
        struct cudaMemLocation location;
        void *win32SecurityAttributes;
        size_t maxSize;
        unsigned short usage;
        unsigned char reserved[54];
    } poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
} cudaMemAllocNodeParams;

_Static_assert(offsetof(cudaMemAllocNodeParams, accessDescs) == 88, "CUDA's layout");
_Static_assert(sizeof(cudaMemAllocNodeParams) == 120, "CUDA's layout");

enum { PINNED = 1 };

static cudaError_t add_memory(NODE_ARGUMENTS, cudaMemAllocNodeParams *p) {
    rt_work work = {.kind = RT_WORK_ALLOCATE};
    if (!p || p->bytesize == 0 || p->poolProps.allocType != PINNED || p->poolProps.location.id != 0)
        return cudaErrorInvalidValue;
    cudaError_t result = rt_allocate(&work.memory.address, p->bytesize, RT_DEVICE, NULL);
    if (result != cudaSuccess)
        return result;
    work.memory.bytes = p->bytesize;
    void *const address = work.memory.address;
    result = add_node(out, graph, after, count, cudaSuccess, &work);
    if (result == cudaSuccess)
        p->dptr = address;
    else
        (void)rt_free(address);
    return result;
}

SAME(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode, add_memory, NODE_TYPES,
     cudaMemAllocNodeParams *);

static cudaError_t add_free(NODE_ARGUMENTS, void *address) {
    rt_work work = {.kind = RT_WORK_FREE, .memory = {.address = address}};
    const cudaError_t made = rt_was_device(address) ? cudaSuccess : cudaErrorInvalidValue;
    return add_node(out, graph, after, count, made, &work);
}

SAME(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode, add_free, NODE_TYPES, void *);

static cudaError_t read_memory(cudaGraphNode_t node, cudaMemAllocNodeParams *out) {
    if (!out || !node_is(node, RT_WORK_ALLOCATE))
        return cudaErrorInvalidValue;
    memset(out, 0, sizeof *out);
    out->poolProps.allocType = out->poolProps.location.type = PINNED;
    out->bytesize = node->work.memory.bytes;
    out->dptr = node->work.memory.address;
    return cudaSuccess;
}

EARLY(cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, read_memory, cudaGraphNode_t,
      cudaMemAllocNodeParams *);
EARLY_CALL(cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams,
           (cudaGraphNode_t node, void *out),
           RT_IF(node_is(node, RT_WORK_FREE) && out,
                 memcpy(out, &node->work.memory.address, sizeof(void *))));

/* There is nothing to trim: memory that no node needs is not kept. */
EARLY_CALL(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim, (int device),
           device == 0 ? cudaSuccess : cudaErrorInvalidDevice);

/* ---- The driver ---- */

/* clang-format off */
DRV_FORWARD(cuGraphAddKernelNode, cudaGraphAddKernelNode, NODE_TYPES, const struct cudaKernelNodeParams *);
DRV_FORWARD(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams, cudaGraphNode_t, const struct cudaMemsetParams *);
DRV_FORWARD_EARLY(cuGraphAddHostNode, cudaGraphAddHostNode, NODE_TYPES, const struct cudaHostNodeParams *);
DRV_FORWARD_EARLY(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams, cudaGraphNode_t, const struct cudaHostNodeParams *);
DRV_FORWARD_EARLY(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams, cudaGraphExec_t, cudaGraphNode_t, const struct cudaHostNodeParams *);
DRV_FORWARD_EARLY(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, NODE_TYPES);
DRV_FORWARD_EARLY(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode, NODE_TYPES, cudaGraph_t);
DRV_FORWARD_EARLY(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode, NODE_TYPES, cudaEvent_t);
DRV_FORWARD_EARLY(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode, NODE_TYPES, cudaEvent_t);
/* clang-format on */

typedef struct CUDA_KERNEL_NODE_PARAMS {
    struct cudaKernelNodeParams same; /* the fields of version 1 */
    cudaKernel_t kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

/* A kernel may be given as a kernel or as a function; both are the same handle here. */
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
         WITH_KERNEL(cudaGraphAddKernelNode, out, graph, after, count));
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
    return read_launch(node, &p->same);
}

DRV_FORWARD_EARLY(cuGraphKernelNodeGetParams_v2, get_kernel, cudaGraphNode_t,
                  CUDA_KERNEL_NODE_PARAMS *);

static cudaError_t add_copy(NODE_ARGUMENTS, const CUDA_MEMCPY3D *p) {
    rt_work work;
    return add_node(out, graph, after, count, drv_copy_make(p, &work), &work);
}

DRV_CALL(cuGraphAddMemcpyNode(NODE_ARGUMENTS, const CUDA_MEMCPY3D *p, CUcontext context),
         add_copy(out, graph, after, count, p));
DRV_CALL(cuGraphAddMemsetNode(NODE_ARGUMENTS, const struct cudaMemsetParams *p, CUcontext context),
         cudaGraphAddMemsetNode(out, graph, after, count, p));
DRV_CALL(cuGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                        const struct cudaMemsetParams *p, CUcontext context),
         cudaGraphExecMemsetNodeSetParams(exec, node, p));
