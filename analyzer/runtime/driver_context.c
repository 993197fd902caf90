/* SPDX-License-Identifier: MIT */
/*
 * Contexts, and the start and end of every driver call. There is one device, and all contexts share
 * its memory: correct use of contexts is checked, but nothing else depends on them.
 */
#include <stdlib.h>
#include <string.h>

#include "interface.h"

enum { DEPTH = 64, API_VERSION = 13000 };

struct drv_context {
    struct drv_context *next;
    unsigned flags;
    unsigned long long id;
};

static bool is_initialised;
static struct drv_context primary = {.id = 1};
static unsigned primary_count;
static CUcontext contexts; /* made by cuCtxCreate */
static _Thread_local CUcontext stack[DEPTH];
static _Thread_local unsigned depth;

bool drv_knows(CUcontext context) {
    return rt_list_has(&contexts, context) || context == &primary;
}

static CUcontext current(void) {
    return depth > 0 ? stack[depth - 1] : NULL;
}

/* ---- Every call ---- */

cudaError_t drv_always(void) {
    return cudaSuccess;
}

cudaError_t drv_initialised(void) {
    return is_initialised || rt_is_used() ? cudaSuccess : cudaErrorInitializationError;
}

/* The runtime makes the primary context current when it is first used. */
cudaError_t drv_state(void) {
    const cudaError_t early = drv_initialised();
    if (early != cudaSuccess)
        return early;
    if (!current() && rt_is_used() && depth == 0)
        stack[depth++] = &primary;
    if (!current())
        return CUDA_ERROR_INVALID_CONTEXT;
    return drv_knows(current()) ? cudaSuccess : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* From 100 on both interfaces have the same codes; below, the driver has fewer. */
static CUresult code_of(cudaError_t error) {
    switch (error) {
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidSymbol:
        return cudaErrorSymbolNotFound;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorMissingConfiguration:
        return cudaErrorInvalidValue;
    default:
        return error;
    }
}

CUresult drv_leave(cudaError_t before, cudaError_t result) {
    rt_leave_quietly(before);
    return code_of(result == cudaSuccess ? rt_broken() : result);
}

/* ---- Beginning ---- */

static cudaError_t device_0(CUdevice device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

DRV_CALL_ALWAYS(cuInit(unsigned flags), RT_IF(flags == 0, is_initialised = true));

DRV_CALL_EARLY(cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device),
               device != 0 ? cudaErrorInvalidDevice : (primary_count++, RT_GIVE(out, &primary)));

static cudaError_t release(CUdevice device) {
    if (device == 0 && primary_count == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    primary_count -= device == 0;
    return device_0(device);
}

DRV_FORWARD_EARLY(cuDevicePrimaryCtxRelease_v2, release, CUdevice);
DRV_FORWARD_EARLY(cuDevicePrimaryCtxReset_v2, device_0, CUdevice);

DRV_CALL_EARLY(cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags),
               (primary.flags = flags, device_0(device)));

static cudaError_t primary_state(CUdevice device, unsigned *flags, int *is_active) {
    if (!flags || !is_active)
        return cudaErrorInvalidValue;
    *flags = primary.flags;
    *is_active = primary_count > 0 || rt_is_used();
    return device_0(device);
}

DRV_FORWARD_EARLY(cuDevicePrimaryCtxGetState, primary_state, CUdevice, unsigned *, int *);

/* ---- Contexts that the program makes ---- */

static cudaError_t push(CUcontext context) {
    if (!context || !drv_knows(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth == DEPTH)
        return cudaErrorInvalidValue;
    stack[depth++] = context;
    return cudaSuccess;
}

static cudaError_t create(CUcontext *out, unsigned flags, CUdevice device) {
    static unsigned long long made_count = 1;
    if (!out || device != 0)
        return out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *out = rt_list_add(&contexts, sizeof **out);
    if (!*out)
        return cudaErrorMemoryAllocation;
    (*out)->flags = flags;
    (*out)->id = ++made_count;
    return push(*out);
}

DRV_FORWARD_EARLY(cuCtxCreate_v2, create, CUcontext *, unsigned, CUdevice);

/* Parts of a device (affinity) are ignored. */
DRV_CALL_EARLY(cuCtxCreate_v3(CUcontext *out, void *affinity, int count, unsigned flags,
                              CUdevice device),
               create(out, flags, device));
DRV_CALL_EARLY(cuCtxCreate_v4(CUcontext *out, void *parameters, unsigned flags, CUdevice device),
               create(out, flags, device));

static cudaError_t destroy(CUcontext context) {
    if (!rt_list_remove(&contexts, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (current() == context)
        depth--;
    free(context);
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuCtxDestroy_v2, destroy, CUcontext);
DRV_FORWARD_EARLY(cuCtxPushCurrent_v2, push, CUcontext);

static cudaError_t pop(CUcontext *out) {
    if (depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    const CUcontext top = stack[--depth];
    if (out)
        *out = top;
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuCtxPopCurrent_v2, pop, CUcontext *);

DRV_CALL_EARLY(cuCtxSetCurrent(CUcontext context),
               (depth -= depth > 0, context ? push(context) : cudaSuccess));
/* NULL is a valid answer. */
DRV_CALL_EARLY(cuCtxGetCurrent(CUcontext *out), ((void)drv_state(), RT_GIVE(out, current())));

/* ---- Questions about a context ---- */

DRV_CALL_EARLY(cuCtxGetDevice_v2(CUdevice *out, CUcontext context),
               !context || drv_knows(context) ? RT_GIVE(out, 0) : CUDA_ERROR_INVALID_CONTEXT);
DRV_CALL(cuCtxGetFlags(unsigned *out), RT_GIVE(out, current()->flags));

DRV_CALL(cuCtxSetFlags(unsigned flags), (current()->flags = flags, cudaSuccess));

static cudaError_t give_id(CUcontext context, unsigned long long *out) {
    if (!context && drv_state() == cudaSuccess)
        context = current();
    if (!out || !context || !drv_knows(context))
        return out ? CUDA_ERROR_INVALID_CONTEXT : cudaErrorInvalidValue;
    *out = context->id;
    return cudaSuccess;
}

DRV_FORWARD_EARLY(cuCtxGetId, give_id, CUcontext, unsigned long long *);
DRV_CALL_EARLY(cuCtxGetApiVersion(CUcontext context, unsigned *out),
               !context || drv_knows(context) ? RT_GIVE(out, API_VERSION)
                                              : CUDA_ERROR_INVALID_CONTEXT);

/* There is one device. */
DRV_CALL(cuCtxEnablePeerAccess(CUcontext peer, unsigned flags), cudaErrorInvalidDevice);
DRV_CALL(cuCtxDisablePeerAccess(CUcontext peer), cudaErrorInvalidDevice);
