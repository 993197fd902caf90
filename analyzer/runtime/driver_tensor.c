/* SPDX-License-Identifier: MIT */
/* Tensor maps, encoded as the driver encodes them. */
#include <string.h>

#include "interface.h"
#include "tensor_map.h"

/* Types and arguments are those of cuda.h. */
static cudaError_t encode_tiled(void *out, int type, uint32_t rank, void *address,
                                const uint64_t *size, const uint64_t *stride_bytes,
                                const uint32_t *box, const uint32_t *step, int interleave,
                                int swizzle, int promotion, int fill) {
    static const uint8_t types[] = {
        TENSOR_U8,  TENSOR_U16, TENSOR_U32,  TENSOR_S32,     TENSOR_U64, TENSOR_S64,    TENSOR_F16,
        TENSOR_F32, TENSOR_F64, TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_F32, TENSOR_F32_FTZ};
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    uint8_t made[TENSOR_MAP_BYTES];
    if (!out || (uintptr_t)out % 64 != 0 || type < 0 || type >= (int)sizeof types || rank < 1 ||
        rank > TENSOR_RANKS || !size || !box || !step || (rank > 1 && !stride_bytes) ||
        (unsigned)fill > 1)
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
    return cudaSuccess;
}

DRV_CALL_ALWAYS(cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address,
                                       const uint64_t *size, const uint64_t *stride_bytes,
                                       const uint32_t *box, const uint32_t *step, int interleave,
                                       int swizzle, int promotion, int fill),
                encode_tiled(out, type, rank, address, size, stride_bytes, box, step, interleave,
                             swizzle, promotion, fill));

static cudaError_t replace_address(uint8_t *bytes, void *address) {
    emu_tensor_map map;
    uint8_t made[TENSOR_MAP_BYTES];
    if (!bytes || !emu_tensor_map_read(bytes, &map))
        return cudaErrorInvalidValue;
    map.address = (uintptr_t)address;
    if (!emu_tensor_map_write(&map, made))
        return cudaErrorInvalidValue;
    memcpy(bytes, made, sizeof made);
    return cudaSuccess;
}

DRV_CALL_ALWAYS(cuTensorMapReplaceAddress(void *map, void *address), replace_address(map, address));
