/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills of the driver: the same pieces of work as the runtime's.
 */
#include <string.h>

#include "driver.h"

/* ---- Lines ---- */

static cudaError_t copy_line(CUdeviceptr to, CUdeviceptr from, size_t bytes, int direction,
                             cudaStream_t stream) {
    rt_work work;
    (void)rt_copy_make(drv_pointer(to), drv_pointer(from), bytes, direction, &work);
    return rt_work_submit(stream, &work);
}

static CUdeviceptr number(const void *pointer) {
    return (uintptr_t)pointer;
}

DRV_BOTH(cuMemcpy, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
         copy_line(to, from, bytes, cudaMemcpyDefault, stream));
DRV_BOTH(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes),
         copy_line(to, number(from), bytes, cudaMemcpyHostToDevice, stream));
DRV_BOTH(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes),
         copy_line(number(to), from, bytes, cudaMemcpyDeviceToHost, stream));
DRV_BOTH(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
         copy_line(to, from, bytes, cudaMemcpyDeviceToDevice, stream));

/* ---- Boxes ---- */

enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };

/* One side of a copy: as cuda.h has it, a place in host, device or unified memory or in an array.
 */
typedef struct side {
    int type;
    const void *host;
    CUdeviceptr device;
    void *array;
    size_t x_bytes, y, z, pitch, height;
} side;

static cudaError_t box_of(const side *from, const struct cudaExtent *extent, rt_box *out) {
    if (from->type == MEMORY_ARRAY)
        return rt_array_box(from->array, from->x_bytes, from->y, from->z, extent, out);
    if (from->type < MEMORY_HOST || from->type > MEMORY_UNIFIED)
        return cudaErrorInvalidValue;
    const uint8_t *base = from->type == MEMORY_HOST ? from->host : drv_pointer(from->device);
    const size_t layer = from->pitch * from->height;
    *out = (rt_box){base + from->z * layer + from->y * from->pitch + from->x_bytes, from->pitch,
                    layer};
    return cudaSuccess;
}

/* clang-format off */
#define SIDE(p, side) \
    {p->side##MemoryType, p->side##Host, p->side##Device, p->side##Array, \
     p->side##XInBytes, p->side##Y, p->side##Z, \
     p->side##Pitch ? p->side##Pitch : p->side##XInBytes + p->WidthInBytes, \
     p->side##Height ? p->side##Height : p->Height}
#define PLANE_SIDE(p, side) \
    .side##XInBytes = p->side##XInBytes, .side##Y = p->side##Y, \
    .side##MemoryType = p->side##MemoryType, .side##Host = p->side##Host, \
    .side##Device = p->side##Device, .side##Array = p->side##Array, .side##Pitch = p->side##Pitch
/* clang-format on */

cudaError_t drv_copy_make(const CUDA_MEMCPY3D *p, rt_work *out) {
    memset(out, 0, sizeof *out);
    if (!p || p->srcLOD != 0 || p->dstLOD != 0)
        return cudaErrorInvalidValue;
    const side from = SIDE(p, src), to = SIDE(p, dst);
    out->kind = RT_WORK_COPY;
    out->copy.extent = (struct cudaExtent){p->WidthInBytes, p->Height, p->Depth};
    out->copy.direction = cudaMemcpyDefault;
    const cudaError_t result = box_of(&from, &out->copy.extent, &out->copy.from);
    return result == cudaSuccess ? box_of(&to, &out->copy.extent, &out->copy.to) : result;
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *p, cudaStream_t stream) {
    rt_work work;
    const cudaError_t made = drv_copy_make(p, &work);
    return made == cudaSuccess ? rt_work_submit(stream, &work) : made;
}

static cudaError_t copy_rows(const CUDA_MEMCPY2D *p, cudaStream_t stream) {
    if (!p)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D box = {PLANE_SIDE(p, src), PLANE_SIDE(p, dst),
                               .WidthInBytes = p->WidthInBytes, .Height = p->Height, .Depth = 1};
    return copy_box(&box, stream);
}

DRV_BOTH(cuMemcpy2D_v2, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *p), copy_rows(p, stream));
DRV_CALL(cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p), copy_rows(p, NULL));
DRV_BOTH(cuMemcpy3D_v2, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *p), copy_box(p, stream));

/* ---- Fills ---- */

static cudaError_t fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes,
                        size_t width, size_t height, cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {drv_pointer(to), pitch, value, element_bytes, width, height};
    const cudaError_t made = rt_set_from_parameters(&p, &work);
    return made == cudaSuccess ? rt_work_submit(stream, &work) : made;
}

#define FILL(bits, type)                                                              \
    DRV_BOTH(cuMemsetD##bits##_v2, cuMemsetD##bits##Async,                            \
             (CUdeviceptr to, type value, size_t count),                              \
             fill(to, count * sizeof value, value, sizeof value, count, 1, stream));  \
    DRV_BOTH(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##Async,                        \
             (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height), \
             fill(to, pitch, value, sizeof value, width, height, stream));
FILL(8, uint8_t)
FILL(16, uint16_t)
FILL(32, uint32_t)
