/* SPDX-License-Identifier: MIT */
/* Opcodes of floating-point operations and conversions. */
#include "decode.h"

static const modifier_row roundings[] = {
    {SASS_RN, .imm = ROUND_NEAREST},
    {SASS_RM, .imm = ROUND_DOWN},
    {SASS_RP, .imm = ROUND_UP},
    {SASS_RZ, .imm = ROUND_ZERO},
    {SASS_FTZ, .imm = FLOAT_FTZ},
    {SASS_SAT, .imm = FLOAT_SATURATE},
    {.name = SASS_NONE},
};

/* Powers of two that a product is multiplied by (M) or divided by (D) before it is rounded. */
static const modifier_row scales[] = {{SASS_M2, .imm = SCALE(1)},  {SASS_M4, .imm = SCALE(2)},
                                      {SASS_M8, .imm = SCALE(3)},  {SASS_D2, .imm = SCALE(-1)},
                                      {SASS_D4, .imm = SCALE(-2)}, {SASS_D8, .imm = SCALE(-3)},
                                      {.name = SASS_NONE}};

static const modifier_row pair_flags[] = {{SASS_FTZ, .imm = FLOAT_FTZ}, {.name = SASS_NONE}};

static const modifier_row bf16[] = {{SASS_BF16, .imm = HALF_IS_BF16}, {.name = SASS_NONE}};

static const modifier_row extremes[] = {
    {SASS_FTZ, .imm = FLOAT_FTZ}, {SASS_NAN, .imm = FLOAT_NAN}, {.name = SASS_NONE}};

static const modifier_row flushes[] = {{SASS_FTZ, .imm2 = FLOAT_FTZ}, {.name = SASS_NONE}};

static const modifier_row bits_or_one[] = {
    {SASS_BF, .imm2 = 1u << 31}, {SASS_FTZ, .imm2 = FLOAT_FTZ}, {.name = SASS_NONE}};

static const modifier_row functions[] = {
    {SASS_RCP, .imm = 0},  {SASS_RSQ, .imm = 1},  {SASS_LG2, .imm = 2},
    {SASS_EX2, .imm = 3},  {SASS_SIN, .imm = 4},  {SASS_COS, .imm = 5},
    {SASS_SQRT, .imm = 6}, {SASS_TANH, .imm = 7}, {SASS_NONE, .is_needed = true}};

/* ---- Halves ---- */

static const modifier_row half_flags[] = {
    {SASS_BF16_V2, .imm = HALF_IS_BF16}, {SASS_BF16, .imm = HALF_IS_BF16},
    {SASS_FTZ, .imm = FLOAT_FTZ},        {SASS_SAT, .imm = FLOAT_SATURATE},
    {SASS_RELU, .imm = FLOAT_RELU},      {.name = SASS_NONE}};

static const modifier_row half_extremes[] = {{SASS_BF16_V2, .imm = HALF_IS_BF16},
                                             {SASS_BF16, .imm = HALF_IS_BF16},
                                             {SASS_SAT, .imm = FLOAT_SATURATE},
                                             {SASS_NAN, .imm = FLOAT_NAN},
                                             {.name = SASS_NONE}};

static const modifier_row half_sets[] = {
    {SASS_BF16_V2, .imm2 = HALF_IS_BF16},
    {SASS_BF16, .imm2 = HALF_IS_BF16},
    {SASS_FTZ, .imm2 = FLOAT_FTZ},
    {SASS_SAT, .imm2 = FLOAT_SATURATE},
    {SASS_RELU, .imm2 = FLOAT_RELU},
    {SASS_H_AND, .imm2 = 1u << 16}, /* one predicate for both halves */
    {SASS_BF, .imm2 = 1u << 31},    /* 1.0 instead of all ones */
    {.name = SASS_NONE}};

/* Another pipe with the same result. */
static const modifier_row pipes[] = {{.name = SASS_MMA}, {.name = SASS_NONE}};

/* ---- Conversions ---- */

static const uint16_t integer_types[] = {SASS_U8,  SASS_S8,  SASS_U16, SASS_S16, SASS_U32,
                                         SASS_S32, SASS_U64, SASS_S64, SASS_NONE};
static const uint16_t float_types[] = {SASS_F16, SASS_BF16, SASS_F32, SASS_F64, SASS_NONE};

