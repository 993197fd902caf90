/* SPDX-License-Identifier: MIT */
/*
 * Memory, as programs ask the driver for it, and what it says about an address.
 */
#include <string.h>

#include "driver.h"

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);

/* ---- Making and freeing: an address is a number of 64 bits, as a pointer is ---- */

DRV_CALL(cuMemAlloc_v2(void **out, size_t bytes),
         bytes > 0 && out ? rt_allocate(out, bytes, RT_DEVICE, NULL) : cudaErrorInvalidValue);
DRV_CALL(cuMemAllocPitch_v2(void **out, size_t *pitch, size_t width, size_t height,
                            unsigned element_bytes),
         element_bytes == 4 || element_bytes == 8 || element_bytes == 16
             ? cudaMallocPitch(out, pitch, width, height)
             : cudaErrorInvalidValue);

/* ---- Where managed memory is best: it is in one place ---- */

static cudaError_t check_range(CUdeviceptr address, size_t bytes) {
    return rt_bytes(drv_pointer(address), bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

DRV_CALL(cuMemAdvise(CUdeviceptr address, size_t bytes, int advice, CUdevice device),
         check_range(address, bytes));
DRV_CALL(cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int advice,
                        struct cudaMemLocation where),
         check_range(address, bytes));
DRV_CALL(cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                            cudaStream_t stream),
         rt_stream_of(stream) ? check_range(address, bytes) : cudaErrorInvalidResourceHandle);
DRV_CALL(cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, struct cudaMemLocation where,
                               unsigned flags, cudaStream_t stream),
         rt_stream_of(stream) ? check_range(address, bytes) : cudaErrorInvalidResourceHandle);

/* ---- What an address is ---- */

static cudaError_t address_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    rt_range range;
    if (!rt_range_of(drv_pointer(address), &range))
        return cudaErrorSymbolNotFound;
    if (base)
        *base = (uintptr_t)range.address;
    if (bytes)
        *bytes = range.bytes;
    return cudaSuccess;
}

DRV_FORWARD(cuMemGetAddressRange_v2, address_range, CUdeviceptr *, size_t *, CUdeviceptr);

enum {
    POINTER_CONTEXT = 1,
    POINTER_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_SYNC = 6,
    POINTER_BUFFER,
    POINTER_MANAGED,
    POINTER_ORDINAL,
    POINTER_START = 11,
    POINTER_SIZE,
    POINTER_MAPPED,
};
enum { TYPE_HOST = 1, TYPE_DEVICE = 2 };

CUresult cuCtxGetCurrent(CUcontext *out);

/* Whatever it is has 4 or 8 bytes, as cuda.h says of each attribute. */
static void put(void *out, uint64_t value, size_t bytes) {
    memcpy(out, &value, bytes);
}

static cudaError_t attribute_of(void *out, int attribute, const rt_range *range,
                                CUdeviceptr address) {
    const bool is_host = range->kind == RT_HOST || range->kind == RT_REGISTERED;
    switch (attribute) {
    case POINTER_CONTEXT:
        return cuCtxGetCurrent(out);
    case POINTER_TYPE:
        put(out, is_host ? TYPE_HOST : TYPE_DEVICE, 4);
        return cudaSuccess;
    case POINTER_DEVICE:
        put(out, address, 8);
        return cudaSuccess;
    case POINTER_HOST:
        put(out, address, 8);
        return range->kind == RT_DEVICE ? cudaErrorInvalidValue : cudaSuccess;
    case POINTER_SYNC:
    case POINTER_ORDINAL:
        put(out, 0, attribute == POINTER_SYNC ? 1 : 4);
        return cudaSuccess;
    case POINTER_BUFFER:
    case POINTER_START:
        put(out, (uintptr_t)range->address, 8);
        return cudaSuccess;
    case POINTER_SIZE:
        put(out, range->bytes, 8);
        return cudaSuccess;
    case POINTER_MANAGED:
        put(out, range->kind == RT_MANAGED, 1);
        return cudaSuccess;
    case POINTER_MAPPED:
        put(out, 1, 1);
        return cudaSuccess;
    default:
        return rt_refuse("cuPointerGetAttribute", "an attribute that is not there without a GPU");
    }
}

static cudaError_t get_attribute(void *out, int attribute, CUdeviceptr address) {
    rt_range range;
    if (!out || !rt_range_of(drv_pointer(address), &range))
        return cudaErrorInvalidValue;
    return attribute_of(out, attribute, &range, address);
}

DRV_FORWARD(cuPointerGetAttribute, get_attribute, void *, int, CUdeviceptr);

/* Of the host's own memory they are zero, which is no error here. */
static cudaError_t get_attributes(unsigned count, const int *attributes, void **out,
                                  CUdeviceptr address) {
    rt_range range;
    const bool is_known = rt_range_of(drv_pointer(address), &range);
    cudaError_t result = cudaSuccess;
    if (!attributes || !out)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && result == cudaSuccess; i++) {
        const int a = attributes[i];
        const bool is_one_byte = a == POINTER_SYNC || a == POINTER_MANAGED || a == POINTER_MAPPED;
        put(out[i], 0, is_one_byte ? 1 : a == POINTER_TYPE || a == POINTER_ORDINAL ? 4 : 8);
        if (is_known && !(a == POINTER_HOST && range.kind == RT_DEVICE))
            result = attribute_of(out[i], a, &range, address);
    }
    return result;
}

DRV_FORWARD(cuPointerGetAttributes, get_attributes, unsigned, const int *, void **, CUdeviceptr);
DRV_CALL(cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address),
         value ? check_range(address, 1) : cudaErrorInvalidValue);
