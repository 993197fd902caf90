/* SPDX-License-Identifier: MIT */
/*
 * Functions of the driver that are the runtime's by another name: the name, the function that it
 * is, and the types of its parameters. A program's address is a pointer here: both are 64 bits.
 */
#include "driver.h"

#define NODE NODE_TYPES
#define SAME(...) DRV_FORWARD(__VA_ARGS__);
#define EARLY(...) DRV_FORWARD_EARLY(__VA_ARGS__);

/* clang-format off */
/* ---- Contexts ---- */

SAME(cuCtxSetLimit, cudaDeviceSetLimit, int, size_t)
SAME(cuCtxGetLimit, cudaDeviceGetLimit, size_t *, int)
SAME(cuCtxSetCacheConfig, cudaDeviceSetCacheConfig, int)
SAME(cuCtxGetCacheConfig, cudaDeviceGetCacheConfig, int *)
SAME(cuCtxSetSharedMemConfig, cudaDeviceSetSharedMemConfig, int)
SAME(cuCtxGetSharedMemConfig, cudaDeviceGetSharedMemConfig, int *)
SAME(cuCtxGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange, int *, int *)

/* ---- Devices ---- */

EARLY(cuDeviceGetCount, cudaGetDeviceCount, int *)
EARLY(cuDeviceGetAttribute, cudaDeviceGetAttribute, int *, int, CUdevice)
EARLY(cuDeviceGetPCIBusId, cudaDeviceGetPCIBusId, char *, int, CUdevice)
EARLY(cuDeviceGetByPCIBusId, cudaDeviceGetByPCIBusId, CUdevice *, const char *)
EARLY(cuDeviceCanAccessPeer, cudaDeviceCanAccessPeer, int *, CUdevice, CUdevice)
EARLY(cuDeviceGetP2PAttribute, cudaDeviceGetP2PAttribute, int *, int, CUdevice, CUdevice)

/* ---- Graphs ---- */

EARLY(cuGraphCreate, cudaGraphCreate, cudaGraph_t *, unsigned)
EARLY(cuGraphDestroy, cudaGraphDestroy, cudaGraph_t)
EARLY(cuGraphClone, cudaGraphClone, cudaGraph_t *, cudaGraph_t)
EARLY(cuGraphNodeFindInClone, cudaGraphNodeFindInClone, cudaGraphNode_t *, cudaGraphNode_t, cudaGraph_t)
EARLY(cuGraphDestroyNode, cudaGraphDestroyNode, cudaGraphNode_t)
EARLY(cuGraphGetNodes, cudaGraphGetNodes, cudaGraph_t, cudaGraphNode_t *, size_t *)
EARLY(cuGraphGetRootNodes, cudaGraphGetRootNodes, cudaGraph_t, cudaGraphNode_t *, size_t *)
EARLY(cuGraphGetEdges, rt_graph_edges, cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, size_t *)
EARLY(cuGraphNodeGetDependencies, rt_graph_dependencies, cudaGraphNode_t, cudaGraphNode_t *, size_t *)
EARLY(cuGraphNodeGetDependentNodes, rt_graph_dependents, cudaGraphNode_t, cudaGraphNode_t *, size_t *)
SAME(cuGraphAddKernelNode, cudaGraphAddKernelNode, NODE, const struct cudaKernelNodeParams *)
EARLY(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams, cudaGraphNode_t, struct cudaMemsetParams *)
SAME(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams, cudaGraphNode_t, const struct cudaMemsetParams *)
EARLY(cuGraphAddHostNode, cudaGraphAddHostNode, NODE, const struct cudaHostNodeParams *)
EARLY(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams, cudaGraphNode_t, struct cudaHostNodeParams *)
EARLY(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams, cudaGraphNode_t, const struct cudaHostNodeParams *)
EARLY(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams, cudaGraphExec_t, cudaGraphNode_t, const struct cudaHostNodeParams *)
EARLY(cuGraphAddEmptyNode, cudaGraphAddEmptyNode, NODE)
EARLY(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode, NODE, cudaGraph_t)
EARLY(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph, cudaGraphNode_t, cudaGraph_t *)
EARLY(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode, NODE, cudaEvent_t)
EARLY(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode, NODE, cudaEvent_t)
SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode, NODE, void *)
SAME(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode, NODE, void *)
EARLY(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams, cudaGraphNode_t, void *)
EARLY(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams, cudaGraphNode_t, void *)
EARLY(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, CUdevice)
EARLY(cuGraphNodeGetType, cudaGraphNodeGetType, cudaGraphNode_t, int *)
SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags, cudaGraphExec_t *, cudaGraph_t, unsigned long long)
SAME(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams, cudaGraphExec_t *, cudaGraph_t, void *)
EARLY(cuGraphExecDestroy, cudaGraphExecDestroy, cudaGraphExec_t)
EARLY(cuGraphExecGetFlags, cudaGraphExecGetFlags, cudaGraphExec_t, unsigned long long *)
SAME(cuGraphLaunch, cudaGraphLaunch, cudaGraphExec_t, cudaStream_t)
SAME(cuGraphUpload, cudaGraphUpload, cudaGraphExec_t, cudaStream_t)
EARLY(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled, cudaGraphExec_t, cudaGraphNode_t, unsigned)
EARLY(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled, cudaGraphExec_t, cudaGraphNode_t, unsigned *)
EARLY(cuGraphExecUpdate_v2, cudaGraphExecUpdate, cudaGraphExec_t, cudaGraph_t, void *)

