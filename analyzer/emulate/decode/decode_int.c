/* SPDX-License-Identifier: MIT */
/* Opcodes of integers and predicates. */
#include "decode.h"

static const uint8_t no_predicate = PREDICATE_TRUE | PREDICATE_NOT; /* no carry in */

/* In the order of the bits CMP_...: less, equal, greater, unordered. */
const modifier_row comparisons[] = {
    {SASS_F, .imm = 0},    {SASS_LT, .imm = 1},           {SASS_EQ, .imm = 2},
    {SASS_LE, .imm = 3},   {SASS_GT, .imm = 4},           {SASS_NE, .imm = 5},
    {SASS_GE, .imm = 6},   {SASS_NUM, .imm = 7},          {SASS_NAN, .imm = 8},
    {SASS_LTU, .imm = 9},  {SASS_EQU, .imm = 10},         {SASS_LEU, .imm = 11},
    {SASS_GTU, .imm = 12}, {SASS_NEU, .imm = 13},         {SASS_GEU, .imm = 14},
    {SASS_T, .imm = 15},   {SASS_NONE, .is_needed = true}};

const modifier_row joins[] = {{SASS_AND, .imm = JOIN_AND << 8},
                              {SASS_OR, .imm = JOIN_OR << 8},
                              {SASS_XOR, .imm = JOIN_XOR << 8},
                              {.name = SASS_NONE}};

static void decode_mov(decoder *d) {
    want(d, "db");
    if (has_operand(d)) /* only the byte mask of all four is supported */
        d->is_unknown |= want_number(d) != 15;
}

/* Takes "Rpc.LO" or "Rpc.HI" and returns its row; 0 if neither. */
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

