/* SPDX-License-Identifier: MIT */
/*
 * Minimum and maximum of three numbers and of two 16-bit integers in a register; 8-bit floats.
 * Described in the PTX manual (min, max, add, vset..., cvt) and, for sequences of PTX instructions
 * (DPX), in CUDA's math API.
 */
#include <math.h>

#include "lanes.h"

/* Part `at` of the register as it is compared, extended by the type. */
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
static uint32_t packed_extreme(uint32_t a, uint32_t b, uint32_t c, uint32_t flags,
                               bool is_minimum) {
    const unsigned step = flags & PACKED_BYTES ? 8 : flags & PACKED_HALVES ? 16 : 32;
    const uint32_t part = UINT32_MAX >> (32 - step);
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += step) {
        const int64_t first = part_of(a, at, flags), second = part_of(b, at, flags);
        int64_t r = flags & PACKED_ADDS
                        ? part_of((uint32_t)(first + second) << (at & 16), at, flags)
                        : extreme(first, second, is_minimum);
        if (flags & (PACKED_ADDS | PACKED_THREE))
            r = extreme(r, part_of(c, at, flags), is_minimum);
        result |= ((uint32_t)(flags & PACKED_RELU && r < 0 ? 0 : r) & part) << at;
    }
    return result;
}

/* Sums of parts of `step` bits; imm bit 0: -a, bit 1: -b. */
static uint32_t packed_sum(uint32_t a, uint32_t b, uint32_t imm, unsigned step) {
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += step) {
        const uint32_t first = a >> at, second = b >> at;
        const uint32_t sum = (imm & 1 ? 0 - first : first) + (imm & 2 ? 0 - second : second);
        result |= (sum & ((1u << step) - 1)) << at;
    }
    return result;
}

/* A signed sum that saturates; imm as above. */
static uint32_t saturated_sum(uint32_t a, uint32_t b, uint32_t imm) {
    const int64_t first = (int32_t)a, second = (int32_t)b;
    const int64_t sum = (imm & 1 ? -first : first) + (imm & 2 ? -second : second);
    return (uint32_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

LANE_OP(packed_extreme, NOTHING, packed_extreme(a[l], b[l], c[l], u->imm, p >> l & 1))
LANE_OP(packed_add, NOTHING, packed_sum(a[l], b[l], u->imm, u->imm2))
LANE_OP(saturated_add, NOTHING, saturated_sum(a[l], b[l], u->imm))

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

/* Rounds to nearest even; too large numbers become the largest. */
static uint8_t fp8_of(double value, bool is_e5m2) {
    const int mantissa_bits = is_e5m2 ? 2 : 3, bias = is_e5m2 ? 15 : 7;
    const double largest = is_e5m2 ? 57344 : 448;
    if (isnan(value))
        return 0x7f;
    const double rounded = fabs(
        smp_narrowed(value, mantissa_bits + 1, 1 - bias - mantissa_bits, largest, ROUND_NEAREST));
    return (uint8_t)((signbit(value) ? 0x80 : 0) |
                     smp_digits_of(fmin(rounded, largest), mantissa_bits, bias));
}

/* If `is_wanted`, numbers below zero become zero. */
static double relu(double value, bool is_wanted) {
    return is_wanted && signbit(value) && !isnan(value) ? 0 : value;
}

/* Converts the two numbers in the low half of `in` to halves; imm bit 0: E5M2, bit 1: RELU. */
static uint32_t halves_of_fp8(uint32_t in, uint32_t imm) {
    uint32_t out = 0;
    for (unsigned i = 0; i < 32; i += 16, in >>= 8) {
        const double value = relu(smp_fp8_value((uint8_t)in, imm & 1), imm & 2);
        out |= (uint32_t)smp_half_of_double(value, ROUND_NEAREST) << i;
    }
    return out;
}

/* Two numbers in the low half, the low half of `rest` above. imm: E5M2; RELU in imm2. */
static uint32_t fp8_pair(double high, double low, uint32_t rest, const uop *u) {
    const bool is_relu = u->imm2 & FLOAT_RELU;
    return rest << 16 | (uint32_t)fp8_of(relu(high, is_relu), u->imm) << 8 |
           fp8_of(relu(low, is_relu), u->imm);
}

/* imm2: right shift of a in bits. */
LANE_OP(fp8_unpack, NOTHING, halves_of_fp8(a[l] >> u->imm2, u->imm))
LANE_OP(fp8_of_halves, NOTHING,
        fp8_pair(smp_half_to_float((uint16_t)(a[l] >> 16)), smp_half_to_float((uint16_t)a[l]), b[l],
                 u))
LANE_OP(fp8_pack, NOTHING, fp8_pair(lanes_float(a[l]), lanes_float(b[l]), c[l], u))
