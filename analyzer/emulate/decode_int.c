/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of integers and predicates.
 */
#include "decode.h"
#include "warp.h"

static const uint8_t no_predicate = PREDICATE_TRUE | PREDICATE_NOT; /* no carry comes in */

const modifier_row joins[] = {{SASS_AND, .imm = JOIN_AND << 8},
                              {SASS_OR, .imm = JOIN_OR << 8},
                              {SASS_XOR, .imm = JOIN_XOR << 8},
                              {.name = SASS_NONE}};

static void decode_mov(decoder *d) {
    if (has_modifier(d, SASS_64)) {
        decode_wide_mov(d);
        return;
    }
    want(d, "db");
    if (has_operand(d)) /* of the byte mask only all four are known */
        d->is_unknown |= want_number(d) != 15;
}

/* Takes "Rpc.LO" or "Rpc.HI", and has its row; 0: neither. */
static int take_return_row(decoder *d) {
    sass_operand *operand = peek_operand(d);
    if (operand->kind != OPERAND_NAME || operand->name != SASS_Rpc)
        return 0;
    next_operand(d);
    return take_suffix(operand, SASS_LO)   ? ROW_RETURN
           : take_suffix(operand, SASS_HI) ? ROW_RETURN + 1
                                           : 0;
}

/* "RPCMOV.32 Rpc.LO, R2", "RPCMOV.32 R2, Rpc.LO". */
static void decode_rpcmov(decoder *d) {
    need(d, SASS_32);
    const int to = take_return_row(d);
    want(d, to == 0 ? "d" : "");
    if (to != 0) {
        d->u->d = to * ROW_BYTES;
        d->u->d_rows = 1;
    }
    const int from = take_return_row(d);
    want(d, from == 0 ? "b" : "");
    if (from != 0)
        d->u->a = (emu_operand){.offset = from * ROW_BYTES, .rows = 1};
}

static void decode_sel(decoder *d) {
    if (has_modifier(d, SASS_64))
        decode_wide_sel(d);
    else
        want(d, "diip");
}

static void decode_iadd3(decoder *d) {
    if (has_modifier(d, SASS_64)) {
        decode_wide_add3(d);
        return;
    }
    const bool uses_carries = take(d, SASS_X);
    want(d, "d");
    const bool has_carries = uses_carries || next_is(d, OPERAND_PREDICATE);
    want(d, has_carries ? "OO~~~" : "iii");
    if (has_carries)
        decode_as_lanes(d, smp_lanes_iadd3_carry);
    d->u->imm = uses_carries ? 0 : d->negated;
    d->u->imm2 = uses_carries;
    d->is_unknown |= uses_carries && d->negated != 0;
    d->u->p = d->u->q = no_predicate;
    want(d, uses_carries ? "PP" : "");
}

static void decode_viadd(decoder *d) {
    if (has_modifier(d, SASS_16x2) || has_modifier(d, SASS_U8x4) || has_modifier(d, SASS_ISAT))
        decode_packed_add(d);
    else
        want(d, "diiz");
}

static void decode_imad_wide(decoder *d, bool is_unsigned) {
    const bool takes_carry = take(d, SASS_X);
    d->u->p = no_predicate;
    want(d, "D");
    d->u->imm = takes_carry || next_is(d, OPERAND_PREDICATE);
    want(d, "ObbM");
    d->is_unknown |= d->u->imm != 0 && (!is_unsigned || d->negated != 0);
    if (d->negated != 0)
        decode_as_lanes(d, is_unsigned ? smp_lanes_imad_wide_less_u : smp_lanes_imad_wide_less_s);
    else
        decode_as_lanes(d, is_unsigned ? smp_lanes_imad_wide_u : smp_lanes_imad_wide_s);
    want(d, takes_carry ? "p" : "");
}