static void decode_iadd3(decoder *d) {
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

/* IADD.64 of two operands; "IADD.64 R12, P5, R12, -R10" has a carry out, "IADD.64.X R28, R12, ~R28,
 * P2" a carry in. */
static void decode_wide_add(decoder *d) {
    const sass_operand *second = &d->words.operands[1];
    const bool takes_carry = take(d, SASS_X);
    if (takes_carry || (second->kind == OPERAND_PREDICATE && second->index != SASS_TRUE)) {
        decode_as_lanes(d, smp_lanes_wide_carry);
        d->u->imm2 = takes_carry ? 3 : 0;
        want(d, takes_carry ? "DOVVp" : "DOWW");
    } else {
        decode_as_lanes(d, smp_lanes_wide_add);
        want(d, "D-WWZ");
    }
}

static void decode_imad_wide(decoder *d) {
    const bool is_unsigned = take(d, SASS_U32), takes_carry = take(d, SASS_X);
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
    const bool is_high = take(d, SASS_HI), takes_carry = take(d, SASS_X);
    take_one(d, others, 0); /* different names, same operation */
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

static const modifier_row tables[] = {NAME(LUT), {SASS_PAND, .imm2 = 1}, NAME(NONE)};

static void decode_lop3(decoder *d) {
    if (next_is(d, OPERAND_PREDICATE))
        decode_as_lanes(d, smp_lanes_lop3_pred);
}

static void decode_plop3(decoder *d) {
    want(d, "oo");
    for (unsigned i = 0; i < 3; i++) /* "R2.SIGN": a register's sign bit as a predicate */
        if (take_suffix(peek_operand(d), SASS_SIGN)) {
            want_bits(d, &d->u->sources[i], 1);
            d->predicates++;
        } else {
            want(d, "p");
        }
    want(d, "#");
    d->u->imm2 = want_number(d) & 0xff;
}

static const modifier_row directions[] = {
    {SASS_R, .imm2 = 1}, {SASS_L, .imm2 = 0}, {SASS_NONE, .is_needed = true}};
static const modifier_row shifts[] = {{SASS_U32, .imm2 = 0},  {SASS_S32, .imm2 = 2},
                                      {SASS_U64, .imm2 = 16}, {SASS_S64, .imm2 = 16 | 2},
                                      {SASS_W, .imm2 = 4},    {SASS_HI, .imm2 = 8},
                                      {.name = SASS_NONE}};

static const modifier_row byte_choices[] = {
    {SASS_F4E, .imm = 1}, {SASS_B4E, .imm = 2},  {SASS_RC8, .imm = 3}, {SASS_ECL, .imm = 4},
    {SASS_ECR, .imm = 5}, {SASS_RC16, .imm = 6}, {.name = SASS_NONE}};

static void decode_lea_hi(decoder *d) {
    const bool takes_carry = take(d, SASS_X), is_signed = take(d, SASS_SX32);
    want(d, takes_carry ? "dOb~" : "dObi");
    d->is_unknown |= d->negated != 0;
    want(d, is_signed ? "" : "b");
    d->u->imm = want_number(d) & 31;
    d->u->imm2 = (is_signed ? 1u : 0) | (takes_carry ? 2u : 0);
    want(d, takes_carry ? "p" : "");
}

static void decode_lea(decoder *d) {
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

static const modifier_row no_signs[] = {{SASS_U32, .imm2 = 1}, NAME(NONE)};

/* Two or four numbers in one register. */
static const modifier_row packed_types[] = {{SASS_U16x2, .imm = PACKED_HALVES | PACKED_UNSIGNED},
                                            {SASS_S16x2, .imm = PACKED_HALVES},
                                            {SASS_U8x4, .imm = PACKED_BYTES},
                                            {SASS_S32, .imm = 0},
                                            {SASS_U32, .imm = PACKED_UNSIGNED},
                                            {SASS_RELU, .imm = PACKED_RELU},
                                            {.name = SASS_NONE}};

/* "IMNMX.U64 PT, PT, R8, R10, R2, PT, !PT": the minimum where the first trailing predicate is true.
 * The packed form with two more predicates, one for each half, is not documented anywhere. */
static void decode_imnmx(decoder *d) {
    const bool is_wide = take(d, SASS_S64);
    if (is_wide || has_modifier(d, SASS_U64)) {
        d->u->imm2 = take(d, SASS_U64);
        decode_as_lanes(d, smp_lanes_wide_extreme);
        want(d, "-Dwwpp");
        d->is_unknown |= d->u->q != no_predicate;
        return;
    }
    take_modifiers(d, packed_types);
    if ((d->u->imm & ~(uint32_t)PACKED_UNSIGNED) != 0) {
        decode_as_lanes(d, smp_lanes_packed_extreme);
        want(d, "d-bbp");
        return;
    }
    d->u->imm2 = d->u->imm & PACKED_UNSIGNED ? 1 : 0;
    d->u->imm = 0;
    want(d, "d-iip");
}

static void decode_iaddmnmx(decoder *d) {
    take_modifiers(d, packed_types);
    if (d->u->imm & (PACKED_HALVES | PACKED_BYTES)) {
        d->is_unknown |= (d->u->imm & PACKED_BYTES) != 0;
        d->u->imm |= PACKED_ADDS;
        decode_as_lanes(d, smp_lanes_packed_extreme);
        want(d, "d-bbbp");
        return;
    }
    d->u->imm2 = d->u->imm & PACKED_UNSIGNED ? 1 : 0;
    d->u->imm = d->u->imm & PACKED_RELU ? 1 : 0;
    want(d, "diiip");
}

static const modifier_row signs[] = {NAME(U32), {SASS_NONE, .imm = 1}};
static const modifier_row sides[] = {{SASS_SH, .imm = 2}, NAME(NONE)};
static const modifier_row wraps[] = {{SASS_W, .imm = 1}, {.name = SASS_C}, {.name = SASS_NONE}};
static const modifier_row extensions[] = {
    {SASS_U32, .imm = 1}, {SASS_W, .imm = 2}, {.name = SASS_C}, {.name = SASS_NONE}};

/* "IDP.4A.U8.S8": a's type comes first. */
static void decode_idp(decoder *d) {
    static const uint16_t types[] = {SASS_U8, SASS_S8, SASS_U16, SASS_S16, SASS_NONE};
    const unsigned last = d->words.modifier_count;
    for (unsigned i = 0; i < 2 && last >= 2; i++) {
        const uint16_t type = d->words.modifiers[last - 2 + i];
        d->u->imm |= type == SASS_S8 || type == SASS_S16 ? 1u << i : 0;
        take_one(d, types, 0);
    }
}

static const modifier_row pairs[] = {{SASS_LO, .imm = 0}, {SASS_HI, .imm = 4}, {.name = SASS_NONE}};

static const modifier_row signed_words[] = {NAME(S32), NAME(NONE)};
static const modifier_row byte_signs[] = {
    {SASS_U8, .imm = 0}, {SASS_S8, .imm = 1}, {SASS_NONE, .is_needed = true}};
static const modifier_row sums[] = {{SASS_ACC, .imm = 2}, {.name = SASS_NONE}};

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

/* "R2P PR, R0.B1, 0x7f": byte 1 of R0. */
static void decode_r2p(decoder *d) {
    want_all_predicates(d);
    for (const modifier_row *row = register_bytes; row->name != SASS_NONE; row++)
        if (take_suffix(peek_operand(d), row->name))
            d->u->imm2 = row->imm2;
}

const opcode_row opcodes_int[] = {
    {SASS_MOV, SASS_64, .fn = smp_lanes_mov2, .operands = "Dw"},
    {SASS_MOV, .fn = smp_lanes_mov, .decode = decode_mov},
    {SASS_RPCMOV, SASS_32, .fn = smp_lanes_mov, .decode = decode_rpcmov},
    {SASS_SEL, SASS_64, .fn = smp_lanes_wide_sel, .operands = "Dwwp"},
    {SASS_SEL, .fn = smp_lanes_sel, .operands = "diip"},
    {SASS_IADD, SASS_64, .decode = decode_wide_add},
    {SASS_IADD, .fn = smp_lanes_iadd3, .operands = "diiz"},
    {SASS_IADD3, SASS_64, .fn = smp_lanes_wide_add, .operands = "D-WWW"},
    {SASS_IADD3, .fn = smp_lanes_iadd3, .decode = decode_iadd3},
    {SASS_VIADD, SASS_16x2, .fn = smp_lanes_packed_add, .imm2 = 16, .operands = "dss"},
    {SASS_VIADD, SASS_U8x4, .fn = smp_lanes_packed_add, .imm2 = 8, .operands = "dss"},
    {SASS_VIADD, SASS_ISAT, .fn = smp_lanes_saturated_add, .imm2 = 32, .needs = {SASS_S32},
     .operands = "dss"}, /* a one-operand form on 12.0 */
    {SASS_VIADD, .fn = smp_lanes_iadd3, .operands = "diiz"},
    {SASS_IMAD, SASS_WIDE, .decode = decode_imad_wide},
    {SASS_IMAD, .decode = decode_imad},
    {SASS_LOP3, .fn = smp_lanes_lop3, .modifiers = {tables}, .decode = decode_lop3,
     .operands = "Odiii#p"},
    {SASS_PLOP3, .fn = smp_lanes_plop3, .modifiers = {tables}, .decode = decode_plop3},
    {SASS_SHF, .fn = smp_lanes_shf, .modifiers = {directions, shifts}, .operands = "dibi"},
    {SASS_PRMT, .fn = smp_lanes_prmt, .modifiers = {byte_choices}, .operands = "dibi"},
    {SASS_LEA, SASS_HI, .fn = smp_lanes_lea_hi, .decode = decode_lea_hi},
    {SASS_LEA, .fn = smp_lanes_lea, .decode = decode_lea},
    {SASS_ISETP, SASS_U64, .fn = smp_lanes_wide_setp, .imm2 = 1, .modifiers = {comparisons, joins},
     .operands = "oowwp"},
    {SASS_ISETP, SASS_S64, .fn = smp_lanes_wide_setp, .modifiers = {comparisons, joins},
     .operands = "oowwp"},
    {SASS_ISETP, SASS_EX, .fn = smp_lanes_isetp, .imm2 = 2,
     .modifiers = {comparisons, joins, no_signs}, .operands = "ooiipp"},
    {SASS_ISETP, .fn = smp_lanes_isetp, .modifiers = {comparisons, joins, no_signs},
     .operands = "ooiip"},
    {SASS_IMNMX, .fn = smp_lanes_imnmx, .decode = decode_imnmx},
    {SASS_VIMNMX, .fn = smp_lanes_imnmx, .decode = decode_imnmx},
    {SASS_VIADDMNMX, .fn = smp_lanes_iaddmnmx, .decode = decode_iaddmnmx},
    {SASS_VIMNMX3, .fn = smp_lanes_packed_extreme, .imm = PACKED_THREE, .modifiers = {packed_types},
     .operands = "d-bbbp"},
    {SASS_IABS, .fn = smp_lanes_iabs, .operands = "di"},
    {SASS_POPC, .fn = smp_lanes_popc, .operands = "di"},
    {SASS_BREV, .fn = smp_lanes_brev, .operands = "di"},
    {SASS_FLO, .fn = smp_lanes_flo, .modifiers = {signs, sides}, .operands = "di"},
    {SASS_BMSK, .fn = smp_lanes_bmsk, .modifiers = {wraps}, .operands = "dbb"},
    {SASS_SGXT, .fn = smp_lanes_sgxt, .modifiers = {extensions}, .operands = "dbb"},
    {SASS_IDP, SASS_2A, .fn = smp_lanes_idp2a, .modifiers = {pairs}, .decode = decode_idp,
     .operands = "dbbi"},
    {SASS_IDP, SASS_4A, .fn = smp_lanes_idp4a, .decode = decode_idp, .operands = "dbbi"},
    {SASS_VABSDIFF, .fn = smp_lanes_vabsdiff, .modifiers = {signs, signed_words},
     .operands = "dbbb"},
    {SASS_VABSDIFF4, .fn = smp_lanes_vabsdiff4, .modifiers = {byte_signs, sums},
     .operands = "dbbb"},
    {SASS_P2R, .fn = smp_lanes_p2r, .modifiers = {register_bytes}, .decode = decode_p2r,
     .operands = "bb"},
    {SASS_R2P, .fn = smp_lanes_r2p, .decode = decode_r2p, .operands = "bb"},
    {SASS_P2UR, .fn = smp_lanes_p2r, .modifiers = {register_bytes}, .decode = decode_p2r,
     .operands = "bb"}, /* prefixed with U */
    {SASS_R2UP, .fn = smp_lanes_r2p, .decode = decode_r2p, .operands = "bb"},
    {.opcode = SASS_NONE},
};
