/* SPDX-License-Identifier: MIT */
/*
 * Minima and maxima of three, and of two 16-bit integers a register; numbers of 8 bits with a
 * point. Meanings: the PTX manual (min, max, add, vset..., cvt), and CUDA's math API for those that
 * only a sequence of PTX instructions has (DPX).
 */
#include <math.h>

#include "lanes.h"
#include "packed.h"

/* a and b as they are compared: of part `at` of the register, extended by the type. */
static int64_t part_of(uint32_t value, unsigned at, uint32_t flags) {
    if (flags & PACKED_BYTES)
        return (uint8_t)(value >> at);
    if (!(flags & PACKED_HALVES))
        return flags & PACKED_UNSIGNED ? (int64_t)value : (int32_t)value;
    uint16_t half = (uint16_t)(value >> at);
    return flags & PACKED_UNSIGNED ? (int64_t)half : (int16_t)half;
}

static int64_t extreme(int64_t a, int64_t b, bool is_minimum) {
    return (a < b) == is_minimum ? a : b;
}

/* imm: PACKED_...; the predicate chooses the minimum. */
void smp_lanes_packed_extreme(lane_args *x) {
    uint32_t flags = x->u->imm;
    unsigned step = flags & PACKED_BYTES ? 8 : flags & PACKED_HALVES ? 16 : 32;
    const uint32_t part = step == 32 ? UINT32_MAX : (1u << step) - 1;
    for (unsigned l = 0; l < ROW; l++) {
        bool is_minimum = x->p >> l & 1;
        uint32_t result = 0;
        for (unsigned at = 0; at < 32; at += step) {
            int64_t a = part_of(x->a[l], at, flags), b = part_of(x->b[l], at, flags);
            int64_t r = flags & PACKED_ADDS ? part_of((uint32_t)(a + b) << (at & 16), at, flags)
                                            : extreme(a, b, is_minimum);
            if (flags & (PACKED_ADDS | PACKED_THREE))
                r = extreme(r, part_of(x->c[l], at, flags), is_minimum);
            if (flags & PACKED_RELU && r < 0)
                r = 0;
            result |= ((uint32_t)r & part) << at;
        }
        x->d[l] = result;
    }
}

/* Sums of parts of imm2 bits; imm bit 0: -a, bit 1: -b. */
void smp_lanes_packed_add(lane_args *x) {
    const uint32_t flags = x->u->imm, step = x->u->imm2, part = (1u << step) - 1;
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t result = 0;
        for (unsigned at = 0; at < 32; at += step) {
            uint32_t a = x->a[l] >> at, b = x->b[l] >> at;
            uint32_t sum = (flags & 1 ? 0 - a : a) + (flags & 2 ? 0 - b : b);
            result |= (sum & part) << at;
        }
        x->d[l] = result;
    }
}

/* A signed sum that stops at the greatest and least number; imm as above. */
void smp_lanes_saturated_add(lane_args *x) {
    const uint32_t flags = x->u->imm;
    for (unsigned l = 0; l < ROW; l++) {
        const int64_t a = (int32_t)x->a[l], b = (int32_t)x->b[l];
        const int64_t sum = (flags & 1 ? -a : a) + (flags & 2 ? -b : b);
        x->d[l] = (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
    }
}

/* ---- Eight bits: E4M3 (no infinity, NaN is 0x7f) and E5M2 (as IEEE 754 would) ---- */

double smp_fp8_value(uint8_t bits, bool is_e5m2) {
    unsigned mantissa_bits = is_e5m2 ? 2 : 3;
    int bias = is_e5m2 ? 15 : 7;
    unsigned exponent = (bits & 0x7fu) >> mantissa_bits;
    unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
    double sign = bits & 0x80 ? -1 : 1;
    if (!is_e5m2 && (bits & 0x7f) == 0x7f)
        return NAN;
    if (is_e5m2 && exponent == 31)
        return mantissa != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - bias - (int)mantissa_bits);
    return sign * ldexp((double)(mantissa + (1u << mantissa_bits)),
                        (int)exponent - bias - (int)mantissa_bits);
}

/* To the nearest, even in the middle; what is too large becomes the largest. */
static uint8_t fp8_of(double value, bool is_e5m2) {
    int mantissa_bits = is_e5m2 ? 2 : 3, bias = is_e5m2 ? 15 : 7, exponent;
    double largest = is_e5m2 ? 57344 : 448;
    uint8_t sign = signbit(value) ? 0x80 : 0;
    if (isnan(value))
        return 0x7f;
    value = fabs(value);
    if (value >= largest)
        return sign | (is_e5m2 ? 0x7b : 0x7e);
    if (value == 0)
        return sign;
    frexp(value, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    double scaled = nearbyint(ldexp(value, mantissa_bits - exponent));
    /* The mantissa carries into the exponent by itself; a subnormal has none of it. */
    unsigned bits = (unsigned)scaled;
    unsigned hidden = 1u << mantissa_bits;
    if (bits >= hidden)
        bits += ((unsigned)(exponent + bias) - 1) << mantissa_bits;
    double rounded = smp_fp8_value((uint8_t)bits, is_e5m2);
    return sign | (uint8_t)(rounded > largest || isnan(rounded) ? (is_e5m2 ? 0x7b : 0x7e) : bits);
}

static double relu(double value) {
    return signbit(value) && !isnan(value) ? 0 : value;
}

/* Two of the low half of a, as halves; imm bit 0: E5M2, bit 1: RELU; imm2: bits to shift a by. */
void smp_lanes_fp8_unpack(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t in = x->a[l] >> x->u->imm2, out = 0;
        for (unsigned i = 0; i < 2; i++) {
            double value = smp_fp8_value((uint8_t)(in >> 8 * i), x->u->imm & 1);
            value = x->u->imm & 2 ? relu(value) : value;
            out |= (uint32_t)smp_half_of_double(value, ROUND_NEAREST) << 16 * i;
        }
        x->d[l] = out;
    }
}

/* Two halves as two bytes; imm: E5M2; RELU in imm2. */
void smp_lanes_fp8_of_halves(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t out = 0;
        for (unsigned i = 0; i < 2; i++) {
            double value = smp_half_to_float((uint16_t)(x->a[l] >> 16 * i));
            value = x->u->imm2 & FLOAT_RELU ? relu(value) : value;
            out |= (uint32_t)fp8_of(value, x->u->imm) << 8 * i;
        }
        x->d[l] = out;
    }
}

static double single(uint32_t bits) {
    union {
        uint32_t bits;
        float value;
    } both = {bits};
    return both.value;
}

/* a is the high byte, b the low one; imm: E5M2; RELU in imm2. */
void smp_lanes_fp8_pack(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        double high = single(x->a[l]), low = single(x->b[l]);
        if (x->u->imm2 & FLOAT_RELU) {
            high = relu(high);
            low = relu(low);
        }
        x->d[l] = (uint32_t)fp8_of(high, x->u->imm) << 8 | fp8_of(low, x->u->imm);
    }
}
