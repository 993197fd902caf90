/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of copies and reductions of many bytes, of tensors' boxes, and of stores that arrive at a
 * barrier. Their forms are those that ptxas makes of each PTX instruction.
 */
#include <string.h>

#include "decode.h"
#include "judge.h"

static uop_memory *memory(decoder *d, memory_kind kind, uint8_t width_bytes) {
    d->u->kind = UOP_MEMORY;
    d->u->memory = (int32_t)d->program->memory_count++;
    uop_memory *m = &d->program->memory[d->u->memory];
    *m = (uop_memory){.kind = kind, .space = SPACE_SHARED, .width_bytes = width_bytes};
    m->sites = (uint32_t)d->u->memory * SLOTS;
    return m;
}

/* Addresses that are all of uniform registers. */
static void want_uniform(decoder *d, memory_address *out, uint8_t rows) {
    want_address(d, out);
    d->is_unknown |= out->base.rows != 0 || out->uniform.rows == 0 || out->offset_bytes != 0;
    out->uniform.rows = rows;
}

static void take_operation(decoder *d, uop_memory *m) {
    static const char *const operations[] = {"ADD", "MIN", "MAX", "INC", "DEC",
                                             "AND", "OR",  "XOR", NULL};
    unsigned which = take_one(d, operations, 8);
    d->is_unknown |= which == 8;
    m->reduces = true;
    m->atomic = (uint8_t)which;
}

/* Sums of floating-point numbers are rounded to the nearest; halves have extremes, too. */
static void take_type(decoder *d, uop_memory *m) {
    static const char *const types[] = {"U32", "S32", "U64",  "S64", "F32",
                                        "F64", "F16", "BF16", "64",  NULL};
    unsigned which = take_one(d, types, 0);
    m->type = (uint8_t)(which == 8 ? TYPE_U64 : which);
    bool is_float = m->type >= TYPE_F32, is_half = m->type >= TYPE_F16X2;
    d->is_unknown |= is_float != take(d, "RN");
    d->is_unknown |= is_float && m->atomic != ATOMIC_ADD && !(is_half && m->atomic <= ATOMIC_MAX);
}

/* "UBLKCP.S.G [UR4], [UR6], UR8": to UR4, and the barrier at UR5; from UR6; UR8: 16 bytes each, the
 * blocks of a multicast above. "UBLKRED.G.S.ADD.S32 [UR4], [UR6], UR8": reduces. */
static void decode_bulk(decoder *d, bool reduces) {
    static const char *const spaces[] = {"S", "G", NULL};
    uop_memory *m = memory(d, MEMORY_BULK_COPY, 16);
    bool is_first_shared = d->modifier_count > 0 && strcmp(d->modifiers[0], "S") == 0;
    bool is_second_shared = d->modifier_count > 1 && strcmp(d->modifiers[1], "S") == 0;
    take_one(d, spaces, 0);
    take_one(d, spaces, 0);
    m->bulk = (uint8_t)(!is_first_shared   ? BULK_FROM_SHARED
                        : is_second_shared ? BULK_BETWEEN_BLOCKS
                                           : BULK_TO_SHARED);
    if (reduces) {
        take_operation(d, m);
        take_type(d, m);
        d->is_unknown |= !is_second_shared;
    } else {
        m->leaves = take(d, "MULTICAST");
    }
    want_uniform(d, &m->at, 2);
    want_uniform(d, &m->from, 2);
    want_bits(d, &d->u->a, 1);
    d->is_unknown |= d->modifier_count < 2 || (!is_first_shared && is_second_shared == false);
    d->is_uniform = true;
}

static void decode_ublkcp(decoder *d) {
    decode_bulk(d, false);
}

static void decode_ublkred(decoder *d) {
    decode_bulk(d, true);
}

/* "UTMALDG.2D.MULTICAST [UR8], [UR16], UR4, desc[UR6]": the box at UR8, its barrier at UR9,
 * coordinates from UR10 on (from UR9 on where none is); the tensor map at UR16; blocks in UR4; a
 * hint for caches. */
static void decode_tensor(decoder *d, bulk_copy bulk) {
    static const char *const ranks[] = {"1D", "2D", "3D", "4D", "5D", NULL};
    uop_memory *m = memory(d, MEMORY_TENSOR_COPY, 16);
    unsigned rank = take_one(d, ranks, 5);
    d->is_unknown |= rank == 5;
    m->depth = (uint8_t)(rank + 1);
    m->bulk = (uint8_t)bulk;
    m->leaves = bulk == BULK_TO_SHARED && take(d, "MULTICAST");
    want_uniform(d, &m->at, (uint8_t)(m->depth + (bulk == BULK_TO_SHARED ? 2 : 1)));
    want_uniform(d, &m->from, 2);
    if (m->leaves)
        want_bits(d, &d->u->a, 1);
    if (strncmp(peek_operand(d), "desc[", 5) == 0)
        next_operand(d);
    d->is_uniform = true;
}

static void decode_utmaldg(decoder *d) {
    decode_tensor(d, BULK_TO_SHARED);
}

static void decode_utmastg(decoder *d) {
    decode_tensor(d, BULK_FROM_SHARED);
}

static void decode_utmaredg(decoder *d) {
    decode_tensor(d, BULK_FROM_SHARED);
    take_operation(d, &d->program->memory[d->u->memory]);
}

/* "STAS.128 [R4.64], R8": to R4, in the memory of a block of the cluster; R5: the barrier there. */
static void decode_async_store(decoder *d, bool reduces) {
    uop_memory *m = memory(d, MEMORY_ASYNC_STORE, 4);
    if (reduces) {
        take_operation(d, m);
        take_type(d, m);
        d->is_unknown |= m->type > TYPE_S64;
        m->width_bytes = m->type >= TYPE_U64 ? 8 : 4;
    } else {
        m->width_bytes = take(d, "128") ? 16 : take(d, "64") ? 8 : 4;
    }
    want_address(d, &m->at);
    d->is_unknown |= !m->at.is_wide || m->at.base.rows != 2 || m->at.uniform.rows != 0 ||
                     m->at.offset_bytes != 0;
    want_bits(d, &d->u->a, m->width_bytes / 4);
}

static void decode_stas(decoder *d) {
    decode_async_store(d, false);
}

static void decode_redas(decoder *d) {
    decode_async_store(d, true);
}

const opcode_row opcodes_bulk[] = {
    {"UBLKCP", decode_ublkcp},     {"UBLKRED", decode_ublkred},
    {"UTMALDG", decode_utmaldg},   {"UTMASTG", decode_utmastg},
    {"UTMAREDG", decode_utmaredg}, {"STAS", decode_stas},
    {"REDAS", decode_redas},       {NULL, NULL},
};
