/* SPDX-License-Identifier: MIT */
/*
 * 16-bit floating-point numbers, and rounding of doubles to any narrower type once. A double holds
 * every sum of a product of two halves and a third exactly enough: where it would not, the
 * operations say so and round to odd before.
 */
#include <math.h>
#include <string.h>

#include "lanes.h"

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

/* |value| in units of its last place in a type of `bits` mantissa bits (with the hidden one) whose
 * least exponent is `least`, rounded. */
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

/* To a type of `bits` mantissa bits with exponents from `least` (of the last place of subnormals);
 * `largest` is its largest number. Infinity where it is beyond, or `largest` where the rounding
 * says so. */
static double narrow(double value, int bits, int least, double largest, unsigned rounding) {
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

uint16_t smp_half_of_double(double value, unsigned rounding) {
    if (isnan(value))
        return 0x7fff;
    value = narrow(value, 11, -24, 65504.0, rounding);
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    value = fabs(value);
    if (isinf(value))
        return (uint16_t)(sign | 0x7c00);
    if (value < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)(value * 0x1p24));
    int exponent;
    double fraction = frexp(value, &exponent); /* 0.5 to 1 */
    return (uint16_t)(sign | (uint16_t)(((exponent + 13) << 10) + (int)(fraction * 2048)));
}

uint16_t smp_bf16_of_double(double value, unsigned rounding) {
    if (isnan(value))
        return 0x7fff;
    return (uint16_t)(lanes_bits((float)narrow(value, 8, -133, 0x1.fep127, rounding)) >> 16);
}

float smp_float_of_double(double value, unsigned rounding) {
    if (rounding == ROUND_NEAREST)
        return (float)value;
    return (float)narrow(value, 24, -149, 0x1.fffffep127, rounding);
}

float smp_short_to_float(uint16_t bits, bool is_bf16) {
    return is_bf16 ? smp_bf16_to_float(bits) : smp_half_to_float(bits);
}

uint16_t smp_short_of_double(double value, bool is_bf16) {
    return is_bf16 ? smp_bf16_of_double(value, ROUND_NEAREST)
                   : smp_half_of_double(value, ROUND_NEAREST);
}
