/* SPDX-License-Identifier: MIT */
/*
 * Memory nodes of graphs. A node's memory is allocated when the node is made. If it is freed, by a
 * node or by cudaFree, it is allocated again at the same address when its node runs the next time.
 */
#include <stddef.h>
#include <string.h>

#include "interface.h"

/* As driver_types.h has it; cuda.h's CUDA_MEM_ALLOC_NODE_PARAMS is the same. */
typedef struct cudaMemAllocNodeParams {
    struct {
        int allocType, handleTypes;
        struct {
            int type, id;
        } location;
        void *win32SecurityAttributes;
        size_t maxSize;
        unsigned short usage;
        unsigned char reserved[54];
    } poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
} cudaMemAllocNodeParams;

_Static_assert(offsetof(cudaMemAllocNodeParams, accessDescs) == 88, "as CUDA has it");
_Static_assert(sizeof(cudaMemAllocNodeParams) == 120, "as CUDA has it");

enum { PINNED = 1 };

static cudaError_t allocate(NODE_ARGUMENTS, cudaMemAllocNodeParams *p) {
    rt_work work = {.kind = RT_WORK_ALLOCATE};
    if (!p || p->bytesize == 0 || p->poolProps.allocType != PINNED || p->poolProps.location.id != 0)
        return cudaErrorInvalidValue;
    cudaError_t result = rt_allocate(&work.memory.address, p->bytesize, RT_DEVICE, NULL);
    if (result != cudaSuccess)
        return result;
    work.memory.bytes = p->bytesize;
    void *const address = work.memory.address;
    result = rt_node_add(out, graph, after, count, cudaSuccess, &work);
    if (result == cudaSuccess)
        p->dptr = address;
    else
        (void)rt_free(address);
    return result;
}

SAME(cudaGraphAddMemAllocNode, cuGraphAddMemAllocNode, allocate, NODE_TYPES,
     cudaMemAllocNodeParams *);

static cudaError_t release(NODE_ARGUMENTS, void *address) {
    rt_work work = {.kind = RT_WORK_FREE, .memory = {.address = address}};
    const cudaError_t made = rt_was_device(address) ? cudaSuccess : cudaErrorInvalidValue;
    return rt_node_add(out, graph, after, count, made, &work);
}

SAME(cudaGraphAddMemFreeNode, cuGraphAddMemFreeNode, release, NODE_TYPES, void *);

static cudaError_t read(cudaGraphNode_t node, cudaMemAllocNodeParams *out) {
    if (!out || !rt_node_is(node, RT_WORK_ALLOCATE))
        return cudaErrorInvalidValue;
    memset(out, 0, sizeof *out);
    out->poolProps.allocType = out->poolProps.location.type = PINNED;
    out->bytesize = node->work.memory.bytes;
    out->dptr = node->work.memory.address;
    return cudaSuccess;
}

EARLY(cudaGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams, read, cudaGraphNode_t,
      cudaMemAllocNodeParams *);
EARLY_CALL(cudaGraphMemFreeNodeGetParams, cuGraphMemFreeNodeGetParams,
           (cudaGraphNode_t node, void *out),
           RT_IF(rt_node_is(node, RT_WORK_FREE) && out,
                 memcpy(out, &node->work.memory.address, sizeof(void *))));

/* There is nothing to trim: memory that no node needs is not kept. */
EARLY_CALL(cudaDeviceGraphMemTrim, cuDeviceGraphMemTrim, (int device),
           device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
