/* SPDX-License-Identifier: MIT */
/*
 * CUDA arrays: texels in lines, planes, boxes, layers or the faces of a cube. Their bytes are where
 * no kernel has an address for them; copies, textures and surfaces reach them.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static rt_array *arrays;

rt_array *rt_array_of(void *handle) {
    return rt_list_has(&arrays, handle) ? handle : NULL;
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

/* ---- Copies of rows ---- */

/* One side of a copy of rows: an array from (x, y) on, or memory with a pitch. */
typedef struct side {
    void *array;
    size_t x, y;
    const void *memory;
    size_t pitch;
} side;

static cudaError_t box_of(const side *s, const struct cudaExtent *extent, rt_box *out) {
    if (s->array)
        return rt_array_box(s->array, s->x, s->y, 0, extent, out);
    if (extent->width > s->pitch)
        return cudaErrorInvalidPitchValue;
    *out = (rt_box){s->memory, s->pitch, s->pitch * extent->height};
    return cudaSuccess;
}

static cudaError_t copy_rows(const side *to, const side *from, size_t width, size_t height,
                             int direction, cudaStream_t stream) {
    rt_work work = {.kind = RT_WORK_COPY};
    work.copy.extent = (struct cudaExtent){width, height, 1};
    work.copy.direction = direction;
    cudaError_t result = box_of(to, &work.copy.extent, &work.copy.to);
    if (result == cudaSuccess)
        result = box_of(from, &work.copy.extent, &work.copy.from);
    return result == cudaSuccess ? rt_work_submit(stream, &work) : result;
}

/* So many bytes one after the other, which is whole rows where it is more than one. */
static cudaError_t copy_bytes(const side *to, const side *from, size_t bytes, int direction,
                              cudaStream_t stream) {
    side sides[] = {*to, *from};
    const rt_array *a = rt_array_of(to->array ? to->array : from->array);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    const size_t x = to->array ? to->x : from->x;
    if (x + bytes > a->pitch && (x != 0 || bytes % a->pitch != 0))
        return rt_refuse("cudaMemcpyToArray", "bytes that are no whole rows");
    const size_t width = x + bytes > a->pitch ? a->pitch : bytes;
    for (unsigned i = 0; i < 2; i++)
        sides[i].pitch = width;
    return copy_rows(&sides[0], &sides[1], width, width > 0 ? bytes / width : 0, direction, stream);
}

#define TO(array, x, y) (&(const side){array, x, y, NULL, 0})
#define AT(memory, pitch) (&(const side){NULL, 0, 0, memory, pitch})

RT_BOTH(cudaMemcpy2DToArray,
        (void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
         int direction),
        copy_rows(TO(to, x, y), AT(from, pitch), width, height, direction, stream));
RT_BOTH(cudaMemcpy2DFromArray,
        (void *to, size_t pitch, void *from, size_t x, size_t y, size_t width, size_t height,
         int direction),
        copy_rows(AT(to, pitch), TO(from, x, y), width, height, direction, stream));
RT_CALL(cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, void *from, size_t x, size_t y,
                                 size_t width, size_t height, int direction),
        copy_rows(TO(to, to_x, to_y), TO(from, x, y), width, height, direction, NULL));
RT_BOTH(cudaMemcpyToArray,
        (void *to, size_t x, size_t y, const void *from, size_t bytes, int direction),
        copy_bytes(TO(to, x, y), AT(from, 0), bytes, direction, stream));
RT_BOTH(cudaMemcpyFromArray,
        (void *to, void *from, size_t x, size_t y, size_t bytes, int direction),
        copy_bytes(AT(to, 0), TO(from, x, y), bytes, direction, stream));