static unsigned rows_of(unsigned type) {
    return type == CONVERT_U64 || type == CONVERT_S64 || type == CONVERT_F64 ? 2 : 1;
}

#define ROUND(way) .imm2 = ROUND_##way
static const modifier_row conversions[] = {
    {SASS_RN, ROUND(NEAREST)}, {SASS_RM, ROUND(DOWN)},        {SASS_RP, ROUND(UP)},
    {SASS_RZ, ROUND(ZERO)},    {SASS_FLOOR, ROUND(DOWN)},     {SASS_CEIL, ROUND(UP)},
    {SASS_TRUNC, ROUND(ZERO)}, {SASS_FTZ, .imm2 = FLOAT_FTZ}, {.name = SASS_NONE}};

/* "R1.B2": the part of the register; 0 for all of it. */
static unsigned take_part(decoder *d, unsigned type) {
    static const uint16_t bytes[] = {SASS_B0, SASS_B1, SASS_B2, SASS_B3};
    static const uint16_t halves[] = {SASS_H0, SASS_H1};
    for (unsigned i = 0; i < 4 && type <= CONVERT_S8; i++)
        if (take_suffix(peek_operand(d), bytes[i]))
            return 8 * i;
    for (unsigned i = 0; i < 2 && (type == CONVERT_U16 || type == CONVERT_S16); i++)
        if (take_suffix(peek_operand(d), halves[i]))
            return 16 * i;
    return 0;
}

/* imm: from | to << 8. */
static void set_types(decoder *d, unsigned from, unsigned to) {
    d->u->imm = from | to << 8;
    want_destination(d, rows_of(to));
}

static void decode_i2f(decoder *d) {
    const unsigned to = take_one(d, float_types, 2) + CONVERT_F16;
    const unsigned from = take_one(d, integer_types, CONVERT_S32);
    set_types(d, from, to);
    d->u->imm2 |= take_part(d, from) << 8;
    want_bits(d, &d->u->a, rows_of(from));
}

/* A floating-point operand of that type; halves are the low or high half of a register. */
static void want_number_of(decoder *d, unsigned type) {
    if (type != CONVERT_F64 && type != CONVERT_F32)
        d->u->imm2 |= take_part(d, CONVERT_U16) << 8;
    want(d, type == CONVERT_F64 ? "F" : type == CONVERT_F32 ? "f" : "H");
}

static void decode_f2i(decoder *d) {
    const unsigned to = take_one(d, integer_types, CONVERT_S32);
    const unsigned from = take_one(d, float_types, 2) + CONVERT_F16;
    take(d, SASS_NTZ);
    d->is_unknown |= to < CONVERT_U32 && from == CONVERT_F64;
    set_types(d, from, to);
    want_number_of(d, from);
}

static void decode_f2f(decoder *d) {
    unsigned types[2] = {0, 0};
    need_two(d, float_types, types);
    const unsigned to = types[0] + CONVERT_F16, from = types[1] + CONVERT_F16;
    set_types(d, from, to);
    want_number_of(d, from);
}

/* "FFMA2 R14, R4.F32x2.HI_LO, 1.5, -R8.F32", whose last two operands are one float for both.
 * imm2, from bit 8: operands of one float; from bit 16: negated pairs, from bit 20: absolute ones.
 */
static void decode_float_pairs(decoder *d) {
    const unsigned count = d->u->imm2 == 2 ? 3 : 2;
    want(d, "D");
    for (unsigned i = 0; i < count; i++) {
        sass_operand *from = peek_operand(d);
        const bool is_pair = from->suffix_count == 2 && from->suffix[0] == SASS_F32x2 &&
                             from->suffix[1] == SASS_HI_LO;
        if (!is_pair) {
            d->is_unknown |= !take_suffix(from, SASS_F32) && from->kind != OPERAND_NUMBER &&
                             from->kind != OPERAND_REAL;
            d->u->imm2 |= 1u << (8 + i);
            d->sources = i;
            want(d, "f");
            continue;
        }
        d->u->imm2 |= (unsigned)from->is_negated << (16 + i) | (unsigned)from->is_absolute
                                                                   << (20 + i);
        from->suffix_count = 0;
        from->is_negated = from->is_absolute = false;
        want_bits(d, &d->u->sources[i], 2);
    }
}