/* ---- Functions and launches ---- */

SAME(cuFuncSetAttribute, cudaFuncSetAttribute, const void *, int, int)
SAME(cuFuncSetCacheConfig, cudaFuncSetCacheConfig, const void *, int)
SAME(cuFuncSetSharedMemConfig, cudaFuncSetSharedMemConfig, const void *, int)
SAME(cuFuncGetName, cudaFuncGetName, const char **, const void *)
EARLY(cuKernelGetName, cudaFuncGetName, const char **, const void *)
SAME(cuFuncGetParamInfo, cudaFuncGetParamInfo, const void *, size_t, size_t *, size_t *)
EARLY(cuKernelGetParamInfo, cudaFuncGetParamInfo, const void *, size_t, size_t *, size_t *)
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *, const void *, int, size_t)
SAME(cuOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyAvailableDynamicSMemPerBlock, size_t *, const void *, int, int)
SAME(cuLaunchHostFunc, cudaLaunchHostFunc, cudaStream_t, cudaHostFn_t, void *)

/* ---- Memory ---- */

SAME(cuMemFree_v2, rt_free, void *)
SAME(cuMemAllocManaged, cudaMallocManaged, void **, size_t, unsigned)
SAME(cuMemAllocHost_v2, cudaMallocHost, void **, size_t)
SAME(cuMemHostAlloc, cudaHostAlloc, void **, size_t, unsigned)
SAME(cuMemFreeHost, cudaFreeHost, void *)
SAME(cuMemHostRegister_v2, cudaHostRegister, void *, size_t, unsigned)
SAME(cuMemHostUnregister, cudaHostUnregister, void *)
SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer, void **, void *, unsigned)
SAME(cuMemHostGetFlags, cudaHostGetFlags, unsigned *, void *)
SAME(cuMemGetInfo_v2, cudaMemGetInfo, size_t *, size_t *)
SAME(cuMemAllocAsync, cudaMallocAsync, void **, size_t, cudaStream_t)
SAME(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync, void **, size_t, cudaMemPool_t, cudaStream_t)
SAME(cuMemFreeAsync, cudaFreeAsync, void *, cudaStream_t)
EARLY(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, cudaMemPool_t *, CUdevice)
EARLY(cuDeviceGetMemPool, cudaDeviceGetMemPool, cudaMemPool_t *, CUdevice)
EARLY(cuDeviceSetMemPool, cudaDeviceSetMemPool, CUdevice, cudaMemPool_t)
EARLY(cuMemPoolCreate, cudaMemPoolCreate, cudaMemPool_t *, const void *)
EARLY(cuMemPoolDestroy, cudaMemPoolDestroy, cudaMemPool_t)
EARLY(cuMemPoolTrimTo, cudaMemPoolTrimTo, cudaMemPool_t, size_t)
EARLY(cuMemPoolSetAttribute, cudaMemPoolSetAttribute, cudaMemPool_t, int, void *)
EARLY(cuMemPoolGetAttribute, cudaMemPoolGetAttribute, cudaMemPool_t, int, void *)
EARLY(cuMemPoolSetAccess, cudaMemPoolSetAccess, cudaMemPool_t, const void *, size_t)

