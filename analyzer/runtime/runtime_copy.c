/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills: lines, rows and boxes of linear memory, to and from variables.
 */
#include <string.h>

#include "runtime.h"

/* ---- Doing them ---- */

/* From the first byte to behind the last. */
static size_t span_of(const rt_box *box, const struct cudaExtent *extent) {
    if (extent->width == 0 || extent->height == 0 || extent->depth == 0)
        return 0;
    return (extent->depth - 1) * box->layer + (extent->height - 1) * box->pitch + extent->width;
}

/* The side that a direction says is the device's must be so, and the other must not. */
static bool fits_direction(const void *to, const void *from, int direction) {
    switch (direction) {
    case cudaMemcpyHostToDevice:
        return !rt_is_device(from);
    case cudaMemcpyDeviceToHost:
        return !rt_is_device(to);
    case cudaMemcpyHostToHost:
        return !rt_is_device(to) && !rt_is_device(from);
    default:
        return direction == cudaMemcpyDefault || direction == cudaMemcpyDeviceToDevice;
    }
}

cudaError_t rt_copy_run(const rt_work *work) {
    const rt_box *to = &work->copy.to, *from = &work->copy.from;
    const struct cudaExtent *extent = &work->copy.extent;
    const size_t to_bytes = span_of(to, extent), from_bytes = span_of(from, extent);
    if (to_bytes == 0)
        return cudaSuccess;
    if (!fits_direction(to->at, from->at, work->copy.direction))
        return cudaErrorInvalidValue;
    uint8_t *into = rt_bytes(to->at, to_bytes);
    const uint8_t *out_of = rt_bytes(from->at, from_bytes);
    if (!into || !out_of)
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < extent->depth; z++)
        for (size_t y = 0; y < extent->height; y++)
            memmove(into + z * to->layer + y * to->pitch,
                    out_of + z * from->layer + y * from->pitch, extent->width);
    return cudaSuccess;
}

cudaError_t rt_set_run(const rt_work *work) {
    const rt_box *to = &work->set.to;
    const struct cudaExtent *extent = &work->set.extent;
    const size_t bytes = span_of(to, extent), step = work->set.element_bytes;
    uint8_t *into = bytes == 0 ? NULL : rt_bytes(to->at, bytes);
    if (!into)
        return bytes == 0 ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t z = 0; z < extent->depth; z++)
        for (size_t y = 0; y < extent->height; y++) {
            uint8_t *row = into + z * to->layer + y * to->pitch;
            if (step == 1)
                memset(row, (int)work->set.value, extent->width);
            for (size_t x = 0; step > 1 && x < extent->width; x += step)
                memcpy(row + x, &work->set.value, step);
        }
    return cudaSuccess;
}

/* ---- Making them ---- */

static void make_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                    size_t height, int direction, rt_work *out) {
    memset(out, 0, sizeof *out);
    out->kind = RT_WORK_COPY;
    out->copy.to = (rt_box){to, to_pitch, to_pitch * height};
    out->copy.from = (rt_box){from, from_pitch, from_pitch * height};
    out->copy.extent = (struct cudaExtent){width, height, 1};
    out->copy.direction = direction;
    out->copy.as_given =
        (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)from, from_pitch, width, height},
                                   .dstPtr = {to, to_pitch, width, height},
                                   .extent = {width, height, 1},
                                   .kind = direction};
}

cudaError_t rt_copy_make(void *to, const void *from, size_t bytes, int direction, rt_work *out) {
    make_2d(to, bytes, from, bytes, bytes, 1, direction, out);
    return cudaSuccess;
}

static rt_box box_of(const struct cudaPitchedPtr *pointer, const struct cudaPos *position) {
    const size_t layer = pointer->pitch * pointer->ysize;
    const uint8_t *at = pointer->ptr;
    return (rt_box){at + position->z * layer + position->y * pointer->pitch + position->x,
                    pointer->pitch, layer};
}

static cudaError_t side_of(void *array, const struct cudaPitchedPtr *pointer,
                           const struct cudaPos *position, const struct cudaExtent *extent,
                           rt_box *out) {
    const rt_array *found = rt_array_of(array);
    if (array && !found)
        return cudaErrorInvalidResourceHandle;
    if (found)
        return rt_array_box(array, position->x * found->element_bytes, position->y, position->z,
                            extent, out);
    *out = box_of(pointer, position);
    return cudaSuccess;
}