/* "FHADD.BF16 R15, R0.H1, -R7", "FHFMA R21, R0, R6.H1, R7": halves, and last a float. imm2: bit 0
 * has three sources; from bit 8 and from bit 16 the positions of the halves. */
static void decode_half_to_float(decoder *d) {
    want(d, "d");
    d->u->imm2 |= take_part(d, CONVERT_U16) << 8;
    want(d, "H");
    if (d->u->imm2 & 1) {
        d->u->imm2 |= take_part(d, CONVERT_U16) << 16;
        want(d, "H");
    }
    want(d, "f");
}

/* "MUFU.TANH.F16 R7, R2.H1" */
static void decode_mufu_half(decoder *d) {
    want(d, "d");
    d->u->imm2 |= take_part(d, CONVERT_U16) << 8;
    want(d, "b");
}

static void decode_frnd(decoder *d) {
    const unsigned type = take_one(d, float_types, 2) + CONVERT_F16;
    set_types(d, type, type);
    want_number_of(d, type);
}

/* "F2FP.F16.E4M3.UNPACK_B R0, R4", "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, RZ",
 * "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R0, R1, RZ", whose last operand goes into the high
 * half. */
static void decode_fp8(decoder *d) {
    const bool is_rectified = take(d, SASS_RELU);
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
    want(d, is_of_halves ? "dbb" : "dffb");
}

static const modifier_row packed_types[] = {{SASS_BF16, .imm = CONVERT_F32 | CONVERT_BF16 << 8},
                                            {SASS_F16, .imm = CONVERT_F32 | CONVERT_F16 << 8},
                                            {SASS_NONE, .imm = CONVERT_F32 | CONVERT_F16 << 8}};
static const modifier_row sources[] = {NAME(F32), {SASS_RELU, .imm2 = FLOAT_RELU}, NAME(NONE)};

