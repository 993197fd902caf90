/* SPDX-License-Identifier: MIT */
/* Sums of products, in integer arithmetic. */
#include "matrix_sum.h"

#include <math.h>
#include <string.h>

#include "lanes.h"

enum {
    FRACTION_BITS = 25, /* below the largest exponent */
    NARROW_BITS = 13,
    NUMBER_BITS = 10, /* of a factor, below its own exponent */
    SINGLE_BITS = 23,
    NO_EXPONENT = -1000000,
};

void emu_matrix_number(matrix_numbers *out, unsigned index, float value, int32_t least) {
    const uint32_t bits = lanes_bits(value);
    int32_t exponent = (int32_t)(bits >> SINGLE_BITS & 255) - 127;
    int32_t mantissa = (int32_t)((bits & 0x7fffff) | 0x800000) >> (SINGLE_BITS - NUMBER_BITS);
    if (exponent == -127) /* zero, or a subnormal number of single precision */
        mantissa = (int32_t)(bits & 0x7fffff) >> (SINGLE_BITS - NUMBER_BITS), exponent = -126;
    if (exponent < least) { /* subnormal in its type */
        mantissa = least - exponent > NUMBER_BITS ? 0 : mantissa >> (least - exponent);
        exponent = least;
    }
    if (exponent == 128)
        out->is_finite = false;
    out->value[index] = value;
    out->mantissa[index] = bits >> 31 ? -mantissa : mantissa;
    out->exponent[index] = mantissa == 0 ? NO_EXPONENT : exponent;
}

static float plain_sum(const matrix_numbers *a, const matrix_numbers *b, unsigned depth,
                       float add) {
    double sum = add;
    for (unsigned i = 0; i < depth; i++)
        sum += (double)a->value[i] * b->value[i];
    return (float)sum;
}

LANES_INLINE uint32_t magnitude(int32_t value) {
    return (uint32_t)(value < 0 ? -value : value);
}

/* Negative only if nothing is shifted: a zero has no exponent of its own. */
LANES_INLINE int32_t at_most_31(int32_t value) {
    return value > 31 ? 31 : value < 0 ? 0 : value;
}

/* Keeps only this many bits below the highest one. */
LANES_INLINE int64_t cut(int64_t sum, unsigned bits) {
    uint64_t all = (uint64_t)(sum < 0 ? -sum : sum);
    unsigned length = all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
    unsigned drop = length > bits + 1 ? length - bits - 1 : 0;
    int64_t kept = (int64_t)(all >> drop << drop);
    return sum < 0 ? -kept : kept;
}

/* sum x 2^exponent, rounded towards zero; double precision holds the exponent easily. */
LANES_INLINE float single_of(int64_t sum, int32_t exponent) {
    uint64_t power = (uint64_t)(1023 + exponent) << 52;
    double factor;
    memcpy(&factor, &power, 8);
    const double value = (double)sum * factor;
    const float single = (float)value;
    return lanes_float(lanes_bits(single) - (fabs((double)single) > fabs(value)));
}

/* `fraction`: bits below the largest exponent; everything is shifted up by UP before it is cut. */
LANES_INLINE float sum_of(const matrix_numbers *a, const matrix_numbers *b, unsigned depth,
                          float add, int fraction, bool is_cut) {
    enum { UP = 2 };
    int32_t product[MATRIX_DEPTH], exponent[MATRIX_DEPTH], most = NO_EXPONENT;
    const uint32_t bits = lanes_bits(add);
    if (!a->is_finite || !b->is_finite || (bits >> SINGLE_BITS & 255) == 255)
        return plain_sum(a, b, depth, add);
    int32_t own = (int32_t)(bits >> SINGLE_BITS & 255), is_normal = own != 0;
    int32_t own_mantissa = (int32_t)(bits & 0x7fffff) | is_normal << SINGLE_BITS;
    own = (is_normal ? own : 1) - 127;
    if (own_mantissa != 0)
        most = own;
    for (unsigned i = 0; i < depth; i++) {
        product[i] = a->mantissa[i] * b->mantissa[i] * (1 << (UP + SINGLE_BITS - 2 * NUMBER_BITS));
        exponent[i] = a->exponent[i] + b->exponent[i];
        most = exponent[i] > most ? exponent[i] : most;
    }
    if (most <= NO_EXPONENT / 2)
        return 0;
    int32_t cuts = UP + SINGLE_BITS - fraction;
    int64_t sum = 0;
    for (unsigned i = 0; i < depth; i++) {
        uint32_t rest = magnitude(product[i]) >> at_most_31(most - exponent[i] + cuts);
        sum += product[i] < 0 ? -(int64_t)rest : (int64_t)rest;
    }
    int64_t added = (uint32_t)own_mantissa << UP >> at_most_31(most - own + cuts);
    sum += bits >> 31 ? -added : added;
    if (is_cut)
        sum = cut(sum, (unsigned)fraction);
    return single_of(sum, most - fraction);
}

LANES_CLONED float emu_matrix_sum(const matrix_numbers *a, const matrix_numbers *b, unsigned depth,
                                  float add) {
    return sum_of(a, b, depth, add, FRACTION_BITS, false);
}

LANES_CLONED float emu_matrix_sum_narrow(const matrix_numbers *a, const matrix_numbers *b,
                                         unsigned depth, float add, bool is_cut) {
    return sum_of(a, b, depth, add, NARROW_BITS, is_cut);
}
