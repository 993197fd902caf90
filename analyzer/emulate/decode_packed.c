/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of packed integers and of 8-bit floating point.
 */
#include <string.h>

#include "decode.h"
#include "packed.h"

static uint32_t take_type(decoder *d) {
    if (take(d, "U16x2"))
        return PACKED_HALVES | PACKED_UNSIGNED;
    if (take(d, "S16x2"))
        return PACKED_HALVES;
    if (take(d, "U8x4"))
        return PACKED_BYTES;
    take(d, "S32");
    return take(d, "U32") ? PACKED_UNSIGNED : 0;
}

/* The form with two more predicates, one a half, is not described anywhere. */
static void decode_extreme(decoder *d, uint32_t flags) {
    d->u->imm = flags | take_type(d);
    d->is_unknown |= d->u->imm & PACKED_BYTES && flags & PACKED_ADDS;
    d->u->imm |= take(d, "RELU") ? PACKED_RELU : 0;
    decode_as_lanes(d, smp_lanes_packed_extreme);
    want_destination(d, 1);
    want_no_predicates(d);
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    if (flags & (PACKED_ADDS | PACKED_THREE))
        want_bits(d, &d->u->c, 1);
    want_predicate(d, &d->u->p);
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
static void want_signed(decoder *d, emu_operand *out, uint32_t negated) {
    if (peek_operand(d)[0] == '-' && peek_operand(d)[1] == 'R') {
        char *text = d->operands[d->operand_next];
        memmove(text, text + 1, strlen(text));
        d->u->imm |= negated;
    }
    want_bits(d, out, 1);
}

void decode_packed_add(decoder *d) {
    const bool is_saturated = take(d, "ISAT"); /* 12.0 has it, of one number */
    d->u->imm2 = is_saturated ? 32 : take(d, "U8x4") ? 8 : 16;
    d->is_unknown |= d->u->imm2 == 16 && !take(d, "16x2");
    d->is_unknown |= is_saturated && !take(d, "S32");
    decode_as_lanes(d, is_saturated ? smp_lanes_saturated_add : smp_lanes_packed_add);
    want_destination(d, 1);
    want_signed(d, &d->u->a, 1);
    want_signed(d, &d->u->b, 2);
}

static void want_no_merge(decoder *d) {
    d->is_unknown |= strcmp(next_operand(d), "RZ") != 0;
}

/* "F2FP.F16.E4M3.UNPACK_B R0, R4", "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, RZ",
 * "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R0, R1, RZ". */
void decode_fp8(decoder *d) {
    bool is_e5m2 = take(d, "E5M2");
    d->is_unknown |= !is_e5m2 && !take(d, "E4M3");
    d->u->imm = is_e5m2;
    if (take(d, "UNPACK_B_MERGE_C")) {
        d->is_unknown |= !take(d, "SATFINITE") || !take(d, "F16");
        d->u->imm2 = take(d, "RELU") ? FLOAT_RELU : 0;
        decode_as_lanes(d, smp_lanes_fp8_of_halves);
        want_destination(d, 1);
        want_bits(d, &d->u->a, 1);
        want_no_merge(d);
        return;
    }
    if (take(d, "UNPACK_B")) {
        d->is_unknown |= !take(d, "F16");
        d->u->imm |= take(d, "RELU") ? 2 : 0;
        decode_as_lanes(d, smp_lanes_fp8_unpack);
        want_destination(d, 1);
        char *part = strstr(peek_operand(d), ".H1");
        if (part != NULL) {
            *part = '\0';
            d->u->imm2 = 16;
        }
        want_bits(d, &d->u->a, 1);
        return;
    }
    d->is_unknown |= !take(d, "PACK_AB_MERGE_C") || !take(d, "SATFINITE") || !take(d, "F32");
    d->u->imm2 = take(d, "RELU") ? FLOAT_RELU : 0;
    decode_as_lanes(d, smp_lanes_fp8_pack);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
    want_no_merge(d);
}

const opcode_row opcodes_packed[] = {
    {"VIMNMX3", decode_vimnmx3},
    {NULL, NULL},
};
