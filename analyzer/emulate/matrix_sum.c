/* SPDX-License-Identifier: MIT */
/*
 * Sums of products, in integers.
 */
#include "matrix_sum.h"

#include <math.h>
#include <string.h>

#include "lanes.h"

enum {
    FRACTION_BITS = 25, /* below the largest exponent */
    NUMBER_BITS = 10,   /* of a factor, below its own exponent */
    SINGLE_BITS = 23,
    NO_EXPONENT = -1000000,
};

void emu_matrix_number(matrix_numbers *out, unsigned index, float value, int32_t least) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    int32_t exponent = (int32_t)(bits >> SINGLE_BITS & 255) - 127;
    int32_t mantissa = (int32_t)((bits & 0x7fffff) | 0x800000) >> (SINGLE_BITS - NUMBER_BITS);
    if (exponent == -127) /* zero; also a subnormal number of single precision's range */
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

LANES_CLONED float emu_matrix_sum(const matrix_numbers *a, const matrix_numbers *b, unsigned depth,
                                  float add) {
    enum { UP = FRACTION_BITS - 2 * NUMBER_BITS, UP_SINGLE = FRACTION_BITS - SINGLE_BITS };
    int32_t product[MATRIX_DEPTH], exponent[MATRIX_DEPTH], most = NO_EXPONENT;
    uint32_t bits;
    memcpy(&bits, &add, 4);
    if (!a->is_finite || !b->is_finite || (bits >> SINGLE_BITS & 255) == 255)
        return plain_sum(a, b, depth, add);
    int32_t own = (int32_t)(bits >> SINGLE_BITS & 255), is_normal = own != 0;
    int32_t own_mantissa = (int32_t)(bits & 0x7fffff) | is_normal << SINGLE_BITS;
    own = (is_normal ? own : 1) - 127;
    if (own_mantissa != 0)
        most = own;
    for (unsigned i = 0; i < depth; i++) {
        product[i] = a->mantissa[i] * b->mantissa[i] * (1 << UP);
        exponent[i] = a->exponent[i] + b->exponent[i];
        most = exponent[i] > most ? exponent[i] : most;
    }
    if (most <= NO_EXPONENT / 2)
        return 0;
    int64_t sum = 0;
    for (unsigned i = 0; i < depth; i++) {
        int32_t down = most - exponent[i] > 31 ? 31 : most - exponent[i];
        uint32_t magnitude = (uint32_t)(product[i] < 0 ? -product[i] : product[i]) >> down;
        sum += product[i] < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
    }
    int32_t down = most - own > 31 ? 31 : most - own;
    int64_t added = (int64_t)((uint32_t)(own_mantissa << UP_SINGLE) >> down);
    sum += bits >> 31 ? -added : added;
    return smp_float_of_double(ldexp((double)sum, most - FRACTION_BITS), ROUND_ZERO);
}
