/* SPDX-License-Identifier: MIT */
/* The driver's answers about an address, and hints about where managed memory should be. */
#include <string.h>

#include "interface.h"

/* ---- Hints about managed memory, which is always in one place ---- */

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

/* Bytes of the value of an attribute, as cuda.h says. */
static size_t width_of(int attribute) {
    switch (attribute) {
    case POINTER_SYNC:
    case POINTER_MANAGED:
    case POINTER_MAPPED:
        return 1;
    case POINTER_TYPE:
    case POINTER_ORDINAL:
        return 4;
    default:
        return 8;
    }
}

static cudaError_t attribute_of(void *out, int attribute, const rt_range *range,
                                CUdeviceptr address) {
    enum { COUNT = POINTER_MAPPED + 1, UNKNOWN = 1 << 0 | 1 << 5 | 1 << 10 };
    const bool is_host = range->kind == RT_HOST || range->kind == RT_REGISTERED;
    const uint64_t start = (uintptr_t)range->address;
    const uint64_t values[COUNT] = {[POINTER_TYPE] = is_host ? TYPE_HOST : TYPE_DEVICE,
                                    [POINTER_DEVICE] = address,
                                    [POINTER_HOST] = address,
                                    [POINTER_BUFFER] = start,
                                    [POINTER_MANAGED] = range->kind == RT_MANAGED,
                                    [POINTER_START] = start,
                                    [POINTER_SIZE] = range->bytes,
                                    [POINTER_MAPPED] = 1};
    if (attribute == POINTER_CONTEXT)
        return cuCtxGetCurrent(out);
    if (attribute < 0 || attribute >= COUNT || UNKNOWN >> attribute & 1)
        return rt_refuse("cuPointerGetAttribute", "this attribute is not supported without a GPU");
    memcpy(out, &values[attribute], width_of(attribute));
    return attribute == POINTER_HOST && range->kind == RT_DEVICE ? cudaErrorInvalidValue
                                                                 : cudaSuccess;
}

static cudaError_t get_attribute(void *out, int attribute, CUdeviceptr address) {
    rt_range range;
    if (!out || !rt_range_of(drv_pointer(address), &range))
        return cudaErrorInvalidValue;
    return attribute_of(out, attribute, &range, address);
}

DRV_FORWARD(cuPointerGetAttribute, get_attribute, void *, int, CUdeviceptr);

/* For memory that CUDA did not allocate all attributes are zero; that is no error here. */
static cudaError_t get_attributes(unsigned count, const int *attributes, void **out,
                                  CUdeviceptr address) {
    rt_range range;
    const bool is_known = rt_range_of(drv_pointer(address), &range);
    cudaError_t result = cudaSuccess;
    if (!attributes || !out)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && result == cudaSuccess; i++) {
        const int a = attributes[i];
        memset(out[i], 0, width_of(a));
        if (is_known && !(a == POINTER_HOST && range.kind == RT_DEVICE))
            result = attribute_of(out[i], a, &range, address);
    }
    return result;
}

DRV_FORWARD(cuPointerGetAttributes, get_attributes, unsigned, const int *, void **, CUdeviceptr);
DRV_CALL(cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address),
         value ? check_range(address, 1) : cudaErrorInvalidValue);
