/* SPDX-License-Identifier: MIT */
/*
 * What machine instructions compute: one function for each operation, over rows (uop.h). They are
 * plain loops that the compiler vectorizes. On x86-64 they are compiled for several instruction
 * sets, and the loader chooses the best one that the CPU supports.
 */
#pragma once

#include <string.h>

#include "lane_loops.h"

/* An operation as one function: d[l] becomes `value`, computed from the rows a, b and c, the
 * predicate p and what `prepare` declares. LANE_PAIR_OP has 64-bit results. */
#define LANE_OP_OF(name, set, ...)                                \
    LANES_CLONED void smp_lanes_##name(lane_args *x) {            \
        const uint32_t *a = x->a, *b = x->b, *c = x->c, p = x->p; \
        const uop *u = x->u;                                      \
        uint32_t *d = x->d;                                       \
        __VA_ARGS__;                                              \
        (void)a, (void)b, (void)c, (void)u, (void)p;              \
        EACH_LANE set;                                            \
    }
#define LANE_OP(name, prepare, value) LANE_OP_OF(name, d[l] = value, prepare)
#define LANE_PAIR_OP(name, prepare, value) LANE_OP_OF(name, lanes_set_pair(d, l, value), prepare)
#define NOTHING (void)0
#define PAIR(r) lanes_pair(r, l)
#define SIGNED_PRODUCT ((uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]))

LANES_INLINE float lanes_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

LANES_INLINE uint32_t lanes_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* All NaNs are one. */
LANES_INLINE uint32_t lanes_result(float value) {
    return value == value ? lanes_bits(value) : 0x7fffffffu;
}

LANES_INLINE void lanes_fill(uint32_t *row, uint32_t value) {
    EACH_LANE row[l] = value;
}

/* 64 bits; the second row has the high half. */
LANES_INLINE uint64_t lanes_pair(const uint32_t *row, unsigned l) {
    return row[l] | (uint64_t)row[ROW + l] << 32;
}

LANES_INLINE void lanes_set_pair(uint32_t *row, unsigned l, uint64_t value) {
    row[l] = (uint32_t)value;
    row[ROW + l] = (uint32_t)(value >> 32);
}

