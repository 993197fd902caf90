/* SPDX-License-Identifier: MIT */
/* Two 16-bit floating-point numbers in a register: IEEE halves, or bfloat16 (HALF_IS_BF16). */
#include <math.h>
#include <string.h>

#include "lanes.h"

static double raw_half(uint32_t word, unsigned which, uint32_t flags) {
    return smp_short_to_float((uint16_t)(word >> 16 * which), flags & HALF_IS_BF16);
}

/* Flushes denormals if the flags ask for it. */
static double half_at(uint32_t word, unsigned which, uint32_t flags) {
    const double value = raw_half(word, which, flags);
    if (flags & FLOAT_FTZ && fabs(value) < (flags & HALF_IS_BF16 ? 0x1p-126 : 0x1p-14))
        return copysign(0, value);
    return value;
}

static uint16_t half_of(double value, uint32_t flags) {
    if (flags & FLOAT_SATURATE)
        value = !(value > 0) ? 0 : value > 1 ? 1 : value;
    if (flags & FLOAT_RELU && value < 0)
        value = 0;
    uint16_t half = smp_short_of_double(value, flags & HALF_IS_BF16);
    if (flags & FLOAT_FTZ && (half & (flags & HALF_IS_BF16 ? 0x7f80 : 0x7c00)) == 0)
        half &= 0x8000;
    return half;
}

/* a x b + c rounded to odd in 53 bits, so that a second rounding gives the correctly rounded
 * result. a x b is exact. */
static double fused(double a, double b, double c) {
    double product = a * b, sum = product + c;
    double part = sum - product, lost = (product - (sum - part)) + (c - part);
    if (lost == 0 || isinf(sum) || isnan(sum) || isnan(lost))
        return sum;
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    if (bits & 1)
        return sum;
    return nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}

/* imm2: 0 a + b, 1 a x b, 2 a x b + c. */
static uint32_t half_result(uint32_t a, uint32_t b, uint32_t c, uint32_t flags, uint32_t form) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 2; i++) {
        const double x = half_at(a, i, flags), y = half_at(b, i, flags);
        const double r = form == 0 ? x + y : form == 1 ? x * y : fused(x, y, half_at(c, i, flags));
        result |= (uint32_t)half_of(r, flags) << 16 * i;
    }
    return result;
}

/* Takes low halves and returns a float; imm2 as above. */
static uint32_t single_result(uint32_t a, uint32_t b, uint32_t c, uint32_t flags, uint32_t form) {
    const double x = raw_half(a, 0, flags), y = raw_half(b, 0, flags);
    const double z = form == 2 ? raw_half(c, 0, flags) : 0;
    return lanes_result((float)(form == 0 ? x + y : form == 1 ? x * y : x * y + z));
}

LANE_OP(hfma2, NOTHING, half_result(a[l], b[l], c[l], u->imm, u->imm2))
LANE_OP(hfma2_f32, NOTHING, single_result(a[l], b[l], c[l], u->imm, u->imm2))

/* imm: CMP | JOIN << 8; imm2: flags; bit 16: one predicate for both halves (.H_AND). */
void smp_lanes_hsetp2(lane_args *x) {
    const uint32_t flags = x->u->imm2, compare = x->u->imm & 0xff;
    const uint32_t *a = x->a, *b = x->b;
    const uint32_t low = LANES_WHERE(
                       lanes_holds(half_at(a[l], 0, flags), half_at(b[l], 0, flags), compare)),
                   high = LANES_WHERE(
                       lanes_holds(half_at(a[l], 1, flags), half_at(b[l], 1, flags), compare));
    unsigned join = x->u->imm >> 8;
    if (flags >> 16 & 1) {
        lanes_join(x, low & high, join);
        return;
    }
    lanes_join(x, high, join);
    uint32_t of_high = x->p_out;
    lanes_join(x, low, join);
    x->q_out = of_high;
}

/* imm2 bit 31: true is 1.0 instead of all ones. */
void smp_lanes_hset2(lane_args *x) {
    uint32_t one = x->u->imm2 >> 31 ? x->u->imm2 & HALF_IS_BF16 ? 0x3f80u : 0x3c00u : 0xffffu;
    smp_lanes_hsetp2(x);
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = (x->p_out >> l & 1 ? one : 0) | (x->q_out >> l & 1 ? one << 16 : 0);
}

static uint32_t extreme(uint32_t x, uint32_t y, unsigned which, bool is_minimum, uint32_t flags) {
    const double a = raw_half(x, which, flags), b = raw_half(y, which, flags);
    const bool is_nan = flags & FLOAT_NAN ? isnan(a) || isnan(b) : isnan(a) && isnan(b);
    const uint32_t word = lanes_takes_first(a, b, is_minimum) ? x : y;
    return (is_nan ? 0x7fff : word >> 16 * which & 0xffff) << 16 * which;
}

static uint32_t extremes(uint32_t x, uint32_t y, bool is_minimum, uint32_t flags) {
    return extreme(x, y, 0, is_minimum, flags) | extreme(x, y, 1, is_minimum, flags);
}

