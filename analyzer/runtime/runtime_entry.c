/* SPDX-License-Identifier: MIT */
/*
 * Functions of the driver that programs ask the runtime for: those that encode tensor maps, which
 * need no GPU. Others are refused by name.
 */
#include <stdio.h>
#include <string.h>

#include "runtime.h"
#include "tensor_map.h"

enum { ENTRY_FOUND = 0, ENTRY_NOT_FOUND = 1 };

RT_EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                              unsigned long long flags, int *found);
RT_EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                       unsigned version, unsigned long long flags,
                                                       int *found);

/* Types and arguments as cuda.h has them for cuTensorMapEncodeTiled; 0 or
 * CUDA_ERROR_INVALID_VALUE. */
static int encode_tiled(void *out, int type, uint32_t rank, void *address, const uint64_t *size,
                        const uint64_t *stride_bytes, const uint32_t *box, const uint32_t *step,
                        int interleave, int swizzle, int promotion, int fill) {
    static const uint8_t types[] = {
        TENSOR_U8,  TENSOR_U16, TENSOR_U32,  TENSOR_S32,     TENSOR_U64, TENSOR_S64,    TENSOR_F16,
        TENSOR_F32, TENSOR_F64, TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_F32, TENSOR_F32_FTZ};
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    uint8_t made[TENSOR_MAP_BYTES];
    if (out == NULL || (uintptr_t)out % 64 != 0 || type < 0 || type >= (int)sizeof types ||
        rank < 1 || rank > TENSOR_RANKS || size == NULL || box == NULL || step == NULL ||
        (rank > 1 && stride_bytes == NULL) || (unsigned)fill > 1)
        return cudaErrorInvalidValue;
    emu_tensor_map map = {.address = (uintptr_t)address,
                          .type = (tensor_type)types[type],
                          .rank = rank,
                          .element_bytes = bytes[type],
                          .interleave = (uint32_t)interleave,
                          .swizzle = (uint32_t)swizzle,
                          .promotion = (uint32_t)promotion,
                          .fills_nan = fill,
                          .rounds_to_tf32 = type >= 11};
    for (uint32_t i = 0; i < rank; i++) {
        map.size[i] = size[i];
        map.stride_bytes[i] = i == 0 ? bytes[type] : stride_bytes[i - 1];
        map.box[i] = box[i];
        map.step[i] = step[i];
    }
    if (!emu_tensor_map_write(&map, made))
        return cudaErrorInvalidValue;
    memcpy(out, made, sizeof made);
    return 0;
}

static cudaError_t entry(const char *asked, const char *name, void **function, int *found) {
    char text[160];
    if (name == NULL || function == NULL)
        return cudaErrorInvalidValue;
    *function = NULL;
    if (found != NULL)
        *found = ENTRY_NOT_FOUND;
    if (strcmp(name, "cuTensorMapEncodeTiled") != 0) {
        snprintf(text, sizeof text, "%s of %.80s", asked, name);
        return rt_refuse(text, "the runtime that stands in for a GPU has no driver below it");
    }
    int (*encode)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                  const uint32_t *, const uint32_t *, int, int, int, int) = encode_tiled;
    memcpy(function, &encode, sizeof encode);
    if (found != NULL)
        *found = ENTRY_FOUND;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    int *found) {
    (void)flags;
    RT_DO(entry("cudaGetDriverEntryPoint", name, function, found));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, int *found) {
    (void)version;
    (void)flags;
    RT_DO(entry("cudaGetDriverEntryPointByVersion", name, function, found));
}