static void decode_imad(decoder *d) {
    static const uint16_t others[] = {SASS_MOV, SASS_SHL, SASS_IADD, SASS_NONE};
    const bool is_unsigned = take(d, SASS_U32);
    if (take(d, SASS_WIDE)) {
        decode_imad_wide(d, is_unsigned);
        return;
    }
    const bool is_high = take(d, SASS_HI), takes_carry = take(d, SASS_X);
    take_one(d, others, 0); /* the same by other names */
    decode_as_lanes(d, !is_high      ? takes_carry ? smp_lanes_imad_x : smp_lanes_imad
                       : is_unsigned ? smp_lanes_imad_hi_u
                                     : smp_lanes_imad_hi_s);
    want(d, "d");
    if (is_high) {
        const bool has_carry = is_unsigned && next_is(d, OPERAND_PREDICATE);
        d->is_unknown |= takes_carry && !is_unsigned;
        d->u->p = no_predicate;
        d->u->imm = takes_carry || has_carry;
        want(d, has_carry ? "obbB" : "bbB");
    } else {
        want(d, "iii");
    }
    want(d, takes_carry ? "p" : "");
}

static void decode_lop3(decoder *d) {
    take(d, SASS_LUT);
    d->u->imm2 = take(d, SASS_PAND);
    if (next_is(d, OPERAND_PREDICATE))
        decode_as_lanes(d, smp_lanes_lop3_pred);
    want(d, "Odiii");
    d->u->imm = want_number(d) & 0xff;
}

static void decode_plop3(decoder *d) {
    emu_operand *const signs[] = {&d->u->a, &d->u->b, &d->u->c};
    take(d, SASS_LUT);
    want(d, "oo");
    for (unsigned i = 0; i < 3; i++) /* "R2.SIGN": the sign bit of a register as a predicate */
        if (take_suffix(peek_operand(d), SASS_SIGN)) {
            want_bits(d, signs[i], 1);
            d->predicates++;
        } else {
            want(d, "p");
        }
    d->u->imm = want_number(d) & 0xff;
    d->u->imm2 = want_number(d) & 0xff;
}

static const modifier_row shifts[] = {
    {SASS_R, .imm2 = 1, .is_needed = true},
    {SASS_L, .is_needed = true},
    {.name = SASS_U32},
    {SASS_S32, .imm2 = 2},
    {SASS_U64, .imm2 = 16},
    {SASS_S64, .imm2 = 16 | 2},
    {SASS_W, .imm2 = 4},
    {SASS_HI, .imm2 = 8},
    {.name = SASS_NONE},
};

static const modifier_row byte_choices[] = {
    {SASS_F4E, .imm = 1}, {SASS_B4E, .imm = 2},  {SASS_RC8, .imm = 3}, {SASS_ECL, .imm = 4},
    {SASS_ECR, .imm = 5}, {SASS_RC16, .imm = 6}, {.name = SASS_NONE}};

static void decode_lea_hi(decoder *d) {
    const bool takes_carry = take(d, SASS_X), is_signed = take(d, SASS_SX32);
    decode_as_lanes(d, smp_lanes_lea_hi);
    want(d, takes_carry ? "dOb~" : "dObi");
    d->is_unknown |= d->negated != 0;
    want(d, is_signed ? "" : "b");
    d->u->imm = want_number(d) & 31;
    d->u->imm2 = (is_signed ? 1u : 0) | (takes_carry ? 2u : 0);
    want(d, takes_carry ? "p" : "");
}

static void decode_lea(decoder *d) {
    if (take(d, SASS_HI)) {
        decode_lea_hi(d);
        return;
    }
    want(d, "d");
    if (next_is(d, OPERAND_PREDICATE)) {
        decode_as_lanes(d, smp_lanes_lea_carry);
        want(d, "oi~");
        const bool is_negated = d->u->a.modifier == MODIFIER_NEGATE;
        d->is_unknown |= d->u->a.modifier == MODIFIER_NOT || (d->negated != 0 && is_negated);
        d->u->a.modifier = MODIFIER_NONE;
        d->u->imm2 = d->negated | (is_negated ? 2 : 0);
    } else {
        want(d, "ii");
    }
    d->u->imm = want_number(d) & 31;
}

