/* SPDX-License-Identifier: MIT */
/*
 * Opcodes of floating-point numbers, conversions and matrices.
 */
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "decode.h"

static uint32_t take_flags(decoder *d) {
    static const char *const rounding[] = {"RN", "RM", "RP", "RZ", NULL};
    uint32_t flags = take_one(d, rounding, 0);
    flags |= take(d, "FTZ") ? FLOAT_FTZ : 0;
    return flags | (take(d, "SAT") ? FLOAT_SATURATE : 0);
}

static void decode_fadd(decoder *d) {
    d->u->imm = take_flags(d);
    decode_as_lanes(d, d->u->imm ? smp_lanes_fadd_slow : smp_lanes_fadd);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
}

static void decode_fmul(decoder *d) {
    d->u->imm = take_flags(d);
    decode_as_lanes(d, d->u->imm ? smp_lanes_fmul_slow : smp_lanes_fmul);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
}

static void decode_ffma(decoder *d) {
    d->u->imm = take_flags(d);
    decode_as_lanes(d, d->u->imm ? smp_lanes_ffma_slow : smp_lanes_ffma);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
    want_float(d, &d->u->c);
}

static void decode_fmnmx(decoder *d) {
    d->u->imm = (take(d, "FTZ") ? FLOAT_FTZ : 0) | (take(d, "NAN") ? FLOAT_NAN : 0);
    decode_as_lanes(d, smp_lanes_fmnmx);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
    want_predicate(d, &d->u->p);
}

static void decode_fsel(decoder *d) {
    if (take(d, "FTZ"))
        d->is_unknown = true;
    decode_as_lanes(d, smp_lanes_fsel);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
    want_predicate(d, &d->u->p);
}

/* CMP_... of the modifier, with the join in bits 8 and up. */
static uint32_t take_comparison(decoder *d) {
    static const char *const names[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",
                                        "GE",  "NUM", "NAN", "LTU", "EQU", "LEU",
                                        "GTU", "NEU", "GEU", "T",   NULL};
    static const char *const joins[] = {"AND", "OR", "XOR", NULL};
    unsigned which = take_one(d, names, 16);
    d->is_unknown |= which == 16;
    /* The list's order is that of the bits: less, equal, greater, unordered. */
    return (which & 15) | take_one(d, joins, 0) << 8;
}

static void decode_fsetp(decoder *d) {
    d->u->imm = take_comparison(d);
    d->u->imm2 = take(d, "FTZ") ? FLOAT_FTZ : 0;
    decode_as_lanes(d, smp_lanes_fsetp);
    want_predicate_out(d, &d->u->p_out);
    want_predicate_out(d, &d->u->q_out);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
    want_predicate(d, &d->u->p);
}

static void decode_fset(decoder *d) {
    d->u->imm2 = (take(d, "BF") ? 1u << 31 : 0) | (take(d, "FTZ") ? FLOAT_FTZ : 0);
    d->u->imm = take_comparison(d);
    decode_as_lanes(d, smp_lanes_fset);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
    want_predicate(d, &d->u->p);
}

static void decode_fchk(decoder *d) {
    decode_as_lanes(d, smp_lanes_fchk);
    want_predicate_out(d, &d->u->p_out);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
}

static void decode_dadd(decoder *d) {
    d->u->imm = take_flags(d);
    decode_as_lanes(d, d->u->imm ? smp_lanes_dadd_slow : smp_lanes_dadd);
    want_destination(d, 2);
    want_double(d, &d->u->a);
    want_double(d, &d->u->b);
}

static void decode_dmul(decoder *d) {
    d->u->imm = take_flags(d);
    decode_as_lanes(d, d->u->imm ? smp_lanes_dmul_slow : smp_lanes_dmul);
    want_destination(d, 2);
    want_double(d, &d->u->a);
    want_double(d, &d->u->b);
}

