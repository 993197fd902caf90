/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of integers and predicates.
 */
#include <string.h>

#include "decode.h"
#include "warp.h"

static void decode_mov(decoder *d) {
    if (has_modifier(d, "64")) {
        decode_wide_mov(d);
        return;
    }
    decode_as_lanes(d, smp_lanes_mov);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    if (has_operand(d)) /* of the byte mask only all four are known */
        d->is_unknown |= want_number(d) != 15;
}

/* "Rpc.LO" or "Rpc.HI": its row; 0: neither. */
static int return_row(const char *operand) {
    return strcmp(operand, "Rpc.LO") == 0   ? ROW_RETURN
           : strcmp(operand, "Rpc.HI") == 0 ? ROW_RETURN + 1
                                            : 0;
}

/* "RPCMOV.32 Rpc.LO, R2", "RPCMOV.32 R2, Rpc.LO". */
static void decode_rpcmov(decoder *d) {
    decode_as_lanes(d, smp_lanes_mov);
    d->is_unknown |= !take(d, "32");
    const int to = return_row(peek_operand(d));
    if (to != 0) {
        next_operand(d);
        d->u->d = to * ROW_BYTES;
        d->u->d_rows = 1;
    } else {
        want_destination(d, 1);
    }
    const int from = return_row(peek_operand(d));
    if (from == 0) {
        want_bits(d, &d->u->a, 1);
        return;
    }
    next_operand(d);
    d->u->a = (emu_operand){.offset = from * ROW_BYTES, .rows = 1};
}

static void decode_sel(decoder *d) {
    if (has_modifier(d, "64")) {
        decode_wide_sel(d);
        return;
    }
    decode_as_lanes(d, smp_lanes_sel);
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
    want_source(d, &d->u->b, 1);
    want_predicate(d, &d->u->p);
}

static void decode_iadd3(decoder *d) {
    if (has_modifier(d, "64")) {
        decode_wide_add3(d);
        return;
    }
    bool uses_carries = take(d, "X");
    uint32_t negated = 0;
    want_destination(d, 1);
    bool has_carries = uses_carries || is_predicate(peek_operand(d));
    if (is_predicate(peek_operand(d)))
        want_predicate_out(d, &d->u->p_out);
    if (is_predicate(peek_operand(d)))
        want_predicate_out(d, &d->u->q_out);
    emu_operand *const operands[] = {&d->u->a, &d->u->b, &d->u->c};
    for (unsigned i = 0; i < 3; i++) {
        if (has_carries)
            want_complement(d, operands[i], &negated);
        else
            want_source(d, operands[i], 1);
    }
    decode_as_lanes(d, has_carries ? smp_lanes_iadd3_carry : smp_lanes_iadd3);
    d->u->imm = uses_carries ? 0 : negated;
    d->u->imm2 = uses_carries;
    if (uses_carries && negated != 0)
        d->is_unknown = true;
    d->u->p = d->u->q = PREDICATE_TRUE | PREDICATE_NOT;
    if (uses_carries && has_operand(d))
        want_predicate(d, &d->u->p);
    if (uses_carries && has_operand(d))
        want_predicate(d, &d->u->q);
}

static void decode_viadd(decoder *d) {
    if (has_modifier(d, "16x2") || has_modifier(d, "U8x4") || has_modifier(d, "ISAT")) {
        decode_packed_add(d);
        return;
    }
    decode_as_lanes(d, smp_lanes_iadd3);
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
    want_source(d, &d->u->b, 1);
    want_zeros(d, &d->u->c, 1);
}

static void decode_imad_wide(decoder *d, bool is_unsigned) {
    bool uses_carry = take(d, "X");
    want_destination(d, 2);
    d->u->imm = uses_carry;
    d->u->p = PREDICATE_TRUE | PREDICATE_NOT;
    if (is_predicate(peek_operand(d))) {
        d->u->imm = 1;
        want_predicate_out(d, &d->u->p_out);
    }
    decode_as_lanes(d, is_unsigned ? smp_lanes_imad_wide_u : smp_lanes_imad_wide_s);
    uint32_t negated = 0;
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    want_negatable(d, &d->u->c, 2, &negated);
    d->is_unknown |= d->u->imm != 0 && (!is_unsigned || negated != 0);
    if (negated != 0)
        decode_as_lanes(d, is_unsigned ? smp_lanes_imad_wide_less_u : smp_lanes_imad_wide_less_s);
    if (uses_carry)
        want_predicate(d, &d->u->p);
}