LANES_INLINE double lanes_double(const uint32_t *row, unsigned l) {
    const uint64_t bits = lanes_pair(row, l);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

LANES_INLINE void lanes_set_double(uint32_t *row, unsigned l, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    lanes_set_pair(row, l, bits);
}

/* Without the CPU's own instruction, which some clones lack. */
LANES_INLINE uint32_t lanes_popcount(uint32_t value) {
    value -= value >> 1 & 0x55555555;
    value = (value & 0x33333333) + (value >> 2 & 0x33333333);
    return ((value + (value >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}

/* Looks up bit a<<2 | b<<1 | c of a table, whose bit i is replicated in bit[i]: three levels of
 * selects, as vectors do it. */
#define LANES_TABLE(bit, table)      \
    uint32_t bit[8];                 \
    for (unsigned i = 0; i < 8; i++) \
    bit[i] = 0u - ((table) >> i & 1)

LANES_INLINE uint32_t lanes_from_table(const uint32_t bit[8], uint32_t a, uint32_t b, uint32_t c) {
    uint32_t b0 = (bit[1] & c) | (bit[0] & ~c), b1 = (bit[3] & c) | (bit[2] & ~c);
    uint32_t b2 = (bit[5] & c) | (bit[4] & ~c), b3 = (bit[7] & c) | (bit[6] & ~c);
    uint32_t a0 = (b1 & b) | (b0 & ~b), a1 = (b3 & b) | (b2 & ~b);
    return (a1 & a) | (a0 & ~a);
}

/* The smaller number if `least` is all ones, else the larger; `flip` changes the sign bit of
 * unsigned numbers. */
LANES_INLINE uint32_t lanes_chosen(uint32_t a, uint32_t b, uint32_t flip, uint32_t least) {
    uint32_t less = 0u - (uint32_t)((int32_t)(a ^ flip) < (int32_t)(b ^ flip));
    return b ^ ((a ^ b) & ~(less ^ least));
}

/* The functions are named smp_lanes_<name>. */
/* clang-format off */
#define LANES_LIST(X)                                                                              \
    X(mov)                                                                                         \
    X(mov2) X(sel) X(iadd3) X(iadd3_carry) X(imad) X(imad_x) X(imad_wide_u) X(imad_wide_s)         \
    X(imad_wide_less_u) X(imad_wide_less_s)                                                        \
        X(imad_hi_u) X(imad_hi_s) X(lop3) X(lop3_pred) X(plop3) X(shf) X(prmt) X(lea) X(lea_carry) \
            X(lea_hi) X(isetp) X(imnmx) X(iaddmnmx) X(iabs) X(popc) X(flo) X(brev) X(bmsk) X(sgxt) \
                X(idp4a) X(idp2a) X(vabsdiff) X(vabsdiff4) X(p2r) X(r2p) X(fadd) X(fmul) X(ffma)   \
                    X(fadd_slow) X(fmul_slow) X(ffma_slow) X(fmnmx) X(fsel) X(fsetp) X(fset)       \
                        X(dsetp) X(dadd) X(dmul) X(dfma) X(dadd_slow) X(dmul_slow) X(dfma_slow)    \
                            X(dmnmx) X(mufu) X(mufu64) X(fchk) X(hfma2) X(hfma2_f32) X(hsetp2)     \
                                X(hset2) X(hmnmx2) X(vhmnmx) X(i2f) X(f2i) X(f2f) X(frnd) X(f2fp) X(shfl)    \
                                    X(vote) X(match_any) X(match_all) X(redux) X(redux_float) X(s2r) X(r2ur)      \
                                        X(elect) X(mufu_half) X(fmnmx3) X(float_pairs) X(half_to_float) X(mma) X(dmma) X(movm) X(packed_extreme) X(packed_add) X(saturated_add) X(fp8_unpack) X(fp8_of_halves) X(fp8_pack) X(wide_add) X(wide_carry) X(wide_sel) X(wide_setp) X(wide_extreme)
/* clang-format on */

#define LANES_DECLARE(name) void smp_lanes_##name(lane_args *x);
LANES_LIST(LANES_DECLARE)
#undef LANES_DECLARE

/* Comparisons of all types: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered. */
enum { CMP_LT = 1, CMP_EQ = 2, CMP_GT = 4, CMP_UNORDERED = 8 };
/* How the result is combined with the predicate operand. */
enum { JOIN_AND, JOIN_OR, JOIN_XOR };

/* imm2 of SHF. */
enum { SHIFT_RIGHT = 1, SHIFT_SIGNED = 2, SHIFT_WRAP = 4, SHIFT_HIGH = 8, SHIFT_WIDE = 16 };

/* imm of floating-point operations. */
enum {
    ROUND_NEAREST = 0,
    ROUND_DOWN = 1,
    ROUND_UP = 2,
    ROUND_ZERO = 3,
    ROUND_MASK = 3,
    FLOAT_FTZ = 4,
    FLOAT_SATURATE = 8,
    FLOAT_RELU = 16,
    HALF_IS_BF16 = 32,
    FLOAT_SCALES = 7 << 8, /* of products: SCALE(exponent of 2) */
    FLOAT_NAN = 64,        /* minimum and maximum return NaN if either is NaN */
};

#define SCALE(exponent) ((unsigned)(exponent) << 8 & FLOAT_SCALES)

/* Sets the combined result of a comparison in p_out and that of its opposite in q_out. */
LANES_INLINE void lanes_join(lane_args *x, uint32_t result, unsigned join) {
    uint32_t other = ~result;
    x->p_out = join == JOIN_AND ? result & x->p : join == JOIN_OR ? result | x->p : result ^ x->p;
    x->q_out = join == JOIN_AND ? other & x->p : join == JOIN_OR ? other | x->p : other ^ x->p;
}

/* Lanes whose comparison is true, from masks of lanes that are less, equal and greater. */
LANES_INLINE uint32_t lanes_ordered(uint32_t compare, uint32_t less, uint32_t equal,
                                    uint32_t greater) {
    return (compare & CMP_LT ? less : 0) | (compare & CMP_EQ ? equal : 0) |
           (compare & CMP_GT ? greater : 0) |
           (compare & CMP_UNORDERED ? ~(less | equal | greater) : 0);
}

LANES_INLINE bool lanes_holds(double a, double b, uint32_t compare) {
    return (lanes_ordered(compare, a<b, a == b, a> b) & 1) != 0;
}

/* True if a is the minimum (or maximum): -0 is below +0, and a number is preferred to a NaN. */
LANES_INLINE bool lanes_takes_first(double a, double b, bool is_minimum) {
    if (a != a || b != b)
        return a == a;
    if (a == b)
        return (__builtin_signbit(a) != 0) == is_minimum;
    return (a < b) == is_minimum;
}

/* lanes_half.c: exact conversions. */
float smp_half_to_float(uint16_t half);
double smp_fp8_value(uint8_t bits, bool is_e5m2); /* lanes_packed.c */
float smp_bf16_to_float(uint16_t half);
/* Rounds once, from a value that a double holds exactly. */
uint16_t smp_half_of_double(double value, unsigned rounding);
uint16_t smp_bf16_of_double(double value, unsigned rounding);
float smp_float_of_double(double value, unsigned rounding);
/* Rounds to a type with `bits` mantissa bits, whose subnormals end at the exponent `least` and
 * whose largest number is `largest`. Larger values become infinity, or `largest` if the rounding
 * says so. */
double smp_narrowed(double value, int bits, int least, double largest, unsigned rounding);
/* The exponent and mantissa of a positive number that such a type holds, or of 0. */
unsigned smp_digits_of(double value, int mantissa_bits, int bias);
/* For either 16-bit type, rounding to nearest. */
float smp_short_to_float(uint16_t bits, bool is_bf16);
uint16_t smp_short_of_double(double value, bool is_bf16);

/* Flags of smp_lanes_packed_extreme. */
enum {
    PACKED_UNSIGNED = 1,
    PACKED_RELU = 2,
    PACKED_HALVES = 4, /* two 16-bit integers */
    PACKED_BYTES = 64, /* four 8-bit integers, unsigned */
    PACKED_ADDS = 8,   /* compares a + b with c */
    PACKED_THREE = 16, /* compares a, b and c */
};

/* Number types of conversions. */
enum {
    CONVERT_U8,
    CONVERT_S8,
    CONVERT_U16,
    CONVERT_S16,
    CONVERT_U32,
    CONVERT_S32,
    CONVERT_U64,
    CONVERT_S64,
    CONVERT_F16,
    CONVERT_BF16,
    CONVERT_F32,
    CONVERT_F64,
};