/* ---- Modules and libraries ---- */

SAME(cuModuleUnload, cudaLibraryUnload, cudaLibrary_t)
SAME(cuModuleGetGlobal_v2, rt_module_variable, void **, size_t *, cudaLibrary_t, const char *)
SAME(cuModuleGetFunctionCount, cudaLibraryGetKernelCount, unsigned *, cudaLibrary_t)
SAME(cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels, cudaKernel_t *, unsigned, cudaLibrary_t)
EARLY(cuLibraryUnload, cudaLibraryUnload, cudaLibrary_t)
SAME(cuLibraryGetGlobal, rt_module_variable, void **, size_t *, cudaLibrary_t, const char *)
EARLY(cuLibraryGetKernelCount, cudaLibraryGetKernelCount, unsigned *, cudaLibrary_t)
EARLY(cuLibraryEnumerateKernels, cudaLibraryEnumerateKernels, cudaKernel_t *, unsigned, cudaLibrary_t)

/* ---- Streams, events, captures ---- */

SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority, cudaStream_t *, unsigned, int)
SAME(cuStreamDestroy_v2, cudaStreamDestroy, cudaStream_t)
SAME(cuStreamSynchronize, cudaStreamSynchronize, cudaStream_t)
SAME(cuStreamQuery, cudaStreamQuery, cudaStream_t)
SAME(cuStreamGetPriority, cudaStreamGetPriority, cudaStream_t, int *)
SAME(cuStreamGetFlags, cudaStreamGetFlags, cudaStream_t, unsigned *)
SAME(cuStreamGetId, cudaStreamGetId, cudaStream_t, unsigned long long *)
SAME(cuStreamGetDevice, cudaStreamGetDevice, cudaStream_t, CUdevice *)
SAME(cuStreamWaitEvent, cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned)
SAME(cuStreamAttachMemAsync, cudaStreamAttachMemAsync, cudaStream_t, void *, size_t, unsigned)
SAME(cuStreamAddCallback, cudaStreamAddCallback, cudaStream_t, cudaStreamCallback_t, void *, unsigned)
SAME(cuStreamSetAttribute, cudaStreamSetAttribute, cudaStream_t, int, const cudaLaunchAttributeValue *)
SAME(cuStreamGetAttribute, cudaStreamGetAttribute, cudaStream_t, int, cudaLaunchAttributeValue *)
SAME(cuStreamCopyAttributes, cudaStreamCopyAttributes, cudaStream_t, cudaStream_t)
SAME(cuEventCreate, cudaEventCreateWithFlags, cudaEvent_t *, unsigned)
SAME(cuEventDestroy_v2, cudaEventDestroy, cudaEvent_t)
SAME(cuEventRecordWithFlags, cudaEventRecordWithFlags, cudaEvent_t, cudaStream_t, unsigned)
SAME(cuEventQuery, cudaEventQuery, cudaEvent_t)
SAME(cuEventSynchronize, cudaEventSynchronize, cudaEvent_t)
SAME(cuEventElapsedTime, cudaEventElapsedTime, float *, cudaEvent_t, cudaEvent_t)
SAME(cuEventElapsedTime_v2, cudaEventElapsedTime, float *, cudaEvent_t, cudaEvent_t)
SAME(cuStreamBeginCapture_v2, cudaStreamBeginCapture, cudaStream_t, int)
SAME(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph, cudaStream_t, cudaGraph_t, const cudaGraphNode_t *, const void *, size_t, int)
SAME(cuStreamEndCapture, cudaStreamEndCapture, cudaStream_t, cudaGraph_t *)
SAME(cuStreamIsCapturing, cudaStreamIsCapturing, cudaStream_t, int *)
SAME(cuStreamGetCaptureInfo_v2, rt_capture_info, cudaStream_t, int *, unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, size_t *)
SAME(cuStreamUpdateCaptureDependencies, rt_capture_update, cudaStream_t, const cudaGraphNode_t *, size_t, unsigned)
SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, int *)

/* clang-format on */