cudaError_t rt_copy_from_parameters(const struct cudaMemcpy3DParms *parameters, rt_work *out) {
    memset(out, 0, sizeof *out);
    if (!parameters)
        return cudaErrorInvalidValue;
    out->kind = RT_WORK_COPY;
    out->copy.extent = parameters->extent;
    const rt_array *array =
        rt_array_of(parameters->srcArray ? parameters->srcArray : parameters->dstArray);
    if (array) /* then widths are in its elements */
        out->copy.extent.width *= array->element_bytes;
    cudaError_t result = side_of(parameters->dstArray, &parameters->dstPtr, &parameters->dstPos,
                                 &out->copy.extent, &out->copy.to);
    if (result == cudaSuccess)
        result = side_of(parameters->srcArray, &parameters->srcPtr, &parameters->srcPos,
                         &out->copy.extent, &out->copy.from);
    if (result != cudaSuccess)
        return result;
    out->copy.direction = parameters->kind;
    out->copy.as_given = *parameters;
    return cudaSuccess;
}

cudaError_t rt_set_from_parameters(const struct cudaMemsetParams *p, rt_work *out) {
    memset(out, 0, sizeof *out);
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    out->kind = RT_WORK_SET;
    out->set.to = (rt_box){p->dst, p->pitch, p->pitch * p->height};
    out->set.extent = (struct cudaExtent){p->width * p->elementSize, p->height, 1};
    out->set.value = p->value;
    out->set.element_bytes = p->elementSize;
    out->set.as_given = *p;
    return cudaSuccess;
}

/* ---- The interface: copies ---- */

static cudaError_t submit(cudaError_t made, cudaStream_t stream, rt_work *work) {
    return made == cudaSuccess ? rt_work_submit(stream, work) : made;
}

static cudaError_t copy_line(void *to, const void *from, size_t bytes, int direction,
                             cudaStream_t stream) {
    rt_work work;
    if (direction < cudaMemcpyHostToHost || direction > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return submit(rt_copy_make(to, from, bytes, direction, &work), stream, &work);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, int direction, cudaStream_t stream) {
    rt_work work;
    if (direction < cudaMemcpyHostToHost || direction > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    make_2d(to, to_pitch, from, from_pitch, width, height, direction, &work);
    return submit(cudaSuccess, stream, &work);
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream) {
    rt_work work;
    return submit(rt_copy_from_parameters(parameters, &work), stream, &work);
}

static cudaError_t copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                  int direction, cudaStream_t stream) {
    void *to;
    const cudaError_t result = rt_symbol_part(symbol, offset, bytes, &to);
    return result == cudaSuccess ? copy_line(to, from, bytes, direction, stream) : result;
}

static cudaError_t copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                    int direction, cudaStream_t stream) {
    void *from;
    const cudaError_t result = rt_symbol_part(symbol, offset, bytes, &from);
    return result == cudaSuccess ? copy_line(to, from, bytes, direction, stream) : result;
}

RT_BOTH(cudaMemcpy, (void *to, const void *from, size_t bytes, int direction),
        copy_line(to, from, bytes, direction, stream));
RT_BOTH(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t bytes),
        to_device == 0 && from_device == 0
            ? copy_line(to, from, bytes, cudaMemcpyDeviceToDevice, stream)
            : cudaErrorInvalidDevice);
RT_BOTH(cudaMemcpy2D,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, int direction),
        copy_rows(to, to_pitch, from, from_pitch, width, height, direction, stream));
RT_BOTH(cudaMemcpy3D, (const struct cudaMemcpy3DParms *parameters), copy_box(parameters, stream));
RT_BOTH(cudaMemcpyToSymbol,
        (const void *symbol, const void *from, size_t bytes, size_t offset, int direction),
        copy_to_symbol(symbol, from, bytes, offset, direction, stream));
RT_BOTH(cudaMemcpyFromSymbol,
        (void *to, const void *symbol, size_t bytes, size_t offset, int direction),
        copy_from_symbol(to, symbol, bytes, offset, direction, stream));

/* ---- The interface: fills ---- */

static cudaError_t set_rows(void *to, size_t pitch, int value, size_t width, size_t height,
                            cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {to, pitch, (unsigned)value & 0xff, 1, width, height};
    return submit(rt_set_from_parameters(&p, &work), stream, &work);
}

static cudaError_t set_box(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                           cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {to.ptr, to.pitch,     (unsigned)value & 0xff,
                                       1,      extent.width, extent.height};
    const cudaError_t made = rt_set_from_parameters(&p, &work);
    work.set.to.layer = to.pitch * to.ysize;
    work.set.extent.depth = extent.depth;
    return submit(made, stream, &work);
}

RT_BOTH(cudaMemset, (void *to, int value, size_t bytes),
        set_rows(to, bytes, value, bytes, 1, stream));
RT_BOTH(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
        set_rows(to, pitch, value, width, height, stream));
RT_BOTH(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
        set_box(to, value, extent, stream));
