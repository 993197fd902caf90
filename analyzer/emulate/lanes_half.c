/* SPDX-License-Identifier: MIT */
/*
 * Two 16-bit floating-point numbers a register: IEEE halves, or bfloat16 (HALF_IS_BF16).
 */
#include <math.h>
#include <string.h>

#include "lanes.h"

static double half_at(uint32_t value, unsigned which, uint32_t flags) {
    uint16_t half = (uint16_t)(value >> 16 * which);
    return flags & HALF_IS_BF16 ? smp_bf16_to_float(half) : smp_half_to_float(half);
}

static double flushed(double value, uint32_t flags) {
    if (flags & FLOAT_FTZ && fabs(value) < (flags & HALF_IS_BF16 ? 0x1p-126 : 0x1p-14))
        return copysign(0, value);
    return value;
}

static uint16_t half_of(double value, uint32_t flags) {
    if (flags & FLOAT_SATURATE)
        value = !(value > 0) ? 0 : value > 1 ? 1 : value;
    if (flags & FLOAT_RELU && value < 0)
        value = 0;
    uint16_t half = flags & HALF_IS_BF16 ? smp_bf16_of_double(value, ROUND_NEAREST)
                                         : smp_half_of_double(value, ROUND_NEAREST);
    if (flags & FLOAT_FTZ && (half & (flags & HALF_IS_BF16 ? 0x7f80 : 0x7c00)) == 0)
        half &= 0x8000;
    return half;
}

/* a x b + c rounded to odd in 53 bits, so that rounding it again is rounding once. a x b is exact.
 */
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
void smp_lanes_hfma2(lane_args *x) {
    uint32_t flags = x->u->imm, form = x->u->imm2;
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t result = 0;
        for (unsigned i = 0; i < 2; i++) {
            double a = flushed(half_at(x->a[l], i, flags), flags);
            double b = flushed(half_at(x->b[l], i, flags), flags);
            double c = form == 2 ? flushed(half_at(x->c[l], i, flags), flags) : 0;
            double r = form == 0 ? a + b : form == 1 ? a * b : fused(a, b, c);
            result |= (uint32_t)half_of(r, flags) << 16 * i;
        }
        x->d[l] = result;
    }
}

/* Low halves in, a single-precision number out: imm2 as above. */
void smp_lanes_hfma2_f32(lane_args *x) {
    uint32_t flags = x->u->imm, form = x->u->imm2;
    for (unsigned l = 0; l < ROW; l++) {
        double a = half_at(x->a[l], 0, flags), b = half_at(x->b[l], 0, flags);
        double c = form == 2 ? half_at(x->c[l], 0, flags) : 0;
        float r = (float)(form == 0 ? a + b : form == 1 ? a * b : a * b + c);
        memcpy(&x->d[l], &r, 4);
        if (r != r)
            x->d[l] = 0x7fffffff;
    }
}

static bool holds(double a, double b, uint32_t compare) {
    unsigned is = a < b ? CMP_LT : a == b ? CMP_EQ : a > b ? CMP_GT : CMP_UNORDERED;
    return (is & compare) != 0;
}

/* imm: CMP | JOIN << 8; imm2: flags, and bit 16: one predicate for both (.H_AND). */
void smp_lanes_hsetp2(lane_args *x) {
    uint32_t flags = x->u->imm2, low = 0, high = 0, compare = x->u->imm & 0xff;
    for (unsigned l = 0; l < ROW; l++) {
        low |= (uint32_t)holds(flushed(half_at(x->a[l], 0, flags), flags),
                               flushed(half_at(x->b[l], 0, flags), flags), compare)
               << l;
        high |= (uint32_t)holds(flushed(half_at(x->a[l], 1, flags), flags),
                                flushed(half_at(x->b[l], 1, flags), flags), compare)
                << l;
    }
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

/* imm2 bit 31: results are 1.0, else all ones. */
void smp_lanes_hset2(lane_args *x) {
    uint32_t one = x->u->imm2 >> 31 ? x->u->imm2 & HALF_IS_BF16 ? 0x3f80u : 0x3c00u : 0xffffu;
    smp_lanes_hsetp2(x);
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = (x->p_out >> l & 1 ? one : 0) | (x->q_out >> l & 1 ? one << 16 : 0);
}

static uint16_t extreme(uint32_t x, uint32_t y, unsigned i, bool is_minimum, uint32_t flags) {
    double a = half_at(x, i, flags), b = half_at(y, i, flags);
    uint16_t of_a = (uint16_t)(x >> 16 * i), of_b = (uint16_t)(y >> 16 * i);
    if (isnan(a) || isnan(b)) {
        if (flags & FLOAT_NAN || (isnan(a) && isnan(b)))
            return 0x7fff;
        return isnan(a) ? of_b : of_a;
    }
    if (a == b)
        return (signbit(a) != 0) == is_minimum ? of_a : of_b;
    return (a < b) == is_minimum ? of_a : of_b;
}

void smp_lanes_hmnmx2(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        bool is_minimum = x->p >> l & 1;
        x->d[l] = extreme(x->a[l], x->b[l], 0, is_minimum, x->u->imm) |
                  (uint32_t)extreme(x->a[l], x->b[l], 1, is_minimum, x->u->imm) << 16;
    }
}
