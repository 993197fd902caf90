/* SPDX-License-Identifier: MIT */
/*
 * Sums of products as a matrix unit makes them. An H200's (every result of approx_matrix in
 * tests/data/sass/opcodes.cu and of narrow_products in hopper.cu, bit by bit): all products of an
 * instruction and what they are added to are cut, towards zero, at the bit 25 below the largest
 * exponent, where a product's is the sum of its factors'; then they are added, and the sum is cut
 * to single precision.
 */
#ifndef SMP_MATRIX_SUM_H
#define SMP_MATRIX_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum { MATRIX_DEPTH = 32 };

/* mantissa x 2^(exponent - 10): 11 bits and a sign, those of subnormal numbers not moved. */
typedef struct matrix_numbers {
    int32_t mantissa[MATRIX_DEPTH], exponent[MATRIX_DEPTH];
    float value[MATRIX_DEPTH];
    bool is_finite; /* all of them */
} matrix_numbers;

/* A number of at most 11 bits (half, bfloat, TF32); `least`: its type's least exponent. */
void emu_matrix_number(matrix_numbers *out, unsigned index, float value, int32_t least);
float emu_matrix_sum(const matrix_numbers *a, const matrix_numbers *b, unsigned depth, float add);

#endif