LANE_OP(hmnmx2, NOTHING, extremes(a[l], b[l], p >> l & 1, u->imm))
/* The extreme of three numbers is that of two, then of the result and the third (H200, all triples
 * of seven values with NaN, zeros and infinities). */
LANE_OP(vhmnmx, NOTHING,
        extremes(extremes(a[l], b[l], p >> l & 1, u->imm), c[l], p >> l & 1, u->imm))

/* ---- Rounding of doubles to narrower types, once ----
 *
 * A double holds every sum of a product of two halves and a third exactly enough: where it would
 * not, the operations say so and round to odd before. */

float smp_bf16_to_float(uint16_t half) {
    return lanes_float((uint32_t)half << 16);
}

float smp_half_to_float(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31;
    uint32_t mantissa = half & 0x3ff;
    if (exponent == 31)
        return lanes_float(sign | 0x7f800000 | mantissa << 13);
    if (exponent == 0) {
        float value = (float)mantissa * 0x1p-24f;
        return lanes_float(sign | lanes_bits(value));
    }
    return lanes_float(sign | (exponent + 112) << 23 | mantissa << 13);
}

/* |value| rounded to units of the last place, for a type with `bits` mantissa bits (including the
 * hidden one) and the least exponent `least`. */
static double round_units(double value, int bits, int least, unsigned rounding, int *exponent) {
    int at;
    frexp(value, &at);
    at -= bits;
    *exponent = at < least ? least : at;
    double units = ldexp(fabs(value), -*exponent), whole = floor(units), rest = units - whole;
    bool is_negative = signbit(value);
    bool up = rounding == ROUND_NEAREST ? rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)
              : rounding == ROUND_UP    ? rest > 0 && !is_negative
              : rounding == ROUND_DOWN  ? rest > 0 && is_negative
                                        : false;
    return whole + up;
}

double smp_narrowed(double value, int bits, int least, double largest, unsigned rounding) {
    if (isnan(value) || isinf(value) || value == 0)
        return value;
    int exponent;
    double units = round_units(value, bits, least, rounding, &exponent);
    double result = ldexp(units, exponent);
    bool is_negative = signbit(value);
    if (result > largest) {
        bool stays = rounding == ROUND_ZERO || (rounding == ROUND_UP && is_negative) ||
                     (rounding == ROUND_DOWN && !is_negative);
        result = stays ? largest : INFINITY;
    }
    return is_negative ? -result : result;
}

unsigned smp_digits_of(double value, int mantissa_bits, int bias) {
    int exponent;
    const double fraction = frexp(value, &exponent); /* from 0.5 to 1 */
    return value == 0 || exponent + bias <= 1 ? (unsigned)ldexp(value, bias - 1 + mantissa_bits)
                                              : ((unsigned)(exponent + bias - 2) << mantissa_bits) +
                                                    (unsigned)ldexp(fraction, mantissa_bits + 1);
}

uint16_t smp_half_of_double(double value, unsigned rounding) {
    if (isnan(value))
        return 0x7fff;
    value = smp_narrowed(value, 11, -24, 65504.0, rounding);
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    value = fabs(value);
    if (isinf(value))
        return (uint16_t)(sign | 0x7c00);
    return (uint16_t)(sign | smp_digits_of(value, 10, 15));
}

uint16_t smp_bf16_of_double(double value, unsigned rounding) {
    if (isnan(value))
        return 0x7fff;
    return (uint16_t)(lanes_bits((float)smp_narrowed(value, 8, -133, 0x1.fep127, rounding)) >> 16);
}

float smp_float_of_double(double value, unsigned rounding) {
    if (rounding == ROUND_NEAREST)
        return (float)value;
    return (float)smp_narrowed(value, 24, -149, 0x1.fffffep127, rounding);
}

float smp_short_to_float(uint16_t bits, bool is_bf16) {
    return is_bf16 ? smp_bf16_to_float(bits) : smp_half_to_float(bits);
}

/* Converts normal numbers whose rounding cannot overflow; false for others. */
static bool short_of_normal(double value, bool is_bf16, uint16_t *out) {
    const int mantissa = is_bf16 ? 7 : 10, least = is_bf16 ? -126 : -14, most = is_bf16 ? 127 : 15;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023, shift = 52 - mantissa;
    if (exponent < least || exponent >= most)
        return false;
    const uint64_t rest = bits & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    const uint32_t digits = (uint32_t)((bits & ((1ull << 52) - 1)) >> shift);
    uint32_t all = (uint32_t)(exponent - least + 1) << mantissa | digits;
    all += rest > half || (rest == half && (all & 1) != 0);
    *out = (uint16_t)(bits >> 63 << 15 | all);
    return true;
}

uint16_t smp_short_of_double(double value, bool is_bf16) {
    uint16_t fast;
    if (short_of_normal(value, is_bf16, &fast))
        return fast;
    return is_bf16 ? smp_bf16_of_double(value, ROUND_NEAREST)
                   : smp_half_of_double(value, ROUND_NEAREST);
}