static void decode_imad(decoder *d) {
    bool is_unsigned = take(d, "U32");
    if (take(d, "WIDE")) {
        decode_imad_wide(d, is_unsigned);
        return;
    }
    bool is_high = take(d, "HI"), uses_carry = take(d, "X");
    if (!take(d, "MOV") && !take(d, "SHL"))
        take(d, "IADD");
    decode_as_lanes(d, !is_high      ? uses_carry ? smp_lanes_imad_x : smp_lanes_imad
                       : is_unsigned ? smp_lanes_imad_hi_u
                                     : smp_lanes_imad_hi_s);
    d->is_unknown |= is_high && uses_carry && !is_unsigned;
    want_destination(d, 1);
    if (is_high)
        d->u->p = PREDICATE_TRUE | PREDICATE_NOT; /* no carry comes in */
    if (is_high && is_unsigned && is_predicate(peek_operand(d))) {
        d->u->imm = 1;
        want_predicate_out(d, &d->u->p_out);
    }
    if (is_high) {
        want_bits(d, &d->u->a, 1);
        want_bits(d, &d->u->b, 1);
        want_bits(d, &d->u->c, 2);
    } else {
        want_source(d, &d->u->a, 1);
        want_source(d, &d->u->b, 1);
        want_source(d, &d->u->c, 1);
    }
    if (uses_carry)
        want_predicate(d, &d->u->p);
    if (is_high && uses_carry)
        d->u->imm = 1;
}

static void decode_lop3(decoder *d) {
    take(d, "LUT");
    bool joins_by_and = take(d, "PAND"), has_result = is_predicate(peek_operand(d));
    if (has_result)
        want_predicate_out(d, &d->u->p_out);
    decode_as_lanes(d, has_result ? smp_lanes_lop3_pred : smp_lanes_lop3);
    d->u->imm2 = joins_by_and;
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
    want_source(d, &d->u->b, 1);
    want_source(d, &d->u->c, 1);
    d->u->imm = want_number(d) & 0xff;
    want_predicate(d, &d->u->p);
}

/* "R2.SIGN": the sign bit of a register as a predicate. */
static void want_predicate_or_sign(decoder *d, uint8_t *predicate, emu_operand *sign) {
    char *text = d->operands[d->operand_next];
    char *at = has_operand(d) ? strstr(text, ".SIGN") : NULL;
    if (at == NULL) {
        want_predicate(d, predicate);
        return;
    }
    *at = '\0';
    want_bits(d, sign, 1);
}

static void decode_plop3(decoder *d) {
    take(d, "LUT");
    decode_as_lanes(d, smp_lanes_plop3);
    want_predicate_out(d, &d->u->p_out);
    want_predicate_out(d, &d->u->q_out);
    want_predicate_or_sign(d, &d->u->p, &d->u->a);
    want_predicate_or_sign(d, &d->u->q, &d->u->b);
    want_predicate_or_sign(d, &d->u->r, &d->u->c);
    d->u->imm = want_number(d) & 0xff;
    d->u->imm2 = want_number(d) & 0xff;
}

static void decode_shf(decoder *d) {
    static const char *const types[] = {"U32", "S32", "U64", "S64", NULL};
    bool is_right = take(d, "R");
    d->is_unknown |= !is_right && !take(d, "L");
    unsigned type = take_one(d, types, 0);
    d->u->imm2 = (is_right ? 1u : 0) | (type & 1 ? 2u : 0) | (take(d, "W") ? 4u : 0) |
                 (take(d, "HI") ? 8u : 0) | (type >= 2 ? 16u : 0);
    decode_as_lanes(d, smp_lanes_shf);
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    want_source(d, &d->u->c, 1);
}