static const modifier_row comparisons[] = {
    {SASS_F, .is_needed = true},
    {SASS_LT, .imm = CMP_LT, .is_needed = true},
    {SASS_EQ, .imm = CMP_EQ, .is_needed = true},
    {SASS_LE, .imm = CMP_LT | CMP_EQ, .is_needed = true},
    {SASS_GT, .imm = CMP_GT, .is_needed = true},
    {SASS_NE, .imm = CMP_LT | CMP_GT, .is_needed = true},
    {SASS_GE, .imm = CMP_GT | CMP_EQ, .is_needed = true},
    {SASS_T, .imm = 7, .is_needed = true},
    {.name = SASS_NONE},
};

static void decode_isetp(decoder *d) {
    if (has_modifier(d, SASS_U64) || has_modifier(d, SASS_S64)) {
        decode_wide_setp(d);
        return;
    }
    const bool is_unsigned = take(d, SASS_U32), is_high = take(d, SASS_EX);
    d->u->imm2 = (is_unsigned ? 1u : 0) | (is_high ? 2u : 0);
    want(d, is_high ? "ooiipp" : "ooiip");
}

static bool is_packed(const decoder *d) {
    return has_modifier(d, SASS_S16x2) || has_modifier(d, SASS_U16x2) || has_modifier(d, SASS_U8x4);
}

static void decode_imnmx(decoder *d) {
    if (has_modifier(d, SASS_U64) || has_modifier(d, SASS_S64)) {
        decode_wide_extreme(d);
        return;
    }
    if (is_packed(d) || has_modifier(d, SASS_RELU)) {
        decode_packed_extreme(d);
        return;
    }
    d->u->imm2 = take(d, SASS_U32);
    take(d, SASS_S32);
    want(d, "d-iip");
}

static void decode_iaddmnmx(decoder *d) {
    if (is_packed(d)) {
        decode_packed_add_extreme(d);
        return;
    }
    d->u->imm2 = take(d, SASS_U32);
    d->u->imm = take(d, SASS_RELU);
    want(d, "diiip");
}

static void decode_flo(decoder *d) {
    d->u->imm = (take(d, SASS_U32) ? 0 : 1) | (take(d, SASS_SH) ? 2u : 0);
}

static const modifier_row wraps[] = {{SASS_W, .imm = 1}, {.name = SASS_C}, {.name = SASS_NONE}};
static const modifier_row extensions[] = {
    {SASS_U32, .imm = 1}, {SASS_W, .imm = 2}, {.name = SASS_C}, {.name = SASS_NONE}};

/* "IDP.4A.U8.S8": the first type is a's. */
static void decode_idp(decoder *d) {
    static const uint16_t types[] = {SASS_U8, SASS_S8, SASS_U16, SASS_S16, SASS_NONE};
    const bool is_two = take(d, SASS_2A);
    d->is_unknown |= !is_two && !take(d, SASS_4A);
    const bool is_high = is_two && take(d, SASS_HI);
    if (is_two && !is_high)
        take(d, SASS_LO);
    const unsigned last = d->words.modifier_count;
    for (unsigned i = 0; i < 2 && last >= 2; i++) {
        const uint16_t type = d->words.modifiers[last - 2 + i];
        d->u->imm |= type == SASS_S8 || type == SASS_S16 ? 1u << i : 0;
        take_one(d, types, 0);
    }
    d->u->imm |= is_high ? 4u : 0;
    decode_as_lanes(d, is_two ? smp_lanes_idp2a : smp_lanes_idp4a);
    want(d, "dbbi");
}

static void decode_vabsdiff(decoder *d) {
    d->u->imm = !take(d, SASS_U32);
    take(d, SASS_S32);
}

static const modifier_row byte_differences[] = {{SASS_U8, .is_needed = true},
                                                {SASS_S8, .imm = 1, .is_needed = true},
                                                {SASS_ACC, .imm = 2},
                                                {.name = SASS_NONE}};

