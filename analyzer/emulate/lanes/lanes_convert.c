/* SPDX-License-Identifier: MIT */
/*
 * Conversions between number types. A type is CONVERT_...; imm is from | to << 8, imm2 holds
 * rounding and flags (lanes.h), and in bits 8 to 15 the position of a narrow integer in the
 * register.
 */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "lanes.h"
#include "lanes_rounding.h"

static unsigned type_bits(unsigned type) {
    static const uint8_t bits[] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 16, 32, 64};
    return bits[type];
}

static bool is_signed(unsigned type) {
    return type == CONVERT_S8 || type == CONVERT_S16 || type == CONVERT_S32 || type == CONVERT_S64;
}

static double to_double(uint64_t bits, unsigned type) {
    double value;
    if (type == CONVERT_F16 || type == CONVERT_BF16)
        return smp_short_to_float((uint16_t)bits, type == CONVERT_BF16);
    if (type == CONVERT_F32)
        return lanes_float((uint32_t)bits);
    memcpy(&value, &bits, 8);
    return value;
}

static uint64_t from_double(double value, unsigned type, unsigned rounding) {
    uint64_t bits;
    switch (type) {
    case CONVERT_F16:
        return smp_half_of_double(value, rounding);
    case CONVERT_BF16:
        return smp_bf16_of_double(value, rounding);
    case CONVERT_F32:
        return lanes_result(smp_float_of_double(value, rounding));
    default:
        memcpy(&bits, &value, 8);
        return bits;
    }
}

static uint64_t value_at(const uint32_t *row, unsigned l, unsigned type) {
    return type_bits(type) == 64 ? lanes_pair(row, l) : row[l];
}

static void set_value(uint32_t *row, unsigned l, unsigned type, uint64_t value) {
    row[l] = (uint32_t)value;
    if (type_bits(type) == 64)
        row[ROW + l] = (uint32_t)(value >> 32);
}

/* A 64-bit integer may need more bits than a double has: its lowest bits are merged into one sticky
 * bit, which rounding to single precision cannot tell apart. Conversions to double are rounded
 * here. */
static double integer_to_double(uint64_t magnitude, bool is_negative, unsigned to,
                                unsigned rounding) {
    double value;
    if (magnitude >> 53 == 0) {
        value = (double)magnitude;
    } else if (to == CONVERT_F64) {
        unsigned drop = 11 - (unsigned)__builtin_clzll(magnitude);
        uint64_t rest = magnitude & ((1ull << drop) - 1), whole = magnitude >> drop;
        uint64_t half = 1ull << (drop - 1);
        bool up = rounding == ROUND_NEAREST ? rest > half || (rest == half && whole & 1)
                  : rounding == ROUND_UP    ? rest != 0 && !is_negative
                  : rounding == ROUND_DOWN  ? rest != 0 && is_negative
                                            : false;
        value = ldexp((double)(whole + up), (int)drop);
    } else {
        value = ldexp((double)(magnitude >> 12 | ((magnitude & 0xfff) != 0)), 12);
    }
    return is_negative ? -value : value;
}

/* ---- Between words and single precision, which integer divisions are made of ---- */

IN_ROUNDING void singles_of_words(uint32_t *d, const uint32_t *a, bool has_sign) {
    if (has_sign)
        EACH_LANE d[l] = lanes_bits((float)(int32_t)a[l]);
    else
        EACH_LANE d[l] = lanes_bits((float)a[l]);
}

#define WHOLE_SINGLES(name, round)                                                      \
    LANES_CLONED static void name(uint32_t *d, const uint32_t *a, bool flushes) {       \
        const float small = flushes ? 0x1p-126f : 0;                                    \
        EACH_LANE {                                                                     \
            float single;                                                               \
            memcpy(&single, &a[l], 4);                                                  \
            const uint32_t sign = a[l] & 0x80000000u;                                   \
            const float flat = single < small && single > -small ? 0 : round(single);   \
            d[l] = flat != flat ? 0x7fffffff : (lanes_bits(flat) & 0x7fffffffu) | sign; \
        }                                                                               \
    }

WHOLE_SINGLES(whole_nearest, nearbyintf)
WHOLE_SINGLES(whole_below, floorf)
WHOLE_SINGLES(whole_above, ceilf)
WHOLE_SINGLES(whole_inside, truncf)

static void (*const whole_singles[])(uint32_t *, const uint32_t *,
                                     bool) = {[ROUND_NEAREST] = whole_nearest,
                                              [ROUND_DOWN] = whole_below,
                                              [ROUND_UP] = whole_above,
                                              [ROUND_ZERO] = whole_inside};

/* Converts integral floats to words, in place. */
LANES_CLONED static void words_of_whole(uint32_t *d, bool has_sign) {
    const double less = has_sign ? 0 : 0x1p31, most = has_sign ? 0x1p31 - 1 : 0x1p32 - 1;
    const double least = has_sign ? -0x1p31 : 0;
    const uint32_t flip = has_sign ? 0 : 0x80000000u;
    EACH_LANE {
        double value = lanes_float(d[l]);
        value = value != value ? 0 : value < least ? least : value > most ? most : value;
        d[l] = (uint32_t)(int32_t)(value - less) ^ flip;
    }
}

