/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills: lines, rows and boxes of memory and arrays, to and from variables. The driver's
 * are in driver_copy.c.
 */
#include <string.h>

#include "interface.h"

/* ---- Doing them ---- */

/* Bytes from the first to the last, with the gaps between rows. */
static size_t span_of(const rt_box *box, const struct cudaExtent *extent) {
    if (extent->width == 0 || extent->height == 0 || extent->depth == 0)
        return 0;
    return (extent->depth - 1) * box->layer + (extent->height - 1) * box->pitch + extent->width;
}

/* If the direction says that a side is on the host, it must not be device memory. */
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

/* Whether it is the handle of an array, which has no address. */
static bool is_array(const void *at) {
    return rt_array_of((void *)(uintptr_t)at);
}

static void touch(const rt_box *box, const struct cudaExtent *extent, bool writes) {
    smp_beside_race race;
    if (rt_order_touch(box, extent, writes, &race))
        rt_profile_race(&race, writes);
}

cudaError_t rt_copy_run(const rt_work *work) {
    const rt_box *to = &work->copy.to, *from = &work->copy.from;
    const struct cudaExtent *extent = &work->copy.extent;
    const size_t to_bytes = span_of(to, extent), from_bytes = span_of(from, extent);
    if (to_bytes == 0)
        return cudaSuccess;
    if (!fits_direction(to->at, from->at, work->copy.direction) || is_array(to->at) ||
        is_array(from->at))
        return cudaErrorInvalidValue;
    uint8_t *into = rt_bytes(to->at, to_bytes);
    const uint8_t *out_of = rt_bytes(from->at, from_bytes);
    if (!into || !out_of)
        return cudaErrorInvalidValue;
    touch(from, extent, false);
    touch(to, extent, true);
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
    if (!into || is_array(to->at))
        return bytes == 0 ? cudaSuccess : cudaErrorInvalidValue;
    touch(to, extent, true);
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

static cudaError_t box_of(const rt_side *s, const struct cudaExtent *extent, rt_box *out) {
    const size_t layer = s->pitch * s->rows;
    if (s->is_array)
        return rt_array_box(s->array, s->x_bytes, s->y, s->z, extent, out);
    *out = (rt_box){(const uint8_t *)s->memory + s->z * layer + s->y * s->pitch + s->x_bytes,
                    s->pitch, layer};
    return cudaSuccess;
}

cudaError_t rt_copy_sides(const rt_side *to, const rt_side *from, struct cudaExtent extent,
                          int direction, rt_work *out) {
    *out = (rt_work){.kind = RT_WORK_COPY, .copy = {.extent = extent, .direction = direction}};
    const cudaError_t result = box_of(to, &extent, &out->copy.to);
    return result == cudaSuccess ? box_of(from, &extent, &out->copy.from) : result;
}

/* A position in an array counts elements. */
static rt_side side_of(void *array, const struct cudaPitchedPtr *pointer,
                       const struct cudaPos *position) {
    const rt_array *found = rt_array_of(array);
    return (rt_side){.is_array = array,
                     .array = array,
                     .memory = pointer->ptr,
                     .x_bytes = position->x * (found ? found->element_bytes : 1),
                     .y = position->y,
                     .z = position->z,
                     .pitch = pointer->pitch,
                     .rows = pointer->ysize};
}

cudaError_t rt_copy_from_parameters(const struct cudaMemcpy3DParms *p, rt_work *out) {
    if (!p)
        return cudaErrorInvalidValue;
    struct cudaExtent extent = p->extent;
    const rt_array *array = rt_array_of(p->srcArray ? p->srcArray : p->dstArray);
    if (array) /* then widths count its elements */
        extent.width *= array->element_bytes;
    const rt_side to = side_of(p->dstArray, &p->dstPtr, &p->dstPos);
    const rt_side from = side_of(p->srcArray, &p->srcPtr, &p->srcPos);
    const cudaError_t result = rt_copy_sides(&to, &from, extent, p->kind, out);
    out->copy.as_given = *p;
    return result;
}

static cudaError_t make_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, int direction, rt_work *out) {
    const struct cudaMemcpy3DParms p = {
        .srcPtr = {(void *)(uintptr_t)from, from_pitch, width, height},
        .dstPtr = {to, to_pitch, width, height},
        .extent = {width, height, 1},
        .kind = direction};
    return rt_copy_from_parameters(&p, out);
}

cudaError_t rt_copy_make(void *to, const void *from, size_t bytes, int direction, rt_work *out) {
    return make_rows(to, bytes, from, bytes, bytes, 1, direction, out);
}

cudaError_t rt_copy_symbol(bool is_target, const void *symbol, size_t offset, const void *other,
                           size_t bytes, int direction, rt_work *out) {
    void *at;
    const cudaError_t result = rt_symbol_part(symbol, offset, bytes, &at);
    if (result != cudaSuccess)
        return result;
    return rt_copy_make(is_target ? at : (void *)(uintptr_t)other, is_target ? other : at, bytes,
                        direction, out);
}

cudaError_t rt_set_from_parameters(const struct cudaMemsetParams *p, rt_work *out) {
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    *out = (rt_work){.kind = RT_WORK_SET,
                     .set = {.to = {p->dst, p->pitch, p->pitch * p->height},
                             .extent = {p->width * p->elementSize, p->height, 1},
                             .value = p->value,
                             .element_bytes = p->elementSize,
                             .as_given = *p}};
    return cudaSuccess;
}

