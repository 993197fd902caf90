/* SPDX-License-Identifier: MIT */
/* Reads and writes tensor maps. */
#include "tensor_map.h"

#include <string.h>

enum { WORDS = TENSOR_MAP_BYTES / 4, FLAGS = 2, STRIDES = 3, STRIDES_HIGH = 7, SIZES = 8 };
enum { STEPS = 13, BOXES = 14, BOX_BYTES = 16, ALIGNMENT = 18 };
enum { SHORT_FORM = 2, SHORT_WORDS = 16 };
enum { BOX_BYTES_MOST = 227 * 1024, STEP_MOST = 8, BOX_MOST = 256 };

/* A form of half the size, which only code in NVIDIA's libraries writes. */
static void take_short(uint32_t *words) {
    if ((words[FLAGS] & 15) != SHORT_FORM)
        return;
    words[FLAGS] &= ~15u;
    memset(words + SHORT_WORDS, 0, (WORDS - SHORT_WORDS) * sizeof *words);
}

/* True if bits are set that no map has. */
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
    take_short(words);
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

/* The alignment of addresses and strides in bytes. */
static uint64_t unit_of(const emu_tensor_map *map) {
    return map->interleave == INTERLEAVE_32 ? 32 : 16;
}

/* cuda.h, cuTensorMapEncodeTiled: requirements on the parameters. */
static bool is_dimension_fine(const emu_tensor_map *map, uint32_t i) {
    const uint64_t stride = map->stride_bytes[i], unit = unit_of(map);
    return map->size[i] > 0 && map->size[i] <= 1ull << 32 && map->box[i] > 0 &&
           map->box[i] <= BOX_MOST && map->step[i] > 0 && map->step[i] <= STEP_MOST &&
           (i == 0 || (stride % unit == 0 && stride < 1ull << 40));
}

static uint64_t box_bytes(const emu_tensor_map *map) {
    uint64_t bytes = map->element_bytes;
    for (uint32_t i = 0; i < map->rank; i++)
        bytes *= map->box[i] / map->step[i];
    return bytes;
}

static bool is_fine(const emu_tensor_map *map) {
    uint64_t row = (uint64_t)map->box[0] * map->element_bytes;
    bool is_plain = map->interleave == INTERLEAVE_NONE;
    for (uint32_t i = 0; i < map->rank; i++)
        if (!is_dimension_fine(map, i))
            return false;
    return map->address % unit_of(map) == 0 && (is_plain || map->rank >= 3) &&
           (!is_plain || row % 16 == 0) &&
           (!is_plain || map->swizzle == SWIZZLE_NONE || row <= 16u << map->swizzle) &&
           (map->interleave != INTERLEAVE_32 || map->swizzle <= SWIZZLE_32) &&
           (map->type >= TENSOR_F16 || !map->fills_nan) && box_bytes(map) <= BOX_BYTES_MOST;
}

bool emu_tensor_map_write(const emu_tensor_map *map, uint8_t bytes[TENSOR_MAP_BYTES]) {
    static const uint16_t alignments[] = {16, 256, 512, 1024}; /* by swizzle */
    uint32_t words[WORDS] = {0};
    bool is_known = map->rank >= 1 && map->rank <= TENSOR_RANKS && map->type < TENSOR_TYPES &&
                    map->interleave <= INTERLEAVE_32 && map->swizzle <= SWIZZLE_128 &&
                    map->promotion <= 3;
    if (!is_known || !is_fine(map))
        return false;
    words[0] = (uint32_t)map->address;
    words[1] = (uint32_t)(map->address >> 32);
    words[FLAGS] = (map->rank - 1) << 4 | (uint32_t)map->type << 7 | map->interleave << 11 |
                   map->swizzle << 13 | (uint32_t)map->fills_nan << 15 |
                   (uint32_t)map->rounds_to_tf32 << 16 | map->promotion << 17;
    for (uint32_t i = 0; i < map->rank; i++) {
        words[SIZES + i] = (uint32_t)(map->size[i] - 1);
        words[STEPS] |= (map->step[i] - 1) << 3 * i;
        if (i == 0) {
            words[STEPS] |= (map->box[0] - 1) << 24;
            continue;
        }
        words[STRIDES + i - 1] = (uint32_t)(map->stride_bytes[i] >> 4);
        words[STRIDES_HIGH] |= (uint32_t)(map->stride_bytes[i] >> 36) << 4 * (i - 1);
        words[BOXES] |= (map->box[i] - 1) << 8 * (i - 1);
    }
    words[BOX_BYTES] = (uint32_t)box_bytes(map);
    words[ALIGNMENT] = alignments[map->swizzle];
    memcpy(bytes, words, sizeof words);
    return true;
}
