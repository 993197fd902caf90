/* SPDX-License-Identifier: MIT */
/*
 * Single and double precision, without the operations of fused_ops.c. Addition, multiplication and
 * fused multiply-add follow IEEE 754 as on the GPU; NaN results are the GPU's canonical NaN. Other
 * roundings than to nearest, flushing and saturation use the slow functions.
 */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "lanes.h"
#include "lanes_rounding.h"

static inline float flushed(float value, uint32_t flags) {
    const float least = flags & FLOAT_FTZ ? 0x1p-126f : 0;
    return fabsf(value) < least ? copysignf(0, value) : value;
}

static inline uint32_t finish(float value, uint32_t flags) {
    const float flat = flushed(value, flags), least = flat > 0 ? flat : 0; /* 0 for a NaN */
    return lanes_result(!(flags & FLOAT_SATURATE) ? flat : least > 1 ? 1 : least);
}

/* A product of two floats is exact in double precision, so it is rounded once. */
static inline double scale_of(uint32_t flags) {
    static const double scales[] = {1, 2, 4, 8, 1, 0.125, 0.25, 0.5};
    return scales[(flags & FLOAT_SCALES) >> 8];
}

/* smp_lanes_<name>_slow: `value` is computed from the flushed operands a, b and c. */
#define SLOW_FLOATS(name, value)                                         \
    IN_ROUNDING void name##_floats(const lane_args *x, uint32_t flags) { \
        EACH_LANE {                                                      \
            const float a = flushed(lanes_float(x->a[l]), flags);        \
            const float b = flushed(lanes_float(x->b[l]), flags);        \
            const float c = flushed(lanes_float(x->c[l]), flags);        \
            (void)c;                                                     \
            x->d[l] = finish(value, flags);                              \
        }                                                                \
    }                                                                    \
    void smp_lanes_##name##_slow(lane_args *x) {                         \
        const lanes_rounding before = lanes_round(x->u->imm);            \
        name##_floats(x, x->u->imm);                                     \
        lanes_round_as(before);                                          \
    }

/* clang-format off */
SLOW_FLOATS(fadd, a + b)
SLOW_FLOATS(fmul, (float)((double)a * (double)b * scale_of(flags)))
SLOW_FLOATS(ffma, __builtin_fmaf(a, b, c))
/* clang-format on */

static float half_at(uint32_t bits, uint32_t position, uint32_t flags) {
    return smp_short_to_float((uint16_t)(bits >> (position & 16)), (flags & HALF_IS_BF16) != 0);
}

/* PTX's add and fma of f32 with f16 or bf16: exact conversions, and one rounding. */
IN_ROUNDING void half_to_floats(const lane_args *x, uint32_t flags, uint32_t parts) {
    EACH_LANE {
        const float a = half_at(x->a[l], parts >> 8, flags), b = lanes_float(x->b[l]),
                    c = lanes_float(x->c[l]);
        const float value =
            parts & 1 ? __builtin_fmaf(a, half_at(x->b[l], parts >> 16, flags), c) : a + b;
        x->d[l] = finish(value, flags);
    }
}

void smp_lanes_half_to_float(lane_args *x) {
    const lanes_rounding before = lanes_round(x->u->imm);
    half_to_floats(x, x->u->imm, x->u->imm2);
    lanes_round_as(before);
}

/* Returns the number if the other is a NaN, unless FLOAT_NAN. */
static uint32_t extreme(float a, float b, bool is_minimum, uint32_t flags) {
    const bool is_nan = flags & FLOAT_NAN ? isnan(a) || isnan(b) : isnan(a) && isnan(b);
    return lanes_result(is_nan ? NAN : lanes_takes_first(a, b, is_minimum) ? a : b);
}

static uint32_t flushed_extreme(uint32_t a, uint32_t b, bool is_minimum, uint32_t flags) {
    return extreme(flushed(lanes_float(a), flags), flushed(lanes_float(b), flags), is_minimum,
                   flags);
}

LANE_OP(fmnmx, NOTHING, flushed_extreme(a[l], b[l], p >> l & 1, u->imm))
LANE_OP(fmnmx3, NOTHING,
        flushed_extreme(flushed_extreme(a[l], b[l], p >> l & 1, u->imm), c[l], p >> l & 1, u->imm))

/* imm2: bit 0 minimum; bit 1 of absolute values. */
void smp_lanes_redux_float(lane_args *x) {
    const uint32_t bits = x->u->imm2 & 2 ? 0x7fffffff : 0xffffffff;
    uint32_t result = x->exec == 0 ? 0 : x->a[__builtin_ctz(x->exec)] & bits;
    EACH_LANE_OF(l, x->exec)
        result =
            extreme(lanes_float(result), lanes_float(x->a[l] & bits), x->u->imm2 & 1, x->u->imm);
    lanes_fill(x->d, result);
}

