/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of copies and reductions of many bytes, of tensors' boxes, and of stores that arrive at a
 * barrier. Their forms are those that ptxas makes of each PTX instruction.
 */
#include "decode.h"

/* Addresses that are all of uniform registers. */
static void want_uniform(decoder *d, memory_address *out, unsigned rows) {
    want_address(d, out);
    d->is_unknown |= out->base.rows != 0 || out->uniform.rows == 0 || out->offset_bytes != 0;
    out->uniform.rows = (uint8_t)rows;
}

static void take_operation(decoder *d, uop_memory *m) {
    static const uint16_t operations[] = {SASS_ADD, SASS_MIN, SASS_MAX, SASS_INC, SASS_DEC,
                                          SASS_AND, SASS_OR,  SASS_XOR, SASS_NONE};
    m->reduces = true;
    m->atomic = (uint8_t)need_one(d, operations);
}

/* Sums of floating-point numbers are rounded to the nearest; halves have extremes, too. */
static void take_type(decoder *d, uop_memory *m) {
    static const uint16_t types[] = {SASS_U32, SASS_S32, SASS_U64,  SASS_S64, SASS_F32,
                                     SASS_F64, SASS_F16, SASS_BF16, SASS_64,  SASS_NONE};
    const unsigned which = take_one(d, types, 0);
    m->type = (uint8_t)(which == 8 ? TYPE_U64 : which);
    const bool is_float = m->type >= TYPE_F32, is_half = m->type >= TYPE_F16X2;
    d->is_unknown |= is_float != take(d, SASS_RN);
    d->is_unknown |= is_float && m->atomic != ATOMIC_ADD && !(is_half && m->atomic <= ATOMIC_MAX);
}

/* "UBLKCP.S.G [UR4], [UR6], UR8": to UR4, and the barrier at UR5; from UR6; UR8: 16 bytes each, the
 * blocks of a multicast above. "UBLKRED.G.S.ADD.S32 [UR4], [UR6], UR8": reduces. */
static void decode_bulk(decoder *d) {
    static const uint16_t spaces[] = {SASS_S, SASS_G, SASS_NONE};
    const uint16_t *modifiers = d->words.modifiers;
    const bool reduces = d->words.opcode == SASS_UBLKRED;
    const bool to_shared = modifiers[0] == SASS_S, from_shared = modifiers[1] == SASS_S;
    uop_memory *m = begin_memory(d, MEMORY_BULK_COPY, SPACE_SHARED, 16);
    take_one(d, spaces, 0);
    take_one(d, spaces, 0);
    m->bulk = (uint8_t)(!to_shared    ? BULK_FROM_SHARED
                        : from_shared ? BULK_BETWEEN_BLOCKS
                                      : BULK_TO_SHARED);
    if (reduces) {
        take_operation(d, m);
        take_type(d, m);
    } else {
        m->leaves = take(d, SASS_MULTICAST);
    }
    want_uniform(d, &m->at, 2);
    want_uniform(d, &m->from, 2);
    want(d, "b");
    d->is_unknown |= !from_shared && (reduces || !to_shared);
    d->is_uniform = true;
}

/* "UTMALDG.2D.MULTICAST [UR8], [UR16], UR4, desc[UR6]": the box at UR8, its barrier at UR9,
 * coordinates from UR10 on (from UR9 on where none is); the tensor map at UR16; blocks in UR4; a
 * hint for caches. */
static void decode_tensor(decoder *d) {
    static const uint16_t ranks[] = {SASS_1D, SASS_2D, SASS_3D, SASS_4D, SASS_5D, SASS_NONE};
    const bool is_load = d->words.opcode == SASS_UTMALDG;
    uop_memory *m = begin_memory(d, MEMORY_TENSOR_COPY, SPACE_SHARED, 16);
    m->depth = (uint8_t)(need_one(d, ranks) + 1);
    m->bulk = is_load ? BULK_TO_SHARED : BULK_FROM_SHARED;
    m->leaves = is_load && take(d, SASS_MULTICAST);
    want_uniform(d, &m->at, m->depth + (is_load ? 2u : 1u));
    want_uniform(d, &m->from, 2);
    if (m->leaves)
        want(d, "b");
    if (next_is(d, OPERAND_DESCRIPTOR))
        next_operand(d);
    if (d->words.opcode == SASS_UTMAREDG)
        take_operation(d, m);
    d->is_uniform = true;
}

/* "STAS.128 [R4.64], R8": to R4, in the memory of a block of the cluster; R5: the barrier there.
 * REDAS reduces. */
static void decode_async_store(decoder *d) {
    uop_memory *m = begin_memory(d, MEMORY_ASYNC_STORE, SPACE_SHARED, 4);
    if (d->words.opcode == SASS_REDAS) {
        take_operation(d, m);
        take_type(d, m);
        d->is_unknown |= m->type > TYPE_S64;
        m->width_bytes = m->type >= TYPE_U64 ? 8 : 4;
    } else {
        m->width_bytes = take(d, SASS_128) ? 16 : take(d, SASS_64) ? 8 : 4;
    }
    want(d, "@");
    d->is_unknown |= !m->at.is_wide || m->at.base.rows != 2 || m->at.uniform.rows != 0 ||
                     m->at.offset_bytes != 0;
    want_bits(d, &d->u->a, m->width_bytes / 4);
}

const opcode_row opcodes_bulk[] = {
    {SASS_UBLKCP, .decode = decode_bulk},       {SASS_UBLKRED, .decode = decode_bulk},
    {SASS_UTMALDG, .decode = decode_tensor},    {SASS_UTMASTG, .decode = decode_tensor},
    {SASS_UTMAREDG, .decode = decode_tensor},   {SASS_STAS, .decode = decode_async_store},
    {SASS_REDAS, .decode = decode_async_store}, {.opcode = SASS_NONE},
};
