/* SPDX-License-Identifier: MIT */
/*
 * Single and double precision. Adding, multiplying and their fusion are IEEE 754's, as on the GPU;
 * NaN results are the GPU's one NaN. Roundings other than to nearest, flushing and saturation go
 * through the slow functions.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "warp.h"

#define FLOAT_ROWS                      \
    lane_float *d = (lane_float *)x->d; \
    const lane_float *a = (const lane_float *)x->a, *b = (const lane_float *)x->b
#define NAN_BITS 0x7fffffffu

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline float one_nan(float value) {
    return value == value ? value : float_of(NAN_BITS);
}

LANES_CLONED void smp_lanes_fadd(lane_args *x) {
    FLOAT_ROWS;
    EACH_LANE d[l] = one_nan(a[l] + b[l]);
}

LANES_CLONED void smp_lanes_fmul(lane_args *x) {
    FLOAT_ROWS;
    EACH_LANE d[l] = one_nan(a[l] * b[l]);
}

LANES_CLONED void smp_lanes_ffma(lane_args *x) {
    FLOAT_ROWS;
    const lane_float *c = (const lane_float *)x->c;
    EACH_LANE d[l] = one_nan(__builtin_fmaf(a[l], b[l], c[l]));
}

static int fenv_rounding(unsigned flags) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    return modes[flags & ROUND_MASK];
}

static inline float flushed(float value, uint32_t flags) {
    const float least = flags & FLOAT_FTZ ? 0x1p-126f : 0;
    return fabsf(value) < least ? copysignf(0, value) : value;
}

static inline float finish(float value, uint32_t flags) {
    const float flat = flushed(value, flags), least = flat > 0 ? flat : 0; /* of a NaN: 0 */
    return flags & FLOAT_SATURATE ? least > 1 ? 1 : least : one_nan(flat);
}

/* What computes in the rounding that is set is a function of its own, so that the compiler moves
 * nothing of it to where another one is. */
#define IN_ROUNDING LANES_CLONED static __attribute__((noinline))

IN_ROUNDING void add_floats(const lane_args *x, uint32_t flags) {
    FLOAT_ROWS;
    EACH_LANE d[l] = finish(flushed(a[l], flags) + flushed(b[l], flags), flags);
}

IN_ROUNDING void multiply_floats(const lane_args *x, uint32_t flags) {
    FLOAT_ROWS;
    EACH_LANE d[l] = finish(flushed(a[l], flags) * flushed(b[l], flags), flags);
}

IN_ROUNDING void fuse_floats(const lane_args *x, uint32_t flags) {
    FLOAT_ROWS;
    const lane_float *c = (const lane_float *)x->c;
    EACH_LANE d[l] = finish(
        __builtin_fmaf(flushed(a[l], flags), flushed(b[l], flags), flushed(c[l], flags)), flags);
}

static void slow_float(lane_args *x, void (*compute)(const lane_args *x, uint32_t flags)) {
    const uint32_t flags = x->u->imm;
    const int before = fegetround(), wanted = fenv_rounding(flags);
    if (wanted != before)
        fesetround(wanted);
    compute(x, flags);
    if (wanted != before)
        fesetround(before);
}

void smp_lanes_fadd_slow(lane_args *x) {
    slow_float(x, add_floats);
}

void smp_lanes_fmul_slow(lane_args *x) {
    slow_float(x, multiply_floats);
}

void smp_lanes_ffma_slow(lane_args *x) {
    slow_float(x, fuse_floats);
}

/* Of -0 and +0 the smaller is -0. A NaN loses, unless FLOAT_NAN. */
static float extreme(float a, float b, bool is_minimum, uint32_t flags) {
    if (isnan(a) || isnan(b)) {
        if (flags & FLOAT_NAN || (isnan(a) && isnan(b)))
            return float_of(NAN_BITS);
        return isnan(a) ? b : a;
    }
    if (a == b)
        return (signbit(a) != 0) == is_minimum ? a : b;
    return (a < b) == is_minimum ? a : b;
}

void smp_lanes_fmnmx(lane_args *x) {
    uint32_t flags = x->u->imm;
    for (unsigned l = 0; l < ROW; l++) {
        float a = flushed(float_of(x->a[l]), flags), b = flushed(float_of(x->b[l]), flags);
        x->d[l] = bits_of(extreme(a, b, x->p >> l & 1, flags));
    }
}

