/* SPDX-License-Identifier: MIT */
/*
 * Reads a tensor map of a launch's text.
 */
#include "launch_tensor.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char emu_launch_tensor_form[] =
    "expected tensor(ARRAY, [ROWS][COLUMNS], [BOX ROWS][BOX COLUMNS], swizzle128)";

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " ");
}

/* "[64][128]", the last first in `out`; how many, 0: no such text. */
static uint32_t read_sizes(const char **text, uint64_t out[TENSOR_RANKS]) {
    uint64_t read[TENSOR_RANKS];
    uint32_t count = 0;
    const char *at = skip_blanks(*text);
    for (; *at == '['; at = skip_blanks(at)) {
        char *end;
        if (count == TENSOR_RANKS || !isdigit((unsigned char)at[1]))
            return 0;
        read[count] = strtoull(at + 1, &end, 0);
        if (*end != ']' || read[count] == 0 || read[count] > 1ull << 32)
            return 0;
        count++;
        at = end + 1;
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

const char *emu_launch_tensor(const char *text, const smp_launch_array *of,
                              const smp_emu_array *array, uint8_t out[TENSOR_MAP_BYTES]) {
    emu_tensor_map map = {.address = array->address};
    uint64_t box[TENSOR_RANKS], bytes = of->element_bytes;
    char rest[32] = "";
    map.rank = read_sizes(&text, map.size);
    if (map.rank == 0 || *text++ != ',' || read_sizes(&text, box) != map.rank)
        return emu_launch_tensor_form;
    if (*text == ',')
        text++;
    const size_t length = strcspn(text, ")");
    if (text[length] != ')' || length >= sizeof rest || *skip_blanks(text + length + 1) != '\0')
        return emu_launch_tensor_form;
    memcpy(rest, text, length);
    while (rest[0] != '\0' && rest[strlen(rest) - 1] == ' ')
        rest[strlen(rest) - 1] = '\0';
    if (!set_swizzle(rest, &map))
        return "a tensor's swizzle is swizzle32, swizzle64, swizzle128, or not named";
    if (!set_type(of, &map))
        return "no tensor has elements of the array's type";
    for (uint32_t i = 0; i < map.rank; i++) {
        map.stride_bytes[i] = bytes;
        map.box[i] = box[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)box[i];
        map.step[i] = 1;
        if (__builtin_mul_overflow(bytes, map.size[i], &bytes) || bytes > array->size_bytes)
            return "the tensor is larger than its array";
    }
    return emu_tensor_map_write(&map, out)
               ? NULL
               : "the driver refuses such a tensor map (rows are multiples of 16 bytes, at most "
                 "the "
                 "swizzle's; a box has at most 256 along an axis, and 227 KiB)";
}
