/* SPDX-License-Identifier: MIT */
/*
 * Reads tensor maps.
 */
#include "tensor_map.h"

#include <string.h>

enum { WORDS = TENSOR_MAP_BYTES / 4, FLAGS = 2, STRIDES = 3, STRIDES_HIGH = 7, SIZES = 8 };
enum { STEPS = 13, BOXES = 14, BOX_BYTES = 16, ALIGNMENT = 18 };

/* Bits that no map has set. */
static bool has_others(const uint32_t *words) {
    uint32_t others = (words[FLAGS] & ~0x7fff0u) | (words[STRIDES_HIGH] & ~0xffffu) |
                      (words[STEPS] & 0x00ff8000u) | words[15] | words[BOX_BYTES + 1];
    for (unsigned i = ALIGNMENT + 1; i < WORDS; i++)
        others |= words[i];
    return others != 0;
}

bool emu_tensor_map_read(const uint8_t bytes[TENSOR_MAP_BYTES], emu_tensor_map *out) {
    static const uint8_t element_bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};
    uint32_t words[WORDS];
    memcpy(words, bytes, sizeof words);
    uint32_t flags = words[FLAGS], type = flags >> 7 & 15;
    *out = (emu_tensor_map){.address = words[0] | (uint64_t)words[1] << 32,
                            .type = (tensor_type)type,
                            .rank = (flags >> 4 & 7) + 1,
                            .interleave = flags >> 11 & 3,
                            .swizzle = flags >> 13 & 3,
                            .fills_nan = flags >> 15 & 1,
                            .rounds_to_tf32 = flags >> 16 & 1,
                            .promotion = flags >> 17 & 3};
    if (has_others(words) || type >= TENSOR_TYPES || out->rank > TENSOR_RANKS)
        return false;
    out->element_bytes = element_bytes[type];
    for (uint32_t i = 0; i < TENSOR_RANKS; i++) {
        uint64_t high = i > 0 ? words[STRIDES_HIGH] >> (4 * (i - 1)) & 15 : 0;
        out->stride_bytes[i] =
            i == 0 ? out->element_bytes : (words[STRIDES + i - 1] | high << 32) << 4;
        out->size[i] = (uint64_t)words[SIZES + i] + 1;
        out->step[i] = (words[STEPS] >> (3 * i) & 7) + 1;
        out->box[i] = (i == 0 ? words[STEPS] >> 24 : words[BOXES] >> (8 * (i - 1)) & 255) + 1;
    }
    return true;
}