LANES_CLONED void smp_lanes_fsel(lane_args *x) {
    uint32_t *d = x->d, p = x->p;
    const uint32_t *a = x->a, *b = x->b;
    EACH_LANE d[l] = p >> l & 1 ? a[l] : b[l];
}

static inline unsigned order(double a, double b) {
    return a < b ? CMP_LT : a == b ? CMP_EQ : a > b ? CMP_GT : CMP_UNORDERED;
}

LANES_CLONED void smp_lanes_fsetp(lane_args *x) {
    const lane_float *a = (const lane_float *)x->a, *b = (const lane_float *)x->b;
    uint32_t compare = x->u->imm & 0xff, flush = x->u->imm2 & FLOAT_FTZ, result = 0;
    uint32_t bits[ROW];
    if (flush) {
        for (unsigned l = 0; l < ROW; l++)
            result |= (uint32_t)((order(flushed(a[l], flush), flushed(b[l], flush)) & compare) != 0)
                      << l;
    } else {
        EACH_LANE {
            uint32_t less = a[l]<b[l], equal = a[l] == b[l], greater = a[l]> b[l];
            uint32_t is = (less & compare) | (equal & compare >> 1) | (greater & compare >> 2) |
                          (~(less | equal | greater) & compare >> 3);
            bits[l] = (is & 1) << l;
        }
        for (unsigned l = 0; l < ROW; l++)
            result |= bits[l];
    }
    lanes_join(x, result, x->u->imm >> 8);
}

/* imm2 bit 31: the result is 1.0 instead of all ones. */
void smp_lanes_fset(lane_args *x) {
    smp_lanes_fsetp(x);
    uint32_t one = x->u->imm2 >> 31 ? 0x3f800000 : 0xffffffff;
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = x->p_out >> l & 1 ? one : 0;
}

/* ---- Double precision: rows are pairs ---- */

static inline double double_at(const uint32_t *row, unsigned l) {
    uint64_t bits = row[l] | (uint64_t)row[ROW + l] << 32;
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static inline void set_double(uint32_t *row, unsigned l, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    row[l] = (uint32_t)bits;
    row[ROW + l] = (uint32_t)(bits >> 32);
}

/* A NaN result is the second operand's, else the third's, else the first's that is one, quiet, its
 * sign as it was before a modifier changed it; without one, the default (as an H200 has them). */
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
    return double_at(emu_rows(x->warp->block->worker->run->program, x->warp, operand), l);
}

static double result_with_payload(const lane_args *x, double result, unsigned l, bool has_c) {
    return with_payload(result, unchanged(x, &x->u->a, l), unchanged(x, &x->u->b, l),
                        has_c ? unchanged(x, &x->u->c, l) : 0);
}

/* NaN results, which are few, get their payload in a second pass. */
static void fix_payloads(lane_args *x, const double *results, bool has_c) {
    for (unsigned l = 0; l < ROW; l++)
        set_double(x->d, l,
                   isnan(results[l]) ? result_with_payload(x, results[l], l, has_c) : results[l]);
}

LANES_CLONED void smp_lanes_dadd(lane_args *x) {
    double r[ROW];
    EACH_LANE r[l] = double_at(x->a, l) + double_at(x->b, l);
    fix_payloads(x, r, false);
}

LANES_CLONED void smp_lanes_dmul(lane_args *x) {
    double r[ROW];
    EACH_LANE r[l] = double_at(x->a, l) * double_at(x->b, l);
    fix_payloads(x, r, false);
}

LANES_CLONED void smp_lanes_dfma(lane_args *x) {
    double r[ROW];
    EACH_LANE r[l] = __builtin_fma(double_at(x->a, l), double_at(x->b, l), double_at(x->c, l));
    fix_payloads(x, r, true);
}

IN_ROUNDING void add_doubles(const lane_args *x, double *r) {
    EACH_LANE r[l] = double_at(x->a, l) + double_at(x->b, l);
}