static void decode_dfma(decoder *d) {
    d->u->imm = take_flags(d);
    decode_as_lanes(d, d->u->imm ? smp_lanes_dfma_slow : smp_lanes_dfma);
    want_destination(d, 2);
    want_double(d, &d->u->a);
    want_double(d, &d->u->b);
    want_double(d, &d->u->c);
}

static void decode_dsetp(decoder *d) {
    bool is_minimum = take(d, "MIN"), is_maximum = take(d, "MAX");
    decode_as_lanes(d, smp_lanes_dsetp);
    if (is_minimum || is_maximum) {
        d->is_unknown |= !take(d, "AND");
        d->u->imm2 = is_minimum ? 1 : 2;
    } else {
        d->u->imm = take_comparison(d);
    }
    want_predicate_out(d, &d->u->p_out);
    want_predicate_out(d, &d->u->q_out);
    want_double(d, &d->u->a);
    want_double(d, &d->u->b);
    want_predicate(d, &d->u->p);
}

static void decode_dmnmx(decoder *d) {
    decode_as_lanes(d, smp_lanes_dmnmx);
    want_destination(d, 2);
    want_double(d, &d->u->a);
    want_double(d, &d->u->b);
    want_predicate(d, &d->u->p);
}

static void decode_mufu(decoder *d) {
    static const char *const names[] = {"RCP",  "RSQ",  "LG2",    "EX2",    "SIN", "COS",
                                        "SQRT", "TANH", "RCP64H", "RSQ64H", NULL};
    unsigned which = take_one(d, names, 10);
    d->is_unknown |= which == 10;
    decode_as_lanes(d, which >= 8 ? smp_lanes_mufu64 : smp_lanes_mufu);
    d->u->imm = which >= 8 ? which - 8 : which;
    want_destination(d, 1);
    if (which >= 8)
        want_double_high(d, &d->u->a);
    else
        want_float(d, &d->u->a);
}

/* ---- Halves ---- */

static uint32_t take_half_flags(decoder *d) {
    uint32_t flags = take(d, "BF16_V2") || take(d, "BF16") ? HALF_IS_BF16 : 0;
    flags |= take(d, "FTZ") ? FLOAT_FTZ : 0;
    flags |= take(d, "SAT") ? FLOAT_SATURATE : 0;
    return flags | (take(d, "RELU") ? FLOAT_RELU : 0);
}

static void decode_half(decoder *d, unsigned form) {
    bool to_single = take(d, "F32");
    take(d, "MMA"); /* another pipe, the same result */
    d->u->imm = take_half_flags(d);
    d->u->imm2 = form;
    bool is_bf16 = d->u->imm & HALF_IS_BF16;
    decode_as_lanes(d, to_single ? smp_lanes_hfma2_f32 : smp_lanes_hfma2);
    d->is_unknown |= to_single && d->u->imm != 0;
    want_destination(d, 1);
    want_half(d, &d->u->a, is_bf16);
    want_half(d, &d->u->b, is_bf16);
    if (form == 2)
        want_half(d, &d->u->c, is_bf16);
}

static void decode_hadd2(decoder *d) {
    decode_half(d, 0);
}

static void decode_hmul2(decoder *d) {
    decode_half(d, 1);
}

static void decode_hfma2(decoder *d) {
    decode_half(d, 2);
}

static void decode_hset(decoder *d, bool is_predicate_only) {
    bool ones = !is_predicate_only && take(d, "BF"), both = is_predicate_only && take(d, "H_AND");
    d->u->imm2 = take_half_flags(d) | (ones ? 1u << 31 : 0) | (both ? 1u << 16 : 0);
    d->u->imm = take_comparison(d);
    bool is_bf16 = d->u->imm2 & HALF_IS_BF16;
    decode_as_lanes(d, is_predicate_only ? smp_lanes_hsetp2 : smp_lanes_hset2);
    if (is_predicate_only) {
        want_predicate_out(d, &d->u->p_out);
        want_predicate_out(d, &d->u->q_out);
    } else {
        want_destination(d, 1);
    }
    want_half(d, &d->u->a, is_bf16);
    want_half(d, &d->u->b, is_bf16);
    want_predicate(d, &d->u->p);
}

