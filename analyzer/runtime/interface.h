/* SPDX-License-Identifier: MIT */
/*
 * How functions of CUDA's two interfaces are written: the runtime's (cuda...) and the driver's
 * (cu..., CUDA Driver API reference 13.0). A program that is linked with -lcuda, or opens
 * libcuda.so.1, finds ours. Both interfaces work on the same objects with the same handles, so most
 * of the driver's functions are the runtime's under another name: one row names both.
 *
 *   RT_CALL(NAME(PARAMETERS), EXPRESSION)      a function of the runtime is this expression
 *   DRV_CALL(NAME(PARAMETERS), EXPRESSION)     a function of the driver is
 *   SAME_CALL(RUNTIME'S, DRIVER'S, (PARAMETERS), EXPRESSION)
 *
 *   RT_FORWARD(NAME, FUNCTION, TYPES...)       a function of the runtime is FUNCTION
 *   DRV_FORWARD(NAME, FUNCTION, TYPES...)      a function of the driver is
 *   SAME(RUNTIME'S, DRIVER'S, FUNCTION, TYPES...)
 *
 *   RT_BOTH(NAME, (PARAMETERS), EXPRESSION)    NAME and NAMEAsync, which has a stream as its last
 *   DRV_BOTH(NAME, ASYNC, (PARAMETERS), ...)   parameter: `stream` in the expression, else NULL
 *
 * EARLY: the driver's function needs cuInit, but no current context; ALWAYS: it needs nothing.
 * Parameters that an expression does not use have no effect here.
 */
#pragma once

#include "runtime.h"

/* ---- The runtime ---- */

#define RT_DO(...)                    \
    do {                              \
        rt_enter();                   \
        return rt_leave(__VA_ARGS__); \
    } while (0)

#define RT_FUNCTION(...) RT_EXPORT cudaError_t __VA_ARGS__

#define RT_CALL(declaration, ...) \
    RT_FUNCTION(declaration) {    \
        RT_DO(__VA_ARGS__);       \
    }                             \
    cudaError_t declaration
