/* SPDX-License-Identifier: MIT */
/*
 * Types, one row per name. Sizes and alignments of the vector types are those of CUDA's
 * vector_types.h and of the half, bfloat16 and fp8 headers on 64-bit Linux (CUDA C++ Programming
 * Guide, "Built-in Vector Types"): three-component types are aligned like one component, and no
 * type to more than 16 bytes.
 */
#include <string.h>

#include "type.h"

#define NAMED(text) .name = text, .length = sizeof text - 1

/* clang-format off */
#define INTEGER(id, text, bytes, bit_count, sign) \
    const smp_type id = {NAMED(text), .size = bytes, .align = bytes, .integer = {bit_count, sign}}
#define FLOATING(id, text, bytes) \
    const smp_type id = {NAMED(text), .size = bytes, .align = bytes, .is_float = true}
#define VECTOR(text, of, count, bytes, alignment)                              \
    {NAMED(text), .size = (count) * (bytes), .align = alignment, .element = &of, .lanes = count}
/* Vectors of 1 to 4 of a type of `bytes` bytes. */
#define VECTORS(text, of, bytes)                                               \
    VECTOR(text "1", of, 1, bytes, bytes),                                     \
    VECTOR(text "2", of, 2, bytes, (bytes) * 2),                               \
    VECTOR(text "3", of, 3, bytes, bytes),                                     \
    VECTOR(text "4", of, 4, bytes, (bytes) * 4 < 16 ? (bytes) * 4 : 16)

INTEGER(ct_type_bool, "bool", 1, 1, false);
INTEGER(ct_type_char, "char", 1, 8, true);
static INTEGER(type_schar, "signed char", 1, 8, true);
static INTEGER(type_uchar, "unsigned char", 1, 8, false);
static INTEGER(type_short, "short", 2, 16, true);
static INTEGER(type_ushort, "unsigned short", 2, 16, false);
static INTEGER(type_int, "int", 4, 32, true);
static INTEGER(type_uint, "unsigned", 4, 32, false);
static INTEGER(type_long, "long", 8, 64, true);
static INTEGER(type_ulong, "unsigned long", 8, 64, false);
static INTEGER(type_longlong, "long long", 8, 64, true);
static INTEGER(type_ulonglong, "unsigned long long", 8, 64, false);
FLOATING(ct_type_float, "float", 4);
FLOATING(ct_type_double, "double", 8);
const smp_type ct_type_pointer = {NAMED("pointer"), .size = 8, .align = 8};
static FLOATING(type_half, "half", 2);
static FLOATING(type_bfloat16, "__nv_bfloat16", 2);
static FLOATING(type_e4m3, "__nv_fp8_e4m3", 1);
static FLOATING(type_e5m2, "__nv_fp8_e5m2", 1);

static const smp_type vectors[] = {
    VECTORS("char", type_schar, 1), VECTORS("uchar", type_uchar, 1),
    VECTORS("short", type_short, 2), VECTORS("ushort", type_ushort, 2),
    VECTORS("int", type_int, 4), VECTORS("uint", type_uint, 4),
    VECTORS("long", type_long, 8), VECTORS("ulong", type_ulong, 8),
    VECTORS("longlong", type_longlong, 8), VECTORS("ulonglong", type_ulonglong, 8),
    VECTORS("float", ct_type_float, 4), VECTORS("double", ct_type_double, 8),
    VECTOR("half2", type_half, 2, 2, 4), VECTOR("__half2", type_half, 2, 2, 4),
    VECTOR("__nv_bfloat162", type_bfloat16, 2, 2, 4), VECTOR("nv_bfloat162", type_bfloat16, 2, 2, 4),
    VECTOR("__nv_fp8x2_e4m3", type_e4m3, 2, 1, 2), VECTOR("__nv_fp8x4_e4m3", type_e4m3, 4, 1, 4),
    VECTOR("__nv_fp8x2_e5m2", type_e5m2, 2, 1, 2), VECTOR("__nv_fp8x4_e5m2", type_e5m2, 4, 1, 4),
};

typedef struct scalar_row {
    const char *name;
    const smp_type *type;
} scalar_row;