LANES_CLONED void smp_lanes_fsetp(lane_args *x) {
    const uint32_t flush = x->u->imm2 & FLOAT_FTZ;
    float a[ROW], b[ROW];
    EACH_LANE {
        a[l] = flushed(lanes_float(x->a[l]), flush);
        b[l] = flushed(lanes_float(x->b[l]), flush);
    }
    const uint32_t less = LANES_WHERE(a[l] < b[l]), equal = LANES_WHERE(a[l] == b[l]),
                   greater = LANES_WHERE(a[l] > b[l]);
    lanes_join(x, lanes_ordered(x->u->imm & 0xff, less, equal, greater), x->u->imm >> 8);
}

/* imm2 bit 31: true is 1.0 instead of all ones. */
void smp_lanes_fset(lane_args *x) {
    smp_lanes_fsetp(x);
    uint32_t one = x->u->imm2 >> 31 ? 0x3f800000 : 0xffffffff;
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = x->p_out >> l & 1 ? one : 0;
}

/* ---- Double precision: rows are pairs ---- */

/* A NaN result is the second operand if that is a NaN, else the third, else the first, made quiet,
 * with the sign that it had before modifiers; without a NaN operand it is the default NaN (as on an
 * H200). */
static double with_payload(double result, double a, double b, double c) {
    if (result == result)
        return result;
    double from = isnan(b) ? b : isnan(c) ? c : a;
    uint64_t bits = 0xfff8000000000000u;
    if (isnan(from)) {
        memcpy(&bits, &from, 8);
        bits |= 0x7ff8000000000000u;
    }
    memcpy(&result, &bits, 8);
    return result;
}

/* An operand before its modifiers. */
static double unchanged(const lane_args *x, const emu_operand *operand, unsigned l) {
    return lanes_double(emu_row_of(x->warp, operand), l);
}

/* Stores results; NaNs, which are rare, get their payload in a second pass. */
static void set_doubles(lane_args *x, const double *results, bool has_c) {
    for (unsigned l = 0; l < ROW; l++)
        lanes_set_double(x->d, l,
                         isnan(results[l]) ? with_payload(results[l], unchanged(x, &x->u->a, l),
                                                          unchanged(x, &x->u->b, l),
                                                          has_c ? unchanged(x, &x->u->c, l) : 0)
                                           : results[l]);
}

/* Defines smp_lanes_<name> and, for other roundings, smp_lanes_<name>_slow. */
#define DOUBLES(name, has_c, value)                                  \
    IN_ROUNDING void name##_doubles(const lane_args *x, double *r) { \
        EACH_LANE r[l] = value;                                      \
    }                                                                \
    void smp_lanes_##name(lane_args *x) {                            \
        double r[ROW];                                               \
        name##_doubles(x, r);                                        \
        set_doubles(x, r, has_c);                                    \
    }                                                                \
    void smp_lanes_##name##_slow(lane_args *x) {                     \
        double r[ROW];                                               \
        const lanes_rounding before = lanes_round(x->u->imm);        \
        name##_doubles(x, r);                                        \
        lanes_round_as(before);                                      \
        set_doubles(x, r, has_c);                                    \
    }
#define A lanes_double(x->a, l)
#define B lanes_double(x->b, l)
#define C lanes_double(x->c, l)

/* clang-format off */
DOUBLES(dadd, false, A + B)
DOUBLES(dmul, false, A * B)
DOUBLES(dfma, true, __builtin_fma(A, B, C))
/* clang-format on */

/* imm2: 0 compares; 1 and 2 tell where a is the minimum or maximum, and where both are NaN. */
void smp_lanes_dsetp(lane_args *x) {
    const bool is_minimum = x->u->imm2 == 1;
    lanes_join(x, LANES_WHERE(lanes_holds(A, B, x->u->imm & 0xff)), x->u->imm >> 8);
    if (x->u->imm2 != 0) {
        x->p_out = LANES_WHERE(lanes_takes_first(A, B, is_minimum)) & x->p;
        x->q_out = LANES_WHERE(isnan(A) && isnan(B)) & x->p;
    }
}

LANE_PAIR_OP(dmnmx, NOTHING, lanes_takes_first(A, B, p >> l & 1) ? PAIR(a) : PAIR(b))

/* ---- Special functions: computed in double, rounded to single; the GPU's differ in last places -
 */

typedef enum mufu_op {
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_LG2,
    MUFU_EX2,
    MUFU_SIN,
    MUFU_COS,
    MUFU_SQRT,
    MUFU_TANH,
} mufu_op;

