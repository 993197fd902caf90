/* SPDX-License-Identifier: MIT */
/* Tensor maps in the text of a launch. */
#include "launch_tensor.h"

#include <string.h>

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " ");
}

const char smp_tensor_form[] =
    "expected tensor(ARRAY, [ROWS][COLUMNS], [BOX ROWS][BOX COLUMNS], swizzle128), "
    "strides as [ROW][1] after the box";

/* Reads "[64][128]" into `out`, last first; returns the number of sizes, 0 if the text is wrong. */
static uint32_t read_sizes(const char **text, uint64_t out[TENSOR_RANKS]) {
    uint64_t read[TENSOR_RANKS];
    uint32_t count = 0;
    const char *at = skip_blanks(*text);
    for (; *at == '['; at = skip_blanks(at + 1)) {
        __int128 size;
        at++;
        if (count == TENSOR_RANKS || smp_launch_integer(&at, false, &size) || *at != ']' ||
            size <= 0 || size > (__int128)1 << 32)
            return 0;
        read[count++] = (uint64_t)size;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = read[count - 1 - i];
    *text = at;
    return count;
}

static bool set_type(const smp_launch_array *of, emu_tensor_map *out) {
    static const tensor_type integers[2][4] = {{TENSOR_U8, TENSOR_U16, TENSOR_S32, TENSOR_S64},
                                               {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_U64}};
    out->element_bytes = of->element_bytes;
    switch (of->kind) {
    case SMP_ELEMENT_HALF:
        out->type = TENSOR_F16;
        return true;
    case SMP_ELEMENT_BF16:
        out->type = TENSOR_BF16;
        return true;
    case SMP_ELEMENT_FLOAT:
        out->type = of->element_bytes == 8 ? TENSOR_F64 : TENSOR_F32;
        return true;
    default:
        out->type = integers[of->is_unsigned][__builtin_ctz(of->element_bytes)];
        return of->element_bytes <= 8;
    }
}

static bool set_swizzle(const char *text, emu_tensor_map *out) {
    static const char *const names[] = {"", "swizzle32", "swizzle64", "swizzle128"};
    text = skip_blanks(text);
    for (uint32_t i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0)
            out->swizzle = i;
    return strcmp(text, names[out->swizzle]) == 0;
}

/* Sets the strides in bytes, from those in elements if `strides` is not NULL. Returns false if the
 * tensor exceeds `room_bytes`. */
static bool set_strides(const uint64_t *strides, uint64_t room_bytes, emu_tensor_map *map) {
    uint64_t bytes = map->element_bytes, last = 0;
    for (uint32_t i = 0; i < map->rank; i++) {
        uint64_t reach;
        if (strides && __builtin_mul_overflow(strides[i], (uint64_t)map->element_bytes, &bytes))
            return false;
        map->stride_bytes[i] = bytes;
        if (__builtin_mul_overflow(bytes, map->size[i] - 1, &reach) ||
            __builtin_add_overflow(last, reach, &last) ||
            __builtin_mul_overflow(bytes, map->size[i], &bytes))
            return false;
    }
    return last < room_bytes && room_bytes - last >= map->element_bytes;
}

const char *smp_launch_tensor(const char *text, const smp_launch_array *of,
                              const smp_emu_array *array, uint64_t offset,
                              uint8_t out[TENSOR_MAP_BYTES]) {
    emu_tensor_map map = {.address = array->address + offset};
    uint64_t box[TENSOR_RANKS], strides[TENSOR_RANKS];
    char rest[32] = "";
    map.rank = read_sizes(&text, map.size);
    if (map.rank == 0 || *text++ != ',' || read_sizes(&text, box) != map.rank)
        return smp_tensor_form;
    if (*text == ',')
        text++;
    const bool has_strides = *skip_blanks(text) == '[';
    if (has_strides && (read_sizes(&text, strides) != map.rank || strides[0] != 1))
        return "a tensor has one stride per dimension, the last of them 1";
    if (has_strides && *text == ',')
        text++;
    const size_t length = strcspn(text, ")");
    if (text[length] != ')' || length >= sizeof rest || *skip_blanks(text + length + 1) != '\0')
        return smp_tensor_form;
    memcpy(rest, text, length);
    while (rest[0] != '\0' && rest[strlen(rest) - 1] == ' ')
        rest[strlen(rest) - 1] = '\0';
    if (!set_swizzle(rest, &map))
        return "a tensor's swizzle is swizzle32, swizzle64, swizzle128, or not named";
    if (!set_type(of, &map))
        return "a tensor cannot have elements of this type";
    for (uint32_t i = 0; i < map.rank; i++) {
        map.box[i] = box[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)box[i];
        map.step[i] = 1;
    }
    if (offset > array->size_bytes ||
        !set_strides(has_strides ? strides : NULL, array->size_bytes - offset, &map))
        return "the tensor is larger than its array";
    return emu_tensor_map_write(&map, out)
               ? NULL
               : "the driver refuses such a tensor map (it and its rows start at multiples of 16 "
                 "bytes; a box has rows of at most the swizzle's bytes, at most 256 along an axis, "
                 "and 227 KiB)";
}