static void decode_hsetp2(decoder *d) {
    decode_hset(d, true);
}

static void decode_hset2(decoder *d) {
    decode_hset(d, false);
}

static void decode_hmnmx2(decoder *d) {
    d->u->imm = take_half_flags(d) | (take(d, "NAN") ? FLOAT_NAN : 0);
    d->is_unknown |= (d->u->imm & (FLOAT_FTZ | FLOAT_RELU)) != 0;
    decode_as_lanes(d, smp_lanes_hmnmx2);
    want_destination(d, 1);
    want_half(d, &d->u->a, d->u->imm & HALF_IS_BF16);
    want_half(d, &d->u->b, d->u->imm & HALF_IS_BF16);
    want_predicate(d, &d->u->p);
}

/* ---- Conversions ---- */

static const char *const integer_types[] = {"U8",  "S8",  "U16", "S16", "U32",
                                            "S32", "U64", "S64", NULL};
static const char *const float_types[] = {"F16", "BF16", "F32", "F64", NULL};

static unsigned rows_of(unsigned type) {
    return type == CONVERT_U64 || type == CONVERT_S64 || type == CONVERT_F64 ? 2 : 1;
}

static uint32_t take_rounding(decoder *d, unsigned fallback) {
    static const char *const names[] = {"RN", "RM", "RP", "RZ", NULL};
    static const char *const whole[] = {"", "FLOOR", "CEIL", "TRUNC", NULL};
    unsigned which = take_one(d, names, 4);
    if (which == 4)
        which = take_one(d, whole, fallback);
    return which | (take(d, "FTZ") ? FLOAT_FTZ : 0);
}

/* "R1.B2": which part of the register; 0 where it is whole. */
static unsigned take_part(decoder *d, unsigned type) {
    char *text = d->operands[d->operand_next];
    char *at = has_operand(d) ? strchr(text, '.') : NULL;
    if (at == NULL || text[0] == 'c' || strlen(at) != 3)
        return 0;
    unsigned index = (unsigned)(at[2] - '0');
    bool is_byte = at[1] == 'B' && index < 4 && type <= CONVERT_S8;
    bool is_half = at[1] == 'H' && index < 2 && (type == CONVERT_U16 || type == CONVERT_S16);
    if (!is_byte && !is_half)
        return 0;
    *at = '\0';
    return index * (is_byte ? 8 : 16);
}

static void decode_i2f(decoder *d) {
    unsigned to = take_one(d, float_types, 2) + CONVERT_F16;
    unsigned from = take_one(d, integer_types, CONVERT_S32);
    d->u->imm2 = take_rounding(d, 0);
    d->u->imm = from | to << 8;
    decode_as_lanes(d, smp_lanes_i2f);
    want_destination(d, rows_of(to));
    d->u->imm2 |= take_part(d, from) << 8;
    want_bits(d, &d->u->a, rows_of(from));
}

/* A floating-point number of that type; halves are the low or the high one of a register. */
static void want_number_of(decoder *d, unsigned type) {
    if (type == CONVERT_F64) {
        want_double(d, &d->u->a);
    } else if (type == CONVERT_F32) {
        want_float(d, &d->u->a);
    } else {
        d->u->imm2 |= take_part(d, CONVERT_U16) << 8;
        want_bits(d, &d->u->a, 1);
    }
}

static void decode_f2i(decoder *d) {
    unsigned to = take_one(d, integer_types, CONVERT_S32);
    unsigned from = take_one(d, float_types, 2) + CONVERT_F16;
    take(d, "NTZ");
    d->u->imm2 = take_rounding(d, 0);
    d->u->imm = from | to << 8;
    decode_as_lanes(d, smp_lanes_f2i);
    d->is_unknown |= to < CONVERT_U32 && from == CONVERT_F64;
    want_destination(d, rows_of(to));
    want_number_of(d, from);
}