static double special(mufu_op op, double v) {
    /* The argument of sine and cosine is in turns: an FMUL.RZ by 1/(2 pi) precedes. */
    static const double turn = 6.283185307179586476925286766559;
    switch (op) {
    case MUFU_RCP:
        return 1 / v;
    case MUFU_RSQ:
        return v == 0 ? copysign(INFINITY, v) : 1 / sqrt(v);
    case MUFU_LG2:
        return log2(v);
    case MUFU_EX2:
        return exp2(v);
    case MUFU_SIN:
        return isinf(v) ? NAN : sin(turn * (v - floor(v)));
    case MUFU_COS:
        return isinf(v) ? NAN : cos(turn * (v - floor(v)));
    case MUFU_SQRT:
        return sqrt(v);
    default:
        return tanh(v);
    }
}

/* All but the exponential flush denormal results. */
static inline uint32_t special_result(double out) {
    return lanes_result(flushed((float)out, FLOAT_FTZ));
}

static inline double special_operand(uint32_t bits) {
    return flushed(lanes_float(bits), FLOAT_FTZ);
}

/* The two that division and normalization use, computed as special() does. */
LANES_CLONED static void reciprocals(uint32_t *d, const uint32_t *a) {
    EACH_LANE d[l] = special_result(1 / special_operand(a[l]));
}

LANES_CLONED static void reciprocal_roots(uint32_t *d, const uint32_t *a) {
    EACH_LANE d[l] = special_result(1 / sqrt(special_operand(a[l])));
}

void smp_lanes_mufu(lane_args *x) {
    mufu_op op = (mufu_op)x->u->imm;
    if (op == MUFU_RCP || op == MUFU_RSQ) {
        (op == MUFU_RCP ? reciprocals : reciprocal_roots)(x->d, x->a);
        return;
    }
    uint32_t flush = op == MUFU_TANH ? 0 : FLOAT_FTZ;
    for (unsigned l = 0; l < ROW; l++) {
        const float in = flushed(lanes_float(x->a[l]), flush);
        x->d[l] = lanes_result(flushed((float)special(op, in), flush));
    }
}

/* The same for a half; imm2: HALF_IS_BF16, and from bit 8 on the half's place in the register. */
LANE_OP(mufu_half, const bool is_bf16 = (u->imm2 & HALF_IS_BF16) != 0,
        smp_short_of_double(special((mufu_op)u->imm, half_at(a[l], u->imm2 >> 8, u->imm2)),
                            is_bf16))

/* Float i of operand `which`: of a pair, or of one register for both. */
static float of_pair(const lane_args *x, const uint32_t *row, unsigned which, unsigned i) {
    const uint32_t how = x->u->imm2;
    float value = lanes_float(row[how >> (8 + which) & 1 ? i % ROW : i]);
    if (how >> (20 + which) & 1)
        value = fabsf(value);
    return flushed(how >> (16 + which) & 1 ? -value : value, x->u->imm);
}

/* Two floats in a pair of registers, rounded to nearest; imm2: 0 a + b, 1 a x b, 2 a x b + c, and
 * the bits of decode_float_pairs. */
void smp_lanes_float_pairs(lane_args *x) {
    const uint32_t flags = x->u->imm, how = x->u->imm2 & 3;
    for (unsigned i = 0; i < 2 * ROW; i++) {
        const float a = of_pair(x, x->a, 0, i), b = of_pair(x, x->b, 1, i);
        const float c = how == 2 ? of_pair(x, x->c, 2, i) : 0;
        const float value = how == 0 ? a + b : how == 1 ? a * b : __builtin_fmaf(a, b, c);
        x->d[i] = finish(value, flags);
    }
}

/* The high word of a double's reciprocal (imm 0) or reciprocal square root, with 20 bits of
 * precision. */
void smp_lanes_mufu64(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t bits = (uint64_t)x->a[l] << 32;
        double v;
        memcpy(&v, &bits, 8);
        if (fabs(v) < 0x1p-1022)
            v = copysign(0, v);
        v = x->u->imm == MUFU_RSQ ? special(MUFU_RSQ, v) : 1 / v;
        if (fabs(v) < 0x1p-1022)
            v = copysign(0, v);
        memcpy(&bits, &v, 8);
        x->d[l] = isnan(v) ? 0x7fffffff : (uint32_t)(bits >> 32);
    }
}

static bool is_extreme_quotient(int a, int b) {
    return a == 0xff || b == 0xff || b == 0 || b >= 253 || a - b >= 126 || a - b <= -126 || a <= 24;
}

/* True if a / b needs the slow path: its exponents are extreme. */
void smp_lanes_fchk(lane_args *x) {
    x->p_out = LANES_WHERE(is_extreme_quotient(x->a[l] >> 23 & 0xff, x->b[l] >> 23 & 0xff));
}
