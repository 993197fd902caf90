/* SPDX-License-Identifier: MIT */
/*
 * The part of the CUDA runtime's documented interface that programs see through our library: types,
 * codes, layouts of structures as in the CUDA Runtime API reference 13.0 and, where they
 * differ, 12. Written down here so that no toolkit is needed to build. Each function is declared
 * where it is defined.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RT_EXPORT __attribute__((visibility("default")))

/* ---- Codes ---- */

typedef int cudaError_t;

enum {
#define CODE(number, name, driver_name, text) name = (number),
#include "cuda_codes.inc"
#undef CODE
};

enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

enum {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged,
};

enum {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated,
};

enum {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree,
};

enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeClusterDimMustBeSet,
    cudaFuncAttributeRequiredClusterWidth,
    cudaFuncAttributeRequiredClusterHeight,
    cudaFuncAttributeRequiredClusterDepth,
    cudaFuncAttributeNonPortableClusterSizeAllowed,
    cudaFuncAttributeClusterSchedulingPolicyPreference,
};

enum {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};

enum { cudaEventDisableTiming = 2, cudaHostAllocMapped = 2, cudaHostRegisterMapped = 2 };

/* ---- Handles ---- */

typedef struct rt_stream *cudaStream_t;
typedef struct rt_event *cudaEvent_t;
typedef struct rt_graph *cudaGraph_t;
typedef struct rt_node *cudaGraphNode_t;
typedef struct rt_graph_exec *cudaGraphExec_t;
typedef struct rt_kernel *cudaKernel_t, *cudaFunction_t;
typedef struct rt_module *cudaLibrary_t;
typedef struct rt_pool *cudaMemPool_t;
typedef void (*cudaHostFn_t)(void *user);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user);

#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

/* ---- Structures ---- */

typedef struct dim3 {
    unsigned x, y, z;
} dim3;

struct cudaExtent {
    size_t width, height, depth; /* width: bytes, where memory is linear */
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cudaMemcpy3DParms {
    void *srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    void *dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    int kind;
};

struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height; /* width: elements */
};

struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};

struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};

struct cudaMemLocation {
    int type, id;
};

typedef union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative;
    int programmaticStreamSerializationAllowed;
    dim3 clusterDim;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute {
    int id;
    char pad[4];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
    int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
};

/* Without the fields at the end, which version 12 lacks and no code here reads. */
struct cudaPointerAttributes {
    int type, device;
    void *devicePointer, *hostPointer;
};

/* What a compiled program registers for each of its files of device code. */
typedef struct rt_fat_wrapper {
    int magic, version;
    const void *data;
    void *file_or_parts;
} rt_fat_wrapper;

enum { RT_FAT_WRAPPER_MAGIC = 0x466243b1 };
