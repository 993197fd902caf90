/* SPDX-License-Identifier: MIT */
/*
 * The 128 bytes of a tensor map (CUtensorMap), which the driver's cuTensorMapEncodeTiled makes and
 * tensor copies read. The layout is unpublished; these fields are what 1,142 maps for CC 9.0,
 * encoded by driver 580.159.04, have in common (tests/data/sass/record_tensor.c):
 *
 *   bytes 0 to 7    address
 *   bytes 8 to 11   bits 4 to 6 rank - 1; 7 to 10 type; 11, 12 interleave; 13, 14 swizzle; 15 fill;
 *                   16 rounds to TF32; 17, 18 promotion in L2
 *   bytes 12 to 31  for each stride from the second dimension: 32 bits of bytes / 16, and 4 bits
 *                   above them in bytes 28 and 29
 *   bytes 32 to 51  size - 1 of each dimension
 *   bytes 52 to 55  3 bits each: step - 1; from bit 24: box - 1 of the first dimension
 *   bytes 56 to 59  box - 1 of the others
 *   bytes 64, 72    derived (bytes of a box, alignment); the rest is zero
 *
 * cuBLASLt writes maps of 64 bytes side by side, with 2 in bits 0 to 3 of byte 8 and the same
 * contents in the same places (13.0: its products are correct).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_RANKS = 5 };

typedef enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F32_FTZ,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_TYPES
} tensor_type;

typedef enum tensor_interleave {
    INTERLEAVE_NONE,
    INTERLEAVE_16,
    INTERLEAVE_32,
} tensor_interleave;

/* Widths of the rows that are swizzled. */
typedef enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128 } tensor_swizzle;

/* The first dimension is innermost; its stride is one element. */
typedef struct emu_tensor_map {
    uint64_t address;
    tensor_type type;
    uint32_t rank, element_bytes;
    uint64_t size[TENSOR_RANKS], stride_bytes[TENSOR_RANKS];
    uint32_t box[TENSOR_RANKS], step[TENSOR_RANKS];
    uint32_t interleave, swizzle; /* tensor_interleave, tensor_swizzle */
    uint32_t promotion;           /* as cuTensorMapEncodeTiled takes it */
    bool fills_nan, rounds_to_tf32;
} emu_tensor_map;

/* False if the map is not supported. */
bool emu_tensor_map_read(const uint8_t bytes[TENSOR_MAP_BYTES], emu_tensor_map *out);
/* Writes the driver's encoding of the map; false, without writing, if the driver would refuse
 * it. */
bool emu_tensor_map_write(const emu_tensor_map *map, uint8_t bytes[TENSOR_MAP_BYTES]);