const opcode_row opcodes_float[] = {
    {SASS_FADD, .fn = smp_lanes_fadd, .modified = smp_lanes_fadd_slow, .modifiers = {roundings},
     .operands = "dff"},
    {SASS_FMUL, .fn = smp_lanes_fmul, .modified = smp_lanes_fmul_slow,
     .modifiers = {roundings, scales}, .operands = "dff"},
    {SASS_FFMA, .fn = smp_lanes_ffma, .modified = smp_lanes_ffma_slow, .modifiers = {roundings},
     .operands = "dfff"},
    {SASS_FADD2, .fn = smp_lanes_float_pairs, .modifiers = {pair_flags},
     .decode = decode_float_pairs},
    {SASS_FMUL2, .fn = smp_lanes_float_pairs, .imm2 = 1, .modifiers = {pair_flags},
     .decode = decode_float_pairs},
    {SASS_FFMA2, .fn = smp_lanes_float_pairs, .imm2 = 2, .modifiers = {pair_flags},
     .decode = decode_float_pairs},
    {SASS_FHADD, .fn = smp_lanes_half_to_float, .modifiers = {roundings, bf16},
     .decode = decode_half_to_float},
    {SASS_FHFMA, .fn = smp_lanes_half_to_float, .imm2 = 1, .modifiers = {roundings, bf16},
     .decode = decode_half_to_float},
    {SASS_FMNMX, .fn = smp_lanes_fmnmx, .modifiers = {extremes}, .operands = "dffp"},
    {SASS_FMNMX3, .fn = smp_lanes_fmnmx3, .modifiers = {extremes}, .operands = "dfffp"},
    {SASS_FSEL, .fn = smp_lanes_fsel, .operands = "dffp"},
    {SASS_FSETP, .fn = smp_lanes_fsetp, .modifiers = {comparisons, joins, flushes},
     .operands = "ooffp"},
    {SASS_FSET, .fn = smp_lanes_fset, .modifiers = {comparisons, joins, bits_or_one},
     .operands = "dffp"},
    {SASS_FCHK, .fn = smp_lanes_fchk, .operands = "off"},
    {SASS_DADD, .fn = smp_lanes_dadd, .modified = smp_lanes_dadd_slow, .modifiers = {roundings},
     .operands = "DFF"},
    {SASS_DMUL, .fn = smp_lanes_dmul, .modified = smp_lanes_dmul_slow, .modifiers = {roundings},
     .operands = "DFF"},
    {SASS_DFMA, .fn = smp_lanes_dfma, .modified = smp_lanes_dfma_slow, .modifiers = {roundings},
     .operands = "DFFF"},
    {SASS_DSETP, SASS_MIN, .fn = smp_lanes_dsetp, .imm2 = 1, .needs = {SASS_AND},
     .operands = "ooFFp"},
    {SASS_DSETP, SASS_MAX, .fn = smp_lanes_dsetp, .imm2 = 2, .needs = {SASS_AND},
     .operands = "ooFFp"},
    {SASS_DSETP, .fn = smp_lanes_dsetp, .modifiers = {comparisons, joins}, .operands = "ooFFp"},
    {SASS_DMNMX, .fn = smp_lanes_dmnmx, .operands = "DFFp"},
    {SASS_MUFU, SASS_RCP64H, .fn = smp_lanes_mufu64, .imm = 0, .operands = "dh"},
    {SASS_MUFU, SASS_RSQ64H, .fn = smp_lanes_mufu64, .imm = 1, .operands = "dh"},
    {SASS_MUFU, SASS_F16, .fn = smp_lanes_mufu_half, .modifiers = {functions},
     .decode = decode_mufu_half},
    {SASS_MUFU, SASS_BF16, .fn = smp_lanes_mufu_half, .imm2 = HALF_IS_BF16,
     .modifiers = {functions}, .decode = decode_mufu_half},
    {SASS_MUFU, .fn = smp_lanes_mufu, .modifiers = {functions}, .operands = "df"},
    {SASS_HADD2, SASS_F32, .fn = smp_lanes_hfma2_f32, .modifiers = {pipes}, .operands = "dHH"},
    {SASS_HADD2, .fn = smp_lanes_hfma2, .modifiers = {half_flags, pipes}, .operands = "dHH"},
    {SASS_HMUL2, SASS_F32, .fn = smp_lanes_hfma2_f32, .imm2 = 1, .modifiers = {pipes},
     .operands = "dHH"},
    {SASS_HMUL2, .fn = smp_lanes_hfma2, .imm2 = 1, .modifiers = {half_flags, pipes},
     .operands = "dHH"},
    {SASS_HFMA2, SASS_F32, .fn = smp_lanes_hfma2_f32, .imm2 = 2, .modifiers = {pipes},
     .operands = "dHHH"},
    {SASS_HFMA2, .fn = smp_lanes_hfma2, .imm2 = 2, .modifiers = {half_flags, pipes},
     .operands = "dHHH"},
    {SASS_HSETP2, .fn = smp_lanes_hsetp2, .modifiers = {comparisons, joins, half_sets},
     .operands = "ooHHp"},
    {SASS_HSET2, .fn = smp_lanes_hset2, .modifiers = {comparisons, joins, half_sets},
     .operands = "dHHp"},
    {SASS_HMNMX2, .fn = smp_lanes_hmnmx2, .modifiers = {half_extremes}, .operands = "dHHp"},
    {SASS_VHMNMX, .fn = smp_lanes_vhmnmx, .modifiers = {half_extremes}, .operands = "dHHHp"},
    /* "F2IP.U8.F32.NTZ R24, RZ, R0, RZ": one byte, packed with nothing. */
    {SASS_F2IP, SASS_U8, .fn = smp_lanes_f2i, .imm = CONVERT_F32 | CONVERT_U8 << 8,
     .needs = {SASS_F32, SASS_NTZ}, .operands = "d0f0"},
    {SASS_I2F, .fn = smp_lanes_i2f, .modifiers = {conversions}, .decode = decode_i2f},
    {SASS_I2FP, .fn = smp_lanes_i2f, .modifiers = {conversions}, .decode = decode_i2f},
    {SASS_F2I, .fn = smp_lanes_f2i, .modifiers = {conversions}, .decode = decode_f2i},
    {SASS_F2F, .fn = smp_lanes_f2f, .modifiers = {conversions}, .decode = decode_f2f},
    {SASS_FRND, .fn = smp_lanes_frnd, .modifiers = {conversions}, .decode = decode_frnd},
    {SASS_F2FP, SASS_E4M3, .decode = decode_fp8},
    {SASS_F2FP, SASS_E5M2, .imm = 1, .decode = decode_fp8},
    {SASS_F2FP, SASS_PACK_AB, .fn = smp_lanes_f2fp,
     .modifiers = {packed_types, sources, conversions}, .operands = "dff"},
    {.opcode = SASS_NONE},
};