void smp_lanes_i2f(lane_args *x) {
    unsigned from = x->u->imm & 0xff, to = x->u->imm >> 8 & 0xff;
    unsigned rounding = x->u->imm2 & ROUND_MASK, at = x->u->imm2 >> 8 & 0xff;
    unsigned bits = type_bits(from);
    if (bits == 32 && to == CONVERT_F32 && at == 0) {
        const lanes_rounding before = lanes_round(rounding);
        singles_of_words(x->d, x->a, is_signed(from));
        lanes_round_as(before);
        return;
    }
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t v = value_at(x->a, l, from) >> at;
        if (bits < 64)
            v &= (1ull << bits) - 1;
        bool is_negative = is_signed(from) && v >> (bits - 1) & 1;
        if (is_negative && bits < 64)
            v |= ~0ull << bits;
        double value = integer_to_double(is_negative ? 0 - v : v, is_negative, to, rounding);
        set_value(x->d, l, to, from_double(value, to, rounding));
    }
}

static double (*const wholes[])(double) = {
    [ROUND_NEAREST] = nearbyint, [ROUND_DOWN] = floor, [ROUND_UP] = ceil, [ROUND_ZERO] = trunc};

static double flushed_to_zero(double value, unsigned from, uint32_t flags) {
    if (flags & FLOAT_FTZ && from == CONVERT_F32 && fabs(value) < 0x1p-126)
        return copysign(0, value);
    return value;
}

/* Out of range: the type's nearest number. NaN: 0 for 32 bits and below from single precision, else
 * only the sign bit. */
static uint64_t integer_of(double value, unsigned to, unsigned from) {
    unsigned bits = type_bits(to);
    if (isnan(value))
        return bits == 64 || from == CONVERT_F64 ? 1ull << (bits - 1) : 0;
    double limit = ldexp(1, (int)bits - is_signed(to));
    uint64_t largest = is_signed(to) ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
    if (value >= limit)
        return largest;
    if (is_signed(to) && value < -limit)
        return 0 - (1ull << (bits - 1));
    if (!is_signed(to) && value < 0)
        return 0;
    return is_signed(to) ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* The operand of a conversion from a floating-point type. */
static double real_operand(const lane_args *x, unsigned l, unsigned from) {
    const uint64_t in = value_at(x->a, l, from) >> (x->u->imm2 >> 8 & 0xff);
    return flushed_to_zero(to_double(in, from), from, x->u->imm2);
}

void smp_lanes_f2i(lane_args *x) {
    unsigned from = x->u->imm & 0xff, to = x->u->imm >> 8 & 0xff;
    if (from == CONVERT_F32 && (to == CONVERT_U32 || to == CONVERT_S32) && x->u->imm2 >> 8 == 0) {
        whole_singles[x->u->imm2 & ROUND_MASK](x->d, x->a, x->u->imm2 & FLOAT_FTZ);
        words_of_whole(x->d, is_signed(to));
        return;
    }
    for (unsigned l = 0; l < ROW; l++) {
        const double v = real_operand(x, l, from);
        set_value(x->d, l, to, integer_of(wholes[x->u->imm2 & ROUND_MASK](v), to, from));
    }
}

static double unchanged(const lane_args *x, unsigned l, unsigned from) {
    const uint32_t *row = emu_row_of(x->warp, &x->u->a);
    return to_double(value_at(row, l, from), from);
}

/* A NaN of double precision keeps the highest bits of its payload. */
static uint64_t single_of(double value, unsigned from, unsigned rounding) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    if (isnan(value) && from == CONVERT_F64)
        return 0x7fc00000u | (uint32_t)(bits >> 63) << 31 | (uint32_t)(bits >> 29 & 0x7fffff);
    return from_double(value, CONVERT_F32, rounding);
}

void smp_lanes_f2f(lane_args *x) {
    unsigned from = x->u->imm & 0xff, to = x->u->imm >> 8 & 0xff;
    for (unsigned l = 0; l < ROW; l++) {
        double v = real_operand(x, l, from);
        if (isnan(v) && from != CONVERT_F16 && from != CONVERT_BF16)
            v = unchanged(x, l, from); /* the sign of a NaN does not change */
        unsigned rounding = x->u->imm2 & ROUND_MASK;
        set_value(x->d, l, to,
                  to == CONVERT_F32 ? single_of(v, from, rounding) : from_double(v, to, rounding));
    }
}

void smp_lanes_frnd(lane_args *x) {
    unsigned from = x->u->imm & 0xff;
    if (from == CONVERT_F32 && x->u->imm2 >> 8 == 0) {
        whole_singles[x->u->imm2 & ROUND_MASK](x->d, x->a, x->u->imm2 & FLOAT_FTZ);
        return;
    }
    for (unsigned l = 0; l < ROW; l++) {
        const double v = real_operand(x, l, from);
        double r = copysign(wholes[x->u->imm2 & ROUND_MASK](v), v);
        uint64_t bits = from_double(r, from, ROUND_NEAREST);
        if (isnan(r) && from == CONVERT_F64) /* it becomes quiet */
            bits |= 0x0008000000000000u;
        set_value(x->d, l, from, bits);
    }
}

/* Converts two floats to two halves; a is the high one. */
void smp_lanes_f2fp(lane_args *x) {
    unsigned to = x->u->imm >> 8 & 0xff, rounding = x->u->imm2 & ROUND_MASK;
    for (unsigned l = 0; l < ROW; l++) {
        double high = to_double(x->a[l], CONVERT_F32), low = to_double(x->b[l], CONVERT_F32);
        if (x->u->imm2 & FLOAT_RELU) {
            high = high < 0 ? 0 : high;
            low = low < 0 ? 0 : low;
        }
        x->d[l] =
            (uint32_t)(from_double(high, to, rounding) << 16 | from_double(low, to, rounding));
    }
}
