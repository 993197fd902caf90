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

DRV_EXPORT(cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)) {
    DRV_DO(copy_line(to, from, bytes, cudaMemcpyDefault, NULL));
}

DRV_EXPORT(cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaStream_t stream)) {
    DRV_DO(copy_line(to, from, bytes, cudaMemcpyDefault, stream));
}

DRV_EXPORT(cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)) {
    DRV_DO(copy_line(to, number(from), bytes, cudaMemcpyHostToDevice, NULL));
}

DRV_EXPORT(cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                cudaStream_t stream)) {
    DRV_DO(copy_line(to, number(from), bytes, cudaMemcpyHostToDevice, stream));
}

DRV_EXPORT(cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)) {
    DRV_DO(copy_line(number(to), from, bytes, cudaMemcpyDeviceToHost, NULL));
}

DRV_EXPORT(cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, cudaStream_t stream)) {
    DRV_DO(copy_line(number(to), from, bytes, cudaMemcpyDeviceToHost, stream));
}

DRV_EXPORT(cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)) {
    DRV_DO(copy_line(to, from, bytes, cudaMemcpyDeviceToDevice, NULL));
}

DRV_EXPORT(cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                cudaStream_t stream)) {
    DRV_DO(copy_line(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

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

cudaError_t drv_copy_make(const CUDA_MEMCPY3D *p, rt_work *out) {
    memset(out, 0, sizeof *out);
    if (!p || p->srcLOD != 0 || p->dstLOD != 0)
        return cudaErrorInvalidValue;
    const size_t width = p->WidthInBytes;
    const side from = {p->srcMemoryType,
                       p->srcHost,
                       p->srcDevice,
                       p->srcArray,
                       p->srcXInBytes,
                       p->srcY,
                       p->srcZ,
                       p->srcPitch ? p->srcPitch : p->srcXInBytes + width,
                       p->srcHeight ? p->srcHeight : p->Height};
    const side to = {p->dstMemoryType,
                     p->dstHost,
                     p->dstDevice,
                     p->dstArray,
                     p->dstXInBytes,
                     p->dstY,
                     p->dstZ,
                     p->dstPitch ? p->dstPitch : p->dstXInBytes + width,
                     p->dstHeight ? p->dstHeight : p->Height};
    out->kind = RT_WORK_COPY;
    out->copy.extent = (struct cudaExtent){width, p->Height, p->Depth};
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
    const CUDA_MEMCPY3D box = {.srcXInBytes = p->srcXInBytes,
                               .srcY = p->srcY,
                               .srcMemoryType = p->srcMemoryType,
                               .srcHost = p->srcHost,
                               .srcDevice = p->srcDevice,
                               .srcArray = p->srcArray,
                               .srcPitch = p->srcPitch,
                               .dstXInBytes = p->dstXInBytes,
                               .dstY = p->dstY,
                               .dstMemoryType = p->dstMemoryType,
                               .dstHost = p->dstHost,
                               .dstDevice = p->dstDevice,
                               .dstArray = p->dstArray,
                               .dstPitch = p->dstPitch,
                               .WidthInBytes = p->WidthInBytes,
                               .Height = p->Height,
                               .Depth = 1};
    return copy_box(&box, stream);
}

DRV_EXPORT(cuMemcpy2D_v2(const CUDA_MEMCPY2D *p)) {
    DRV_DO(copy_rows(p, NULL));
}

DRV_EXPORT(cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p)) {
    DRV_DO(copy_rows(p, NULL));
}

DRV_FORWARD(cuMemcpy2DAsync_v2, copy_rows, const CUDA_MEMCPY2D *, cudaStream_t);

DRV_EXPORT(cuMemcpy3D_v2(const CUDA_MEMCPY3D *p)) {
    DRV_DO(copy_box(p, NULL));
}

DRV_FORWARD(cuMemcpy3DAsync_v2, copy_box, const CUDA_MEMCPY3D *, cudaStream_t);

/* ---- Fills ---- */

static cudaError_t fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes,
                        size_t width, size_t height, cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {drv_pointer(to), pitch, value, element_bytes, width, height};
    const cudaError_t made = rt_set_from_parameters(&p, &work);
    return made == cudaSuccess ? rt_work_submit(stream, &work) : made;
}

#define FILL(bits, type)                                                                         \
    DRV_EXPORT(cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)) {                 \
        DRV_DO(fill(to, count * sizeof value, value, sizeof value, count, 1, NULL));             \
    }                                                                                            \
    DRV_EXPORT(                                                                                  \
        cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, cudaStream_t stream)) { \
        DRV_DO(fill(to, count * sizeof value, value, sizeof value, count, 1, stream));           \
    }                                                                                            \
    DRV_EXPORT(cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,    \
                                      size_t height)) {                                          \
        DRV_DO(fill(to, pitch, value, sizeof value, width, height, NULL));                       \
    }                                                                                            \
    DRV_EXPORT(cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width,  \
                                        size_t height, cudaStream_t stream)) {                   \
        DRV_DO(fill(to, pitch, value, sizeof value, width, height, stream));                     \
    }
FILL(8, uint8_t)
FILL(16, uint16_t)
FILL(32, uint32_t)
