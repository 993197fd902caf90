/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of integers of 64 bits. Their numbers are taken from the text, which has all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"

/* A pair, or a number; -R sets `bit` of imm. */
static void want_pair(decoder *d, emu_operand *out, uint32_t bit) {
    char *text = d->operands[d->operand_next], *end;
    if (!has_operand(d)) {
        d->is_unknown = true;
        return;
    }
    if (text[0] == '-' && (text[1] == 'R' || text[1] == 'U')) {
        memmove(text, text + 1, strlen(text));
        d->u->imm |= bit;
        d->is_unknown |= bit == 0;
    }
    bool is_negative = text[0] == '-';
    uint64_t number = strtoull(text + is_negative, &end, 0);
    if (end == text + is_negative || *end != '\0') {
        want_bits(d, out, 2);
        return;
    }
    number = is_negative ? 0 - number : number;
    const uint32_t values[2] = {(uint32_t)number, (uint32_t)(number >> 32)};
    int32_t offset = emu_constant(d->program, values, 2);
    d->is_out_of_memory |= offset < 0;
    *out = (emu_operand){.offset = offset | 1, .rows = 2};
    next_operand(d);
}

/* Two predicates that are left where they are: carries, which 64 bits seldom need. */
void want_no_predicates(decoder *d) {
    for (unsigned i = 0; i < 2 && is_predicate(peek_operand(d)); i++) {
        const char *text = next_operand(d);
        d->is_unknown |= strcmp(text, "PT") != 0 && strcmp(text, "UPT") != 0;
    }
}

static void take_64(decoder *d) {
    d->is_unknown |= !take(d, "64");
}

void decode_wide_mov(decoder *d) {
    take_64(d);
    decode_as_lanes(d, smp_lanes_mov2);
    want_destination(d, 2);
    want_pair(d, &d->u->a, 0);
}

void decode_wide_sel(decoder *d) {
    take_64(d);
    decode_as_lanes(d, smp_lanes_wide_sel);
    want_destination(d, 2);
    want_pair(d, &d->u->a, 0);
    want_pair(d, &d->u->b, 0);
    want_predicate(d, &d->u->p);
}

/* IADD.64 of two, UIADD3.64 of three. */
static void decode_add(decoder *d, bool has_third) {
    take_64(d);
    decode_as_lanes(d, smp_lanes_wide_add);
    want_destination(d, 2);
    want_no_predicates(d);
    want_pair(d, &d->u->a, 1);
    want_pair(d, &d->u->b, 2);
    if (has_third)
        want_pair(d, &d->u->c, 4);
    else
        want_zeros(d, &d->u->c, 2);
}

void decode_wide_add3(decoder *d) {
    decode_add(d, true);
}

/* "~R28": every bit the other way. */
static void want_wide_complement(decoder *d, emu_operand *out, uint32_t bit) {
    char *text = d->operands[d->operand_next];
    if (peek_operand(d)[0] == '~') {
        memmove(text, text + 1, strlen(text));
        d->u->imm |= bit;
    }
    want_pair(d, out, 0);
}

/* "IADD.64 R12, P5, R12, -R10" has a carry out, "IADD.64.X R28, R12, ~R28, P2" one in. */
static void decode_carry(decoder *d) {
    take_64(d);
    const bool takes_carry = take(d, "X");
    decode_as_lanes(d, smp_lanes_wide_carry);
    d->u->imm2 = takes_carry ? 3 : 0;
    want_destination(d, 2);
    if (is_predicate(peek_operand(d)))
        want_predicate_out(d, &d->u->p_out);
    if (takes_carry) {
        want_wide_complement(d, &d->u->a, 1);
        want_wide_complement(d, &d->u->b, 2);
        want_predicate(d, &d->u->p);
    } else {
        want_pair(d, &d->u->a, 1);
        want_pair(d, &d->u->b, 2);
    }
}

static void decode_wide_add(decoder *d) {
    const char *second = d->operand_count > 1 ? d->operands[1] : "";
    if (has_modifier(d, "X") || (is_predicate(second) && strcmp(second, "PT") != 0))
        decode_carry(d);
    else
        decode_add(d, false);
}

void decode_wide_setp(decoder *d, uint32_t comparison) {
    bool is_unsigned = take(d, "U64");
    d->is_unknown |= !is_unsigned && !take(d, "S64");
    d->u->imm = comparison;
    d->u->imm2 = is_unsigned;
    decode_as_lanes(d, smp_lanes_wide_setp);
    want_predicate_out(d, &d->u->p_out);
    want_predicate_out(d, &d->u->q_out);
    want_pair(d, &d->u->a, 0);
    want_pair(d, &d->u->b, 0);
    want_predicate(d, &d->u->p);
}

/* "IMNMX.U64 PT, PT, R8, R10, R2, PT, !PT": the smaller where the first predicate behind holds. */
void decode_wide_extreme(decoder *d) {
    bool is_unsigned = take(d, "U64");
    d->is_unknown |= !is_unsigned && !take(d, "S64");
    d->u->imm2 = is_unsigned;
    decode_as_lanes(d, smp_lanes_wide_extreme);
    want_no_predicates(d);
    want_destination(d, 2);
    want_pair(d, &d->u->a, 0);
    want_pair(d, &d->u->b, 0);
    want_predicate(d, &d->u->p);
    want_predicate(d, &d->u->q);
    d->is_unknown |= d->u->q != (PREDICATE_TRUE | PREDICATE_NOT);
}

const opcode_row opcodes_wide[] = {
    {"IADD", decode_wide_add},
    {NULL, NULL},
};