#define RT_BOTH(name, parameters, ...)      \
    RT_FUNCTION(name(RT_OPEN parameters)) { \
        const cudaStream_t stream = NULL;   \
        RT_DO(rt_order_done(__VA_ARGS__));  \
    }                                       \
    RT_CALL(name##Async(RT_OPEN parameters, cudaStream_t stream), __VA_ARGS__)
#define RT_OPEN(...) __VA_ARGS__
/* Does the action if `is_fine`; else returns the error. */
#define RT_WHERE(is_fine, action, error) ((is_fine) ? ((void)(action), cudaSuccess) : (error))
#define RT_IF(is_fine, action) RT_WHERE(is_fine, action, cudaErrorInvalidValue)
#define RT_GIVE(out, value) RT_IF((out), *(out) = (value))

/* A second name, for programs that are compiled with a default stream for each thread. */
#define RT_PER_THREAD(name) \
    RT_EXPORT extern __typeof__(name) name##_ptsz __attribute__((alias(#name)))

#define RT_FORWARD(name, function, ...)                                        \
    cudaError_t function(__VA_ARGS__);                                         \
    RT_FUNCTION(name(RT_JOIN(RT_TAKE_, RT_COUNT(__VA_ARGS__))(__VA_ARGS__))) { \
        RT_DO(function(RT_JOIN(RT_GIVE_, RT_COUNT(__VA_ARGS__))));             \
    }                                                                          \
    cudaError_t name(__VA_ARGS__)
#define RT_COUNT(...) RT_EIGHTH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define RT_EIGHTH(a, b, c, d, e, f, g, eighth, ...) eighth
#define RT_JOIN(left, right) RT_JOIN_NOW(left, right)
#define RT_JOIN_NOW(left, right) left##right
#define RT_TAKE_1(A) A a
#define RT_TAKE_2(A, B) A a, B b
#define RT_TAKE_3(A, B, C) A a, B b, C c
#define RT_TAKE_4(A, B, C, D) A a, B b, C c, D d
#define RT_TAKE_5(A, B, C, D, E) A a, B b, C c, D d, E e
#define RT_TAKE_6(A, B, C, D, E, F) A a, B b, C c, D d, E e, F f
#define RT_TAKE_7(A, B, C, D, E, F, G) A a, B b, C c, D d, E e, F f, G g
#define RT_GIVE_1 a
#define RT_GIVE_2 a, b
#define RT_GIVE_3 a, b, c
#define RT_GIVE_4 a, b, c, d
#define RT_GIVE_5 a, b, c, d, e
#define RT_GIVE_6 a, b, c, d, e, f
#define RT_GIVE_7 a, b, c, d, e, f, g

/* ---- The driver ---- */

typedef int CUresult; /* a number that cuda_codes.inc names */
typedef uint64_t CUdeviceptr;
typedef struct drv_context *CUcontext;
typedef int CUdevice;

enum { CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_CONTEXT_IS_DESTROYED = 709 };

/* driver_context.c: cudaSuccess, or why functions that need a context cannot work: cuInit was not
 * called, or no context is current. */
cudaError_t drv_state(void);
cudaError_t drv_initialised(void);
cudaError_t drv_always(void);      /* cudaSuccess */
bool drv_knows(CUcontext context); /* it was made and not destroyed */
/* Releases the lock; returns the driver's code for `result`. */
CUresult drv_leave(cudaError_t before, cudaError_t result);

#define DRV_AFTER(state, ...)                          \
    do {                                               \
        const cudaError_t before = rt_enter_quietly(); \
        cudaError_t result = state();                  \
        if (result == cudaSuccess)                     \
            result = (__VA_ARGS__);                    \
        return drv_leave(before, result);              \
    } while (0)

#define DRV_DO(...) DRV_AFTER(drv_state, __VA_ARGS__)

#define DRV_EXPORT(...) RT_EXPORT CUresult __VA_ARGS__
#define DRV_CALL_AFTER(state, declaration, ...) \
    DRV_EXPORT(declaration) {                   \
        DRV_AFTER(state, __VA_ARGS__);          \
    }                                           \
    CUresult declaration
#define DRV_CALL(declaration, ...) DRV_CALL_AFTER(drv_state, declaration, __VA_ARGS__)
#define DRV_CALL_EARLY(declaration, ...) DRV_CALL_AFTER(drv_initialised, declaration, __VA_ARGS__)
#define DRV_CALL_ALWAYS(declaration, ...) DRV_CALL_AFTER(drv_always, declaration, __VA_ARGS__)
#define DRV_BOTH(name, async_name, parameters, ...) \
    DRV_EXPORT(name(RT_OPEN parameters)) {          \
        const cudaStream_t stream = NULL;           \
        DRV_DO(rt_order_done(__VA_ARGS__));         \
    }                                               \
    DRV_CALL(async_name(RT_OPEN parameters, cudaStream_t stream), __VA_ARGS__)

#define DRV_FORWARD(...) DRV_FORWARD_AFTER(drv_state, __VA_ARGS__)
#define DRV_FORWARD_EARLY(...) DRV_FORWARD_AFTER(drv_initialised, __VA_ARGS__)
#define DRV_FORWARD_AFTER(state, name, function, ...)                         \
    cudaError_t function(__VA_ARGS__);                                        \
    DRV_EXPORT(name(RT_JOIN(RT_TAKE_, RT_COUNT(__VA_ARGS__))(__VA_ARGS__))) { \
        DRV_AFTER(state, function(RT_JOIN(RT_GIVE_, RT_COUNT(__VA_ARGS__)))); \
    }                                                                         \
    CUresult name(__VA_ARGS__)

/* From cuda.h. driver_copy.c makes the work that it describes. */
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

/* From cuda.h. runtime_function.c converts it to the runtime's struct. */
typedef struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    cudaStream_t hStream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

cudaLaunchConfig_t drv_launch_config(const CUlaunchConfig *config);

static inline void *drv_pointer(CUdeviceptr address) {
    return (void *)(uintptr_t)address;
}

/* ---- Both interfaces ---- */

#define SAME_CALL(name, driver_name, parameters, ...) \
    RT_CALL(name parameters, __VA_ARGS__);            \
    DRV_CALL(driver_name parameters, __VA_ARGS__)
#define EARLY_CALL(name, driver_name, parameters, ...) \
    RT_CALL(name parameters, __VA_ARGS__);             \
    DRV_CALL_EARLY(driver_name parameters, __VA_ARGS__)
#define SAME(name, driver_name, ...) \
    RT_FORWARD(name, __VA_ARGS__);   \
    DRV_FORWARD(driver_name, __VA_ARGS__)
#define EARLY(name, driver_name, ...) \
    RT_FORWARD(name, __VA_ARGS__);    \
    DRV_FORWARD_EARLY(driver_name, __VA_ARGS__)

/* The first parameters of functions that add a node to a graph. */
#define NODE_ARGUMENTS \
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count
#define NODE_TYPES cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t