/* "F2IP.U8.F32.NTZ R24, RZ, R0, RZ": one byte; what it is packed with is not there. */
static void decode_f2ip(decoder *d) {
    d->is_unknown |= !take(d, "U8") || !take(d, "F32") || !take(d, "NTZ");
    d->u->imm = CONVERT_F32 | CONVERT_U8 << 8;
    decode_as_lanes(d, smp_lanes_f2i);
    want_destination(d, 1);
    d->is_unknown |= strcmp(next_operand(d), "RZ") != 0;
    want_float(d, &d->u->a);
    d->is_unknown |= strcmp(next_operand(d), "RZ") != 0;
}

static void decode_f2f(decoder *d) {
    unsigned to = 4, from = 4;
    for (unsigned i = 0; i < d->modifier_count; i++)
        for (unsigned t = 0; t < 4; t++)
            if (strcmp(d->modifiers[i], float_types[t]) == 0 && take(d, float_types[t]))
                *(to == 4 ? &to : &from) = t;
    d->is_unknown |= to == 4 || from == 4;
    to = (to & 3) + CONVERT_F16;
    from = (from & 3) + CONVERT_F16;
    d->u->imm2 = take_rounding(d, 0);
    d->u->imm = from | to << 8;
    decode_as_lanes(d, smp_lanes_f2f);
    want_destination(d, rows_of(to));
    want_number_of(d, from);
}

static void decode_frnd(decoder *d) {
    unsigned type = take_one(d, float_types, 2) + CONVERT_F16;
    d->u->imm2 = take_rounding(d, 0);
    d->u->imm = type | type << 8;
    decode_as_lanes(d, smp_lanes_frnd);
    want_destination(d, rows_of(type));
    want_number_of(d, type);
}

static void decode_f2fp(decoder *d) {
    if (has_modifier(d, "E4M3") || has_modifier(d, "E5M2")) {
        decode_fp8(d);
        return;
    }
    bool is_bf16 = take(d, "BF16");
    if (!is_bf16)
        take(d, "F16");
    take(d, "F32");
    d->is_unknown |= !take(d, "PACK_AB");
    d->u->imm = CONVERT_F32 | (uint32_t)(is_bf16 ? CONVERT_BF16 : CONVERT_F16) << 8;
    d->u->imm2 = take_rounding(d, 0) | (take(d, "RELU") ? FLOAT_RELU : 0);
    decode_as_lanes(d, smp_lanes_f2fp);
    want_destination(d, 1);
    want_float(d, &d->u->a);
    want_float(d, &d->u->b);
}

const opcode_row opcodes_float[] = {
    {"FADD", decode_fadd},   {"FMUL", decode_fmul},
    {"FFMA", decode_ffma},   {"FMNMX", decode_fmnmx},
    {"FSEL", decode_fsel},   {"FSETP", decode_fsetp},
    {"FSET", decode_fset},   {"FCHK", decode_fchk},
    {"DADD", decode_dadd},   {"DMUL", decode_dmul},
    {"DFMA", decode_dfma},   {"DSETP", decode_dsetp},
    {"DMNMX", decode_dmnmx}, {"MUFU", decode_mufu},
    {"HADD2", decode_hadd2}, {"HMUL2", decode_hmul2},
    {"HFMA2", decode_hfma2}, {"HSETP2", decode_hsetp2},
    {"HSET2", decode_hset2}, {"HMNMX2", decode_hmnmx2},
    {"F2IP", decode_f2ip},   {"I2F", decode_i2f},
    {"I2FP", decode_i2f},    {"F2I", decode_f2i},
    {"F2F", decode_f2f},     {"FRND", decode_frnd},
    {"F2FP", decode_f2fp},   {NULL, NULL},
};
