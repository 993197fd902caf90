/* SPDX-License-Identifier: MIT */
/*
 * CUDA arrays: texels in lines, planes, boxes, layers or the faces of a cube. Kernels have no
 * addresses for their bytes; only copies, textures and surfaces reach them.
 */
#include <stdlib.h>
#include <string.h>

#include "interface.h"

static rt_array *arrays;

rt_array *rt_array_of(void *handle) {
    return handle && rt_list_has(&arrays, handle) ? handle : NULL;
}

static size_t at_least_one(size_t count) {
    return count ? count : 1;
}

static bool is_sound(const rt_array *a) {
    const bool is_cube = a->flags & RT_ARRAY_CUBE;
    return a->width > 0 && (a->channels == 1 || a->channels == 2 || a->channels == 4) &&
           (a->channel_bytes == 1 || a->channel_bytes == 2 || a->channel_bytes == 4) &&
           (a->kind != CHANNEL_FLOAT || a->channel_bytes > 1) &&
           (a->height > 0 || a->depth == 0 || a->flags & RT_ARRAY_LAYERED) &&
           (!is_cube || (a->width == a->height && a->depth % 6 == 0 && a->depth > 0));
}

cudaError_t rt_array_make(const rt_array *wanted, rt_array **out) {
    size_t bytes;
    if (!out || !is_sound(wanted))
        return cudaErrorInvalidValue;
    rt_array *made = malloc(sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    *made = *wanted;
    made->element_bytes = (uint32_t)made->channels * made->channel_bytes;
    made->pitch = made->width * made->element_bytes;
    made->layer = made->pitch * at_least_one(made->height);
    if (__builtin_mul_overflow(made->layer, at_least_one(made->depth), &bytes) ||
        !(made->bytes = calloc(1, bytes + 16))) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->next = arrays;
    arrays = *out = made;
    return cudaSuccess;
}

cudaError_t rt_array_free(void *handle) {
    rt_array *gone = handle;
    if (!rt_list_remove(&arrays, gone))
        return handle ? cudaErrorInvalidResourceHandle : cudaSuccess;
    rt_objects_forget(gone);
    free(gone->bytes);
    free(gone);
    return cudaSuccess;
}

cudaError_t rt_array_box(void *handle, size_t x_bytes, size_t y, size_t z,
                         const struct cudaExtent *extent, rt_box *out) {
    const rt_array *a = rt_array_of(handle);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    if (x_bytes > a->pitch || extent->width > a->pitch - x_bytes ||
        y + extent->height > at_least_one(a->height) || z + extent->depth > at_least_one(a->depth))
        return cudaErrorInvalidValue;
    *out = (rt_box){a->bytes + z * a->layer + y * a->pitch + x_bytes, a->pitch, a->layer};
    return cudaSuccess;
}

/* ---- The interface ---- */

typedef struct channel {
    int x, y, z, w, kind;
} channel;

RT_EXPORT channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (channel){x, y, z, w, kind};
}

cudaError_t rt_array_format(const void *description, rt_array *out) {
    const channel *format = description;
    const int bits[] = {format->x, format->y, format->z, format->w};
    unsigned count = 0;
    while (count < 4 && bits[count] > 0)
        count++;
    for (unsigned i = 1; i < count; i++)
        if (bits[i] != bits[0])
            return cudaErrorInvalidChannelDescriptor;
    if (format->kind < 0 || format->kind > 2 || bits[0] % 8 != 0 || bits[0] > 32)
        return cudaErrorInvalidChannelDescriptor;
    out->kind = (emu_channel_kind)format->kind;
    out->channels = (uint8_t)count;
    out->channel_bytes = (uint8_t)(bits[0] / 8);
    return cudaSuccess;
}

static cudaError_t make(void **out, const channel *format, struct cudaExtent extent,
                        unsigned flags) {
    rt_array wanted = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    if (!out || !format)
        return cudaErrorInvalidValue;
    const cudaError_t result = rt_array_format(format, &wanted);
    return result == cudaSuccess ? rt_array_make(&wanted, (rt_array **)out) : result;
}

RT_CALL(cudaMallocArray(void **out, const channel *format, size_t width, size_t height,
                        unsigned flags),
        make(out, format, (struct cudaExtent){width, height, 0}, flags));
RT_FORWARD(cudaMalloc3DArray, make, void **, const channel *, struct cudaExtent, unsigned);
RT_FORWARD(cudaFreeArray, rt_array_free, void *);

static cudaError_t info(channel *format, struct cudaExtent *extent, unsigned *flags, void *array) {
    const rt_array *a = rt_array_of(array);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    const int bits = 8 * a->channel_bytes;
    if (format)
        *format = (channel){bits, a->channels > 1 ? bits : 0, a->channels > 2 ? bits : 0,
                            a->channels > 3 ? bits : 0, (int)a->kind};
    if (extent)
        *extent = (struct cudaExtent){a->width, a->height, a->depth};
    if (flags)
        *flags = a->flags;
    return cudaSuccess;
}

RT_FORWARD(cudaArrayGetInfo, info, channel *, struct cudaExtent *, unsigned *, void *);
RT_CALL(cudaGetChannelDesc(channel *format, void *array),
        format ? info(format, NULL, NULL, array) : cudaErrorInvalidValue);