/* ---- The interface: copies ---- */

cudaError_t rt_submit_made(cudaError_t made, cudaStream_t stream, rt_work *work) {
    return made == cudaSuccess ? rt_work_submit(stream, work) : made;
}

static cudaError_t copy_line(void *to, const void *from, size_t bytes, int direction,
                             cudaStream_t stream) {
    rt_work work;
    if (direction < cudaMemcpyHostToHost || direction > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return rt_submit_made(rt_copy_make(to, from, bytes, direction, &work), stream, &work);
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, int direction, cudaStream_t stream) {
    rt_work work;
    if (direction < cudaMemcpyHostToHost || direction > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    return rt_submit_made(
        make_rows(to, to_pitch, from, from_pitch, width, height, direction, &work), stream, &work);
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream) {
    rt_work work;
    return rt_submit_made(rt_copy_from_parameters(parameters, &work), stream, &work);
}

static cudaError_t copy_symbol(bool is_target, const void *symbol, size_t offset, const void *other,
                               size_t bytes, int direction, cudaStream_t stream) {
    rt_work work;
    if (direction < cudaMemcpyHostToHost || direction > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return rt_submit_made(rt_copy_symbol(is_target, symbol, offset, other, bytes, direction, &work),
                          stream, &work);
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
        copy_symbol(true, symbol, offset, from, bytes, direction, stream));
RT_BOTH(cudaMemcpyFromSymbol,
        (void *to, const void *symbol, size_t bytes, size_t offset, int direction),
        copy_symbol(false, symbol, offset, to, bytes, direction, stream));

/* ---- The interface: rows of arrays ---- */

static cudaError_t copy_array(rt_side to, rt_side from, size_t width, size_t height, int direction,
                              cudaStream_t stream) {
    rt_work work;
    if ((!to.is_array && width > to.pitch) || (!from.is_array && width > from.pitch))
        return cudaErrorInvalidPitchValue;
    return rt_submit_made(
        rt_copy_sides(&to, &from, (struct cudaExtent){width, height, 1}, direction, &work), stream,
        &work);
}

/* Copies consecutive bytes, which must be whole rows if there is more than one. */
static cudaError_t copy_bytes(rt_side to, rt_side from, size_t bytes, int direction,
                              cudaStream_t stream) {
    const rt_side *side = to.is_array ? &to : &from;
    const rt_array *a = rt_array_of(side->array);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    const size_t x = side->x_bytes;
    const bool is_long = x + bytes > a->pitch;
    if (is_long && (x != 0 || bytes % a->pitch != 0))
        return rt_refuse("cudaMemcpyToArray", "bytes that are not whole rows");
    const size_t width = is_long ? a->pitch : bytes;
    to.pitch = from.pitch = width;
    return copy_array(to, from, width, width > 0 ? bytes / width : 0, direction, stream);
}

#define IN(handle, column, row) \
    ((rt_side){.is_array = true, .array = handle, .x_bytes = column, .y = row})
#define AT(address, row_pitch) ((rt_side){.memory = address, .pitch = row_pitch})

RT_BOTH(cudaMemcpy2DToArray,
        (void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
         int direction),
        copy_array(IN(to, x, y), AT(from, pitch), width, height, direction, stream));
RT_BOTH(cudaMemcpy2DFromArray,
        (void *to, size_t pitch, void *from, size_t x, size_t y, size_t width, size_t height,
         int direction),
        copy_array(AT(to, pitch), IN(from, x, y), width, height, direction, stream));
RT_CALL(cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, void *from, size_t x, size_t y,
                                 size_t width, size_t height, int direction),
        copy_array(IN(to, to_x, to_y), IN(from, x, y), width, height, direction, NULL));
RT_BOTH(cudaMemcpyToArray,
        (void *to, size_t x, size_t y, const void *from, size_t bytes, int direction),
        copy_bytes(IN(to, x, y), AT(from, 0), bytes, direction, stream));
RT_BOTH(cudaMemcpyFromArray,
        (void *to, void *from, size_t x, size_t y, size_t bytes, int direction),
        copy_bytes(AT(to, 0), IN(from, x, y), bytes, direction, stream));

/* ---- The interface: fills ---- */

static cudaError_t set_rows(void *to, size_t pitch, int value, size_t width, size_t height,
                            cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {to, pitch, (unsigned)value & 0xff, 1, width, height};
    return rt_submit_made(rt_set_from_parameters(&p, &work), stream, &work);
}

static cudaError_t set_box(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                           cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {to.ptr, to.pitch,     (unsigned)value & 0xff,
                                       1,      extent.width, extent.height};
    (void)rt_set_from_parameters(&p, &work); /* cannot fail: elements are bytes */
    work.set.to.layer = to.pitch * to.ysize;
    work.set.extent.depth = extent.depth;
    return rt_work_submit(stream, &work);
}

RT_BOTH(cudaMemset, (void *to, int value, size_t bytes),
        set_rows(to, bytes, value, bytes, 1, stream));
RT_BOTH(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
        set_rows(to, pitch, value, width, height, stream));
RT_BOTH(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
        set_box(to, value, extent, stream));