static const modifier_row register_bytes[] = {{.name = SASS_B0},
                                              {SASS_B1, .imm2 = 8},
                                              {SASS_B2, .imm2 = 16},
                                              {SASS_B3, .imm2 = 24},
                                              {.name = SASS_NONE}};

static void want_all_predicates(decoder *d) {
    d->u->imm = d->is_uniform ? 8 : 0;
    d->is_unknown |= !is_name(next_operand(d), d->is_uniform ? SASS_UPR : SASS_PR);
}

static void decode_p2r(decoder *d) {
    want(d, "d");
    want_all_predicates(d);
}

/* "R2P PR, R0.B1, 0x7f": of byte 1. */
static void decode_r2p(decoder *d) {
    want_all_predicates(d);
    for (const modifier_row *row = register_bytes; row->name != SASS_NONE; row++)
        if (take_suffix(peek_operand(d), row->name))
            d->u->imm2 = row->imm2;
}

const opcode_row opcodes_int[] = {
    {SASS_MOV, .fn = smp_lanes_mov, .decode = decode_mov},
    {SASS_RPCMOV, .fn = smp_lanes_mov, .decode = decode_rpcmov},
    {SASS_SEL, .fn = smp_lanes_sel, .decode = decode_sel},
    {SASS_IADD3, .fn = smp_lanes_iadd3, .decode = decode_iadd3},
    {SASS_VIADD, .fn = smp_lanes_iadd3, .decode = decode_viadd},
    {SASS_IMAD, .decode = decode_imad},
    {SASS_LOP3, .fn = smp_lanes_lop3, .operands = "p", .decode = decode_lop3},
    {SASS_PLOP3, .fn = smp_lanes_plop3, .decode = decode_plop3},
    {SASS_SHF, .fn = smp_lanes_shf, .operands = "dibi", .modifiers = {shifts}},
    {SASS_PRMT, .fn = smp_lanes_prmt, .operands = "dibi", .modifiers = {byte_choices}},
    {SASS_LEA, .fn = smp_lanes_lea, .decode = decode_lea},
    {SASS_ISETP, .fn = smp_lanes_isetp, .decode = decode_isetp, .modifiers = {comparisons, joins}},
    {SASS_IMNMX, .fn = smp_lanes_imnmx, .decode = decode_imnmx},
    {SASS_VIMNMX, .fn = smp_lanes_imnmx, .decode = decode_imnmx},
    {SASS_VIADDMNMX, .fn = smp_lanes_iaddmnmx, .decode = decode_iaddmnmx},
    {SASS_IABS, .fn = smp_lanes_iabs, .operands = "di"},
    {SASS_POPC, .fn = smp_lanes_popc, .operands = "di"},
    {SASS_BREV, .fn = smp_lanes_brev, .operands = "di"},
    {SASS_FLO, .fn = smp_lanes_flo, .operands = "di", .decode = decode_flo},
    {SASS_BMSK, .fn = smp_lanes_bmsk, .operands = "dbb", .modifiers = {wraps}},
    {SASS_SGXT, .fn = smp_lanes_sgxt, .operands = "dbb", .modifiers = {extensions}},
    {SASS_IDP, .decode = decode_idp},
    {SASS_VABSDIFF, .fn = smp_lanes_vabsdiff, .operands = "dbbb", .decode = decode_vabsdiff},
    {SASS_VABSDIFF4, .fn = smp_lanes_vabsdiff4, .operands = "dbbb",
     .modifiers = {byte_differences}},
    {SASS_P2R, .fn = smp_lanes_p2r, .operands = "bb", .decode = decode_p2r,
     .modifiers = {register_bytes}},
    {SASS_R2P, .fn = smp_lanes_r2p, .operands = "bb", .decode = decode_r2p},
    {SASS_P2UR, .fn = smp_lanes_p2r, .operands = "bb", .decode = decode_p2r,
     .modifiers = {register_bytes}}, /* with U before it */
    {SASS_R2UP, .fn = smp_lanes_r2p, .operands = "bb", .decode = decode_r2p},
    {.opcode = SASS_NONE},
};
