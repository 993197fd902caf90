/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver's documented interface (CUDA Driver API reference 13.0) over the same core as the
 * runtime's: a program that was linked with -lcuda, or opens libcuda.so.1, finds this in its place.
 * Most functions are those of the runtime under another name, with handles that are the same.
 */
#ifndef SMP_DRIVER_H
#define SMP_DRIVER_H

#include "runtime.h"

typedef int CUresult; /* a number that cuda_codes.h names */
typedef uint64_t CUdeviceptr;
typedef struct drv_context *CUcontext;
typedef int CUdevice;

enum { CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_CONTEXT_IS_DESTROYED = 709 };

/* ---- driver_context.c ---- */

/* Takes the lock; gives back the runtime's last error, which calls of the driver leave alone. */
cudaError_t drv_enter(void);
/* cudaSuccess, or why functions that need a context cannot work: cuInit was not called, or no
 * context is current. */
cudaError_t drv_state(void);
cudaError_t drv_initialised(void);
/* Gives the lock back; the driver's code for `result`. */
CUresult drv_leave(cudaError_t before, cudaError_t result);

#define DRV_AFTER(state, ...)                   \
    do {                                        \
        const cudaError_t before = drv_enter(); \
        cudaError_t result = state();           \
        if (result == cudaSuccess)              \
            result = (__VA_ARGS__);             \
        return drv_leave(before, result);       \
    } while (0)

/* Each function of the interface is one expression between these. */
#define DRV_DO(...) DRV_AFTER(drv_state, __VA_ARGS__)
/* Of functions that need no context. */
#define DRV_DO_EARLY(...) DRV_AFTER(drv_initialised, __VA_ARGS__)

#define DRV_EXPORT(...)             \
    RT_EXPORT CUresult __VA_ARGS__; \
    CUresult __VA_ARGS__

/* As RT_CALL and RT_BOTH, with the name of the second function. */
#define DRV_CALL(declaration, ...) \
    DRV_EXPORT(declaration) {      \
        DRV_DO(__VA_ARGS__);       \
    }                              \
    CUresult declaration
#define DRV_CALL_EARLY(declaration, ...) \
    DRV_EXPORT(declaration) {            \
        DRV_DO_EARLY(__VA_ARGS__);       \
    }                                    \
    CUresult declaration
#define DRV_BOTH(name, async_name, parameters, ...) \
    DRV_EXPORT(name(RT_OPEN parameters)) {          \
        const cudaStream_t stream = NULL;           \
        DRV_DO(__VA_ARGS__);                        \
    }                                               \
    DRV_CALL(async_name(RT_OPEN parameters, cudaStream_t stream), __VA_ARGS__)

/* DRV_FORWARD(NAME, FUNCTION, TYPES...): the exported function NAME is FUNCTION of these types,
 * from one to six. */
#define DRV_FORWARD(...) DRV_FORWARD_AFTER(drv_state, __VA_ARGS__)
#define DRV_FORWARD_EARLY(...) DRV_FORWARD_AFTER(drv_initialised, __VA_ARGS__)
#define DRV_FORWARD_AFTER(state, name, function, ...)                         \
    cudaError_t function(__VA_ARGS__);                                        \
    RT_EXPORT CUresult name(__VA_ARGS__);                                     \
    CUresult name(RT_JOIN(RT_TAKE_, RT_COUNT(__VA_ARGS__))(__VA_ARGS__)) {    \
        DRV_AFTER(state, function(RT_JOIN(RT_GIVE_, RT_COUNT(__VA_ARGS__)))); \
    }                                                                         \
    CUresult name(__VA_ARGS__)
/* Of the functions that add a node to a graph. */
#define NODE_TYPES cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t

static inline void *drv_pointer(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

/* ---- driver_entry.c ---- */

/* The function that a program of this version of the interface means by this name, or NULL. */
void *drv_function(const char *name, int version);

/* ---- driver_copy.c ---- */

/* As cuda.h has them. */
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray, *reserved0;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray, *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

cudaError_t drv_copy_make(const CUDA_MEMCPY3D *copy, rt_work *out);

typedef struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    cudaStream_t hStream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

#endif
