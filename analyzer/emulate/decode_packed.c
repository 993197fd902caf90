/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of packed integers and of 8-bit floating point.
 */
#include "decode.h"
#include "packed.h"

static uint32_t take_type(decoder *d) {
    if (take(d, SASS_U16x2))
        return PACKED_HALVES | PACKED_UNSIGNED;
    if (take(d, SASS_S16x2))
        return PACKED_HALVES;
    if (take(d, SASS_U8x4))
        return PACKED_BYTES;
    take(d, SASS_S32);
    return take(d, SASS_U32) ? PACKED_UNSIGNED : 0;
}

/* The form with two more predicates, one a half, is not described anywhere. */
static void decode_extreme(decoder *d, uint32_t flags) {
    d->u->imm = flags | take_type(d);
    d->is_unknown |= d->u->imm & PACKED_BYTES && flags & PACKED_ADDS;
    d->u->imm |= take(d, SASS_RELU) ? PACKED_RELU : 0;
    decode_as_lanes(d, smp_lanes_packed_extreme);
    want(d, flags & (PACKED_ADDS | PACKED_THREE) ? "d-bbbp" : "d-bbp");
}

void decode_packed_extreme(decoder *d) {
    decode_extreme(d, 0);
}

void decode_packed_add_extreme(decoder *d) {
    decode_extreme(d, PACKED_ADDS);
}

static void decode_vimnmx3(decoder *d) {
    decode_extreme(d, PACKED_THREE);
}

/* The sign of an operand is of all of its parts. */
void decode_packed_add(decoder *d) {
    const bool is_saturated = take(d, SASS_ISAT); /* 12.0 has it, of one number */
    d->u->imm2 = is_saturated ? 32 : take(d, SASS_U8x4) ? 8 : 16;
    d->is_unknown |= d->u->imm2 == 16 && !take(d, SASS_16x2);
    d->is_unknown |= is_saturated && !take(d, SASS_S32);
    decode_as_lanes(d, is_saturated ? smp_lanes_saturated_add : smp_lanes_packed_add);
    want(d, "dss");
}

/* "F2FP.F16.E4M3.UNPACK_B R0, R4", "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, RZ",
 * "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R0, R1, RZ". */
void decode_fp8(decoder *d) {
    const bool is_e5m2 = take(d, SASS_E5M2), is_rectified = take(d, SASS_RELU);
    d->is_unknown |= !is_e5m2 && !take(d, SASS_E4M3);
    d->u->imm = is_e5m2;
    if (take(d, SASS_UNPACK_B)) {
        need(d, SASS_F16);
        d->u->imm |= is_rectified ? 2 : 0;
        decode_as_lanes(d, smp_lanes_fp8_unpack);
        want(d, "d");
        d->u->imm2 = take_suffix(peek_operand(d), SASS_H1) ? 16 : 0;
        want(d, "b");
        return;
    }
    const bool is_of_halves = take(d, SASS_UNPACK_B_MERGE_C);
    need(d, SASS_SATFINITE);
    need(d, is_of_halves ? SASS_F16 : SASS_F32);
    d->is_unknown |= !is_of_halves && !take(d, SASS_PACK_AB_MERGE_C);
    d->u->imm2 = is_rectified ? FLOAT_RELU : 0;
    decode_as_lanes(d, is_of_halves ? smp_lanes_fp8_of_halves : smp_lanes_fp8_pack);
    want(d, is_of_halves ? "db0" : "dff0");
}

const opcode_row opcodes_packed[] = {
    {SASS_VIMNMX3, .decode = decode_vimnmx3},
    {.opcode = SASS_NONE},
};