IN_ROUNDING void multiply_doubles(const lane_args *x, double *r) {
    EACH_LANE r[l] = double_at(x->a, l) * double_at(x->b, l);
}

IN_ROUNDING void fuse_doubles(const lane_args *x, double *r) {
    EACH_LANE r[l] = __builtin_fma(double_at(x->a, l), double_at(x->b, l), double_at(x->c, l));
}

static void slow_double(lane_args *x, void (*compute)(const lane_args *x, double *r), bool has_c) {
    double r[ROW];
    const int before = fegetround();
    fesetround(fenv_rounding(x->u->imm));
    compute(x, r);
    fesetround(before);
    fix_payloads(x, r, has_c);
}

void smp_lanes_dadd_slow(lane_args *x) {
    slow_double(x, add_doubles, false);
}

void smp_lanes_dmul_slow(lane_args *x) {
    slow_double(x, multiply_doubles, false);
}

void smp_lanes_dfma_slow(lane_args *x) {
    slow_double(x, fuse_doubles, true);
}

/* Whether a is the smaller (or larger): a NaN is never, -0 is below +0; and whether both are NaN.
 */
static void choose_extreme(lane_args *x) {
    uint32_t is_a = 0, is_nan = 0;
    for (unsigned l = 0; l < ROW; l++) {
        double a = double_at(x->a, l), b = double_at(x->b, l);
        bool is_minimum = x->u->imm2 == 1;
        bool takes_a = isnan(b)   ? !isnan(a)
                       : isnan(a) ? false
                       : a == b   ? (signbit(a) != 0) == is_minimum
                                  : (a < b) == is_minimum;
        is_a |= (uint32_t)takes_a << l;
        is_nan |= (uint32_t)(isnan(a) && isnan(b)) << l;
    }
    x->p_out = is_a & x->p;
    x->q_out = is_nan & x->p;
}

/* imm2: 0 compares, 1 chooses the minimum, 2 the maximum. */
void smp_lanes_dsetp(lane_args *x) {
    if (x->u->imm2 != 0) {
        choose_extreme(x);
        return;
    }
    uint32_t compare = x->u->imm & 0xff, result = 0;
    for (unsigned l = 0; l < ROW; l++)
        result |= (uint32_t)((order(double_at(x->a, l), double_at(x->b, l)) & compare) != 0) << l;
    lanes_join(x, result, x->u->imm >> 8);
}

void smp_lanes_dmnmx(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        double a = double_at(x->a, l), b = double_at(x->b, l);
        bool is_minimum = x->p >> l & 1;
        double r = isnan(a)                ? b
                   : isnan(b)              ? a
                   : a == b                ? ((signbit(a) != 0) == is_minimum ? a : b)
                   : (a < b) == is_minimum ? a
                                           : b;
        set_double(x->d, l, r);
    }
}

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
    /* The argument of sine and cosine is in turns: FMUL.RZ by 1/(2 pi) precedes. */
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

/* All but the exponential flush what is too small for a normal number. */
static inline uint32_t special_result(double out) {
    const float single = (float)out;
    const float result = fabsf(single) < 0x1p-126f ? copysignf(0, single) : single;
    return bits_of(one_nan(result));
}

static inline double special_operand(uint32_t bits) {
    const float in = float_of(bits);
    return fabsf(in) < 0x1p-126f ? copysignf(0, in) : in;
}

/* The two that divisions and norms are made of, as special() has them. */
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
        float in = flushed(float_of(x->a[l]), flush);
        float out = flushed((float)special(op, in), flush);
        x->d[l] = bits_of(one_nan(out));
    }
}

/* The high word of a double's reciprocal (imm 0) or reciprocal square root: 20 bits of it. */
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

/* Whether a / b needs the careful way: exponents near the ends. */
void smp_lanes_fchk(lane_args *x) {
    uint32_t result = 0;
    for (unsigned l = 0; l < ROW; l++) {
        int a = (int)(x->a[l] >> 23 & 0xff), b = (int)(x->b[l] >> 23 & 0xff);
        bool is_plain = a != 0xff && b != 0xff && b != 0 && a != 0 && b < 253 && a - b < 126 &&
                        a - b > -126 && a > 24;
        result |= (uint32_t)!is_plain << l;
    }
    x->p_out = result;
}
