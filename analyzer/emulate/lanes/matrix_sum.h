/* SPDX-License-Identifier: MIT */
/*
 * Sums of products as an H200's matrix units make them (every result of mma_... and wgmma_... in
 * tests/data/sass/sums.cu, bit by bit): all products of an instruction and what they are added to
 * are cut, towards zero, at the bit 25 below the largest exponent (13 in wgmma of 8-bit floats),
 * where a product's is the sum of its factors'; then they are added, and the sum is cut to single
 * precision (to 14 bits).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MATRIX_DEPTH = 32 };

/* mantissa x 2^(exponent - 10): 11 bits and a sign, those of subnormal numbers not moved. */
typedef struct matrix_numbers {
    int32_t mantissa[MATRIX_DEPTH], exponent[MATRIX_DEPTH];
    float value[MATRIX_DEPTH];
    bool is_finite; /* all of them */
} matrix_numbers;

/* A number of at most 11 bits (half, bfloat, TF32, 8-bit floats); `least`: its type's least
 * exponent. */
void emu_matrix_number(matrix_numbers *out, unsigned index, float value, int32_t least);
float emu_matrix_sum(const matrix_numbers *a, const matrix_numbers *b, unsigned depth, float add);
/* Of 8-bit floats, by wgmma; cut to 14 bits, but where halves are made of it. */
float emu_matrix_sum_narrow(const matrix_numbers *a, const matrix_numbers *b, unsigned depth,
                            float add, bool is_cut);