/* On 64-bit Linux. */
static const scalar_row scalars[] = {
    {"bool", &ct_type_bool}, {"uchar", &type_uchar}, {"int8_t", &type_schar},
    {"uint8_t", &type_uchar}, {"ushort", &type_ushort}, {"int16_t", &type_short},
    {"uint16_t", &type_ushort}, {"uint", &type_uint}, {"int32_t", &type_int},
    {"uint32_t", &type_uint}, {"ulong", &type_ulong}, {"int64_t", &type_long},
    {"uint64_t", &type_ulong}, {"size_t", &type_ulong}, {"ptrdiff_t", &type_long},
    {"intptr_t", &type_long}, {"uintptr_t", &type_ulong}, {"clock_t", &type_long},
    {"cudaTextureObject_t", &type_ulonglong}, {"cudaSurfaceObject_t", &type_ulonglong},
    {"float", &ct_type_float},
    {"double", &ct_type_double}, {"half", &type_half}, {"__half", &type_half},
    {"__nv_bfloat16", &type_bfloat16}, {"nv_bfloat16", &type_bfloat16},
    {"__nv_fp8_e4m3", &type_e4m3}, {"__nv_fp8_e5m2", &type_e5m2},
};
/* clang-format on */

uint64_t smp_shape_size(smp_shape shape) {
    uint64_t size = shape.type->size;
    for (uint32_t d = 0; d < shape.dim_count; d++)
        size *= shape.dims[d];
    return size;
}

/* ---- Names ---- */

const smp_type *ct_type_named(ct_word name) {
    const scalar_row *scalar =
        FIND(one, scalars, CT_COUNT(scalars), ct_word_is(ct_word_of(one->name), name));
    return scalar ? scalar->type
                  : FIND(one, vectors, CT_COUNT(vectors), ct_word_is(ct_word_of(one->name), name));
}

const smp_type *ct_type_of_words(const ct_token *words, uint32_t count) {
    unsigned is_unsigned = 0, is_signed = 0, chars = 0, shorts = 0, ints = 0, longs = 0;
    for (const ct_token *word = words; word < words + count; word++) {
        is_unsigned += ct_token_is(word, "unsigned");
        is_signed += ct_token_is(word, "signed");
        chars += ct_token_is(word, "char");
        shorts += ct_token_is(word, "short");
        ints += ct_token_is(word, "int");
        longs += ct_token_is(word, "long");
    }
    if (chars + shorts + (longs > 0) > 1 || ints > 1 || longs > 2 || is_unsigned + is_signed > 1 ||
        chars + ints > 1)
        return NULL;
    if (chars > 0)
        return is_unsigned ? &type_uchar : is_signed ? &type_schar : &ct_type_char;
    static const smp_type *const others[][2] = {{&type_int, &type_uint},
                                                {&type_long, &type_ulong},
                                                {&type_longlong, &type_ulonglong},
                                                {&type_short, &type_ushort}};
    return others[shorts > 0 ? 3 : longs][is_unsigned];
}

/* ---- Types of values ---- */

bool smp_type_is_integer(const smp_type *type) {
    return type && type->integer.bits > 0;
}

const smp_type *ct_type_of_kind(ct_kind kind) {
    static const smp_type *const types[] = {&type_int, &type_uint, &type_longlong, &type_ulonglong};
    return kind == CT_DATA ? NULL : types[kind];
}

const smp_type *ct_type_of_bytes(uint32_t bytes) {
    static const smp_type sixteen = {NAMED("uint4"), .size = 16, .align = 16, .element = &type_uint,
                                     .lanes = 4};
    static const smp_type *const types[] = {&type_uchar, &type_ushort, &type_uint, &type_ulonglong,
                                            &sixteen};
    const smp_type *const *type = FIND(one, types, CT_COUNT(types), (*one)->size == bytes);
    return type ? *type : NULL;
}

static bool is_common(const smp_type *type, const smp_type *with) {
    return with == type || with == &ct_type_float || smp_type_is_integer(with);
}

const smp_type *ct_type_common(const smp_type *a, const smp_type *b) {
    static const smp_type *const types[] = {&ct_type_double, &ct_type_float};
    for (size_t i = 0; i < CT_COUNT(types); i++)
        if ((a == types[i] && is_common(a, b)) || (b == types[i] && is_common(b, a)))
            return types[i];
    return a == b && a && a->is_float ? a : NULL;
}

ct_kind ct_type_kind(const smp_type *type) {
    return smp_type_is_integer(type) ? ct_integer_kind(type->integer) : CT_DATA;
}

bool ct_type_member(const smp_type *type, ct_word name, smp_member *out) {
    static const char components[] = "xyzw";
    const smp_member *member = FIND(one, type->members, type->member_count,
                                    ct_word_is((ct_word){one->name, one->length}, name));
    const char *component = name.length == 1 ? memchr(components, name.text[0], type->lanes) : NULL;
    if (component)
        *out = (smp_member){.shape = {.type = type->element},
                            .offset = (uint32_t)(component - components) * type->element->size};
    if (member)
        *out = *member;
    return member || component;
}

ct_kind ct_integer_kind(smp_integer_type type) {
    return type.bits > 32    ? (type.is_signed ? CT_I64 : CT_U64)
           : type.bits == 32 ? (type.is_signed ? CT_I32 : CT_U32)
                             : CT_I32;
}
