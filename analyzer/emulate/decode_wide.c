/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of integers of 64 bits. Their numbers are taken from the text, which has all of them.
 */
#include "decode.h"

void decode_wide_mov(decoder *d) {
    need(d, SASS_64);
    decode_as_lanes(d, smp_lanes_mov2);
    want(d, "Dw");
}

void decode_wide_sel(decoder *d) {
    need(d, SASS_64);
    decode_as_lanes(d, smp_lanes_wide_sel);
    want(d, "Dwwp");
}

/* UIADD3.64, of three. */
void decode_wide_add3(decoder *d) {
    need(d, SASS_64);
    decode_as_lanes(d, smp_lanes_wide_add);
    want(d, "D-WWW");
}

/* IADD.64 of two; "IADD.64 R12, P5, R12, -R10" has a carry out, "IADD.64.X R28, R12, ~R28, P2" one
 * in. */
static void decode_wide_add(decoder *d) {
    const sass_operand *second = &d->words.operands[1];
    const bool takes_carry = take(d, SASS_X);
    need(d, SASS_64);
    if (takes_carry || (second->kind == OPERAND_PREDICATE && second->index != SASS_TRUE)) {
        decode_as_lanes(d, smp_lanes_wide_carry);
        d->u->imm2 = takes_carry ? 3 : 0;
        want(d, takes_carry ? "DOVVp" : "DOWW");
    } else {
        decode_as_lanes(d, smp_lanes_wide_add);
        want(d, "D-WWZ");
    }
}

void decode_wide_setp(decoder *d) {
    d->u->imm2 = take(d, SASS_U64);
    d->is_unknown |= !d->u->imm2 && !take(d, SASS_S64);
    decode_as_lanes(d, smp_lanes_wide_setp);
    want(d, "oowwp");
}

/* "IMNMX.U64 PT, PT, R8, R10, R2, PT, !PT": the smaller where the first predicate behind holds. */
void decode_wide_extreme(decoder *d) {
    d->u->imm2 = take(d, SASS_U64);
    d->is_unknown |= !d->u->imm2 && !take(d, SASS_S64);
    decode_as_lanes(d, smp_lanes_wide_extreme);
    want(d, "-Dwwpp");
    d->is_unknown |= d->u->q != (PREDICATE_TRUE | PREDICATE_NOT);
}

const opcode_row opcodes_wide[] = {
    {SASS_IADD, .decode = decode_wide_add},
    {.opcode = SASS_NONE},
};
