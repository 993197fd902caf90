/* SPDX-License-Identifier: MIT */
/* The driver's copies and fills, which become the same work as the runtime's. */
#include "interface.h"

/* ---- Lines ---- */

static cudaError_t copy_line(CUdeviceptr to, CUdeviceptr from, size_t bytes, int direction,
                             cudaStream_t stream) {
    rt_work work;
    return rt_submit_made(rt_copy_make(drv_pointer(to), drv_pointer(from), bytes, direction, &work),
                          stream, &work);
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

/* From cuda.h. */
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };

/* clang-format off */
#define SIDE(p, side) \
    {.is_array = p->side##MemoryType == MEMORY_ARRAY, .array = p->side##Array, \
     .memory = p->side##MemoryType == MEMORY_HOST ? p->side##Host : drv_pointer(p->side##Device), \
     .x_bytes = p->side##XInBytes, .y = p->side##Y, .z = p->side##Z, \
     .pitch = p->side##Pitch ? p->side##Pitch : p->side##XInBytes + p->WidthInBytes, \
     .rows = p->side##Height ? p->side##Height : p->Height}
#define PLANE_SIDE(p, side) \
    .side##XInBytes = p->side##XInBytes, .side##Y = p->side##Y, \
    .side##MemoryType = p->side##MemoryType, .side##Host = p->side##Host, \
    .side##Device = p->side##Device, .side##Array = p->side##Array, .side##Pitch = p->side##Pitch
/* clang-format on */

static bool is_memory_type(int type) {
    return type >= MEMORY_HOST && type <= MEMORY_UNIFIED;
}

cudaError_t drv_copy_make(const CUDA_MEMCPY3D *p, rt_work *out) {
    if (!p || p->srcLOD != 0 || p->dstLOD != 0 || !is_memory_type(p->srcMemoryType) ||
        !is_memory_type(p->dstMemoryType))
        return cudaErrorInvalidValue;
    const rt_side from = SIDE(p, src), to = SIDE(p, dst);
    return rt_copy_sides(&to, &from, (struct cudaExtent){p->WidthInBytes, p->Height, p->Depth},
                         cudaMemcpyDefault, out);
}

static cudaError_t copy_box(const CUDA_MEMCPY3D *p, cudaStream_t stream) {
    rt_work work;
    return rt_submit_made(drv_copy_make(p, &work), stream, &work);
}

static cudaError_t copy_rows(const CUDA_MEMCPY2D *p, cudaStream_t stream) {
    if (!p)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D box = {PLANE_SIDE(p, src), PLANE_SIDE(p, dst),
                               .WidthInBytes = p->WidthInBytes, .Height = p->Height, .Depth = 1};
    return copy_box(&box, stream);
}

DRV_BOTH(cuMemcpy2D_v2, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *p), copy_rows(p, stream));
DRV_BOTH(cuMemcpy3D_v2, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *p), copy_box(p, stream));

/* ---- Parts of an array's row ---- */

static cudaError_t copy_part(rt_side to, rt_side from, size_t bytes, cudaStream_t stream) {
    rt_work work;
    return rt_submit_made(
        rt_copy_sides(&to, &from, (struct cudaExtent){bytes, 1, 1}, cudaMemcpyDefault, &work),
        stream, &work);
}

#define IN(handle, x) ((rt_side){.is_array = true, .array = handle, .x_bytes = x})
#define AT(address) ((rt_side){.memory = address})

DRV_BOTH(cuMemcpyHtoA_v2, cuMemcpyHtoAAsync_v2,
         (void *to, size_t x, const void *from, size_t bytes),
         copy_part(IN(to, x), AT(from), bytes, stream));
DRV_BOTH(cuMemcpyAtoH_v2, cuMemcpyAtoHAsync_v2, (void *to, void *from, size_t x, size_t bytes),
         copy_part(AT(to), IN(from, x), bytes, stream));
DRV_CALL(cuMemcpyDtoA_v2(void *to, size_t x, CUdeviceptr from, size_t bytes),
         copy_part(IN(to, x), AT(drv_pointer(from)), bytes, NULL));
DRV_CALL(cuMemcpyAtoD_v2(CUdeviceptr to, void *from, size_t x, size_t bytes),
         copy_part(AT(drv_pointer(to)), IN(from, x), bytes, NULL));
DRV_CALL(cuMemcpyAtoA_v2(void *to, size_t to_x, void *from, size_t x, size_t bytes),
         copy_part(IN(to, to_x), IN(from, x), bytes, NULL));

/* ---- Fills ---- */

static cudaError_t fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes,
                        size_t width, size_t height, cudaStream_t stream) {
    rt_work work;
    const struct cudaMemsetParams p = {drv_pointer(to), pitch, value, element_bytes, width, height};
    return rt_submit_made(rt_set_from_parameters(&p, &work), stream, &work);
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