static void decode_prmt(decoder *d) {
    static const char *const modes[] = {"", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16", NULL};
    d->u->imm = take_one(d, modes, 0);
    decode_as_lanes(d, smp_lanes_prmt);
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    want_source(d, &d->u->c, 1);
}

static void decode_lea_hi(decoder *d) {
    bool uses_carry = take(d, "X"), is_signed = take(d, "SX32");
    want_destination(d, 1);
    if (is_predicate(peek_operand(d)))
        want_predicate_out(d, &d->u->p_out);
    decode_as_lanes(d, smp_lanes_lea_hi);
    want_bits(d, &d->u->a, 1);
    if (uses_carry) {
        uint32_t negated = 0;
        want_complement(d, &d->u->b, &negated);
        d->is_unknown |= negated != 0;
    } else {
        want_source(d, &d->u->b, 1);
    }
    if (!is_signed)
        want_bits(d, &d->u->c, 1);
    d->u->imm = want_number(d) & 31;
    d->u->imm2 = (is_signed ? 1u : 0) | (uses_carry ? 2u : 0);
    if (uses_carry)
        want_predicate(d, &d->u->p);
}

static void decode_lea(decoder *d) {
    if (take(d, "HI")) {
        decode_lea_hi(d);
        return;
    }
    want_destination(d, 1);
    bool has_carry = is_predicate(peek_operand(d));
    uint32_t negated = 0, negated_a = 0;
    if (has_carry) {
        want_predicate_out(d, &d->u->p_out);
        want_source(d, &d->u->a, 1);
        negated_a = d->u->a.modifier == MODIFIER_NEGATE ? 2 : 0;
        d->is_unknown |= d->u->a.modifier == MODIFIER_NOT;
        d->u->a.modifier = MODIFIER_NONE;
        want_complement(d, &d->u->b, &negated);
        d->is_unknown |= negated != 0 && negated_a != 0;
    } else {
        want_source(d, &d->u->a, 1);
        want_source(d, &d->u->b, 1);
    }
    decode_as_lanes(d, has_carry ? smp_lanes_lea_carry : smp_lanes_lea);
    d->u->imm = want_number(d) & 31;
    d->u->imm2 = negated | negated_a;
}

static uint32_t take_join(decoder *d) {
    static const char *const joins[] = {"AND", "OR", "XOR", NULL};
    return take_one(d, joins, 0);
}

static void decode_isetp(decoder *d) {
    static const char *const names[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T", NULL};
    static const uint8_t codes[] = {0,      CMP_LT,          CMP_EQ,          CMP_LT | CMP_EQ,
                                    CMP_GT, CMP_LT | CMP_GT, CMP_GT | CMP_EQ, 7};
    unsigned which = take_one(d, names, 8);
    if (which == 8) {
        d->is_unknown = true;
        which = 0;
    }
    if (has_modifier(d, "U64") || has_modifier(d, "S64")) {
        decode_wide_setp(d, codes[which] | take_join(d) << 8);
        return;
    }
    bool is_unsigned = take(d, "U32"), is_high = take(d, "EX");
    d->u->imm = codes[which] | take_join(d) << 8;
    d->u->imm2 = (is_unsigned ? 1u : 0) | (is_high ? 2u : 0);
    decode_as_lanes(d, smp_lanes_isetp);
    want_predicate_out(d, &d->u->p_out);
    want_predicate_out(d, &d->u->q_out);
    want_source(d, &d->u->a, 1);
    want_source(d, &d->u->b, 1);
    want_predicate(d, &d->u->p);
    if (is_high)
        want_predicate(d, &d->u->q);
}

static bool is_packed(const decoder *d) {
    return has_modifier(d, "S16x2") || has_modifier(d, "U16x2") || has_modifier(d, "U8x4");
}

static void decode_imnmx(decoder *d) {
    if (has_modifier(d, "U64") || has_modifier(d, "S64")) {
        decode_wide_extreme(d);
        return;
    }
    if (is_packed(d) || has_modifier(d, "RELU")) {
        decode_packed_extreme(d);
        return;
    }
    d->u->imm2 = take(d, "U32");
    take(d, "S32");
    decode_as_lanes(d, smp_lanes_imnmx);
    want_destination(d, 1);
    want_no_predicates(d);
    want_source(d, &d->u->a, 1);
    want_source(d, &d->u->b, 1);
    want_predicate(d, &d->u->p);
}

static void decode_iaddmnmx(decoder *d) {
    if (is_packed(d)) {
        decode_packed_add_extreme(d);
        return;
    }
    d->u->imm2 = take(d, "U32");
    d->u->imm = take(d, "RELU");
    decode_as_lanes(d, smp_lanes_iaddmnmx);
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
    want_source(d, &d->u->b, 1);
    want_source(d, &d->u->c, 1);
    want_predicate(d, &d->u->p);
}

static void decode_unary(decoder *d, lane_fn fn) {
    decode_as_lanes(d, fn);
    want_destination(d, 1);
    want_source(d, &d->u->a, 1);
}

static void decode_iabs(decoder *d) {
    decode_unary(d, smp_lanes_iabs);
}

static void decode_popc(decoder *d) {
    decode_unary(d, smp_lanes_popc);
}

static void decode_brev(decoder *d) {
    decode_unary(d, smp_lanes_brev);
}

static void decode_flo(decoder *d) {
    d->u->imm = (take(d, "U32") ? 0 : 1) | (take(d, "SH") ? 2u : 0);
    decode_unary(d, smp_lanes_flo);
}

static void decode_bmsk(decoder *d) {
    d->u->imm = take(d, "W");
    if (d->u->imm == 0)
        take(d, "C");
    decode_as_lanes(d, smp_lanes_bmsk);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
}

static void decode_sgxt(decoder *d) {
    d->u->imm = (take(d, "U32") ? 1u : 0) | (take(d, "W") ? 2u : 0);
    take(d, "C");
    decode_as_lanes(d, smp_lanes_sgxt);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
}

/* "IDP.4A.U8.S8": the first type is a's. */
static void decode_idp(decoder *d) {
    bool is_two = take(d, "2A");
    d->is_unknown |= !is_two && !take(d, "4A");
    bool is_high = is_two && take(d, "HI");
    if (is_two && !is_high)
        take(d, "LO");
    const char *const types[] = {"U8", "S8", "U16", "S16", NULL};
    bool of_a = false, of_b = false;
    unsigned last = d->modifier_count;
    if (last >= 2) {
        const char *a = d->modifiers[last - 2], *b = d->modifiers[last - 1];
        of_a = a[0] == 'S';
        of_b = b[0] == 'S';
        take_one(d, types, 0);
        take_one(d, types, 0);
    }
    d->u->imm = (of_a ? 1u : 0) | (of_b ? 2u : 0) | (is_high ? 4u : 0);
    decode_as_lanes(d, is_two ? smp_lanes_idp2a : smp_lanes_idp4a);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    want_source(d, &d->u->c, 1);
}

static void decode_vabsdiff(decoder *d) {
    d->u->imm = !take(d, "U32");
    if (d->u->imm)
        take(d, "S32");
    decode_as_lanes(d, smp_lanes_vabsdiff);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    want_bits(d, &d->u->c, 1);
}

static void decode_vabsdiff4(decoder *d) {
    d->u->imm = take(d, "U8") ? 0 : 1;
    if (d->u->imm)
        d->is_unknown |= !take(d, "S8");
    if (take(d, "ACC"))
        d->u->imm |= 2;
    decode_as_lanes(d, smp_lanes_vabsdiff4);
    want_destination(d, 1);
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
    want_bits(d, &d->u->c, 1);
}

static const char *const register_bytes[] = {"B0", "B1", "B2", "B3", NULL};

static void decode_p2r(decoder *d) {
    d->u->imm2 = 8 * take_one(d, register_bytes, 0);
    decode_as_lanes(d, smp_lanes_p2r);
    d->u->imm = d->is_uniform ? 8 : 0;
    want_destination(d, 1);
    d->is_unknown |= strcmp(next_operand(d), d->is_uniform ? "UPR" : "PR") != 0;
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
}

/* "R2P PR, R0.B1, 0x7f": of byte 1. */
static void decode_r2p(decoder *d) {
    decode_as_lanes(d, smp_lanes_r2p);
    d->u->imm = d->is_uniform ? 8 : 0;
    d->is_unknown |= strcmp(next_operand(d), d->is_uniform ? "UPR" : "PR") != 0;
    char *byte = has_operand(d) ? strstr(d->operands[d->operand_next], ".B") : NULL;
    if (byte != NULL && byte[2] >= '0' && byte[2] <= '3' && byte[3] == '\0') {
        d->u->imm2 = 8 * (uint32_t)(byte[2] - '0');
        *byte = '\0';
    }
    want_bits(d, &d->u->a, 1);
    want_bits(d, &d->u->b, 1);
}

const opcode_row opcodes_int[] = {
    {"MOV", decode_mov},
    {"RPCMOV", decode_rpcmov},
    {"SEL", decode_sel},
    {"IADD3", decode_iadd3},
    {"VIADD", decode_viadd},
    {"IMAD", decode_imad},
    {"LOP3", decode_lop3},
    {"PLOP3", decode_plop3},
    {"SHF", decode_shf},
    {"PRMT", decode_prmt},
    {"LEA", decode_lea},
    {"ISETP", decode_isetp},
    {"IMNMX", decode_imnmx},
    {"VIMNMX", decode_imnmx},
    {"VIADDMNMX", decode_iaddmnmx},
    {"IABS", decode_iabs},
    {"POPC", decode_popc},
    {"BREV", decode_brev},
    {"FLO", decode_flo},
    {"BMSK", decode_bmsk},
    {"SGXT", decode_sgxt},
    {"IDP", decode_idp},
    {"VABSDIFF", decode_vabsdiff},
    {"VABSDIFF4", decode_vabsdiff4},
    {"P2R", decode_p2r},
    {"R2P", decode_r2p},
    {"P2UR", decode_p2r}, /* with U before it, of uniform registers */
    {"R2UP", decode_r2p},
    {NULL, NULL},
};
