/* SPDX-License-Identifier: MIT */
/*
 * Sums of products exactly as an H200's matrix units compute them (every result of mma_... and
 * wgmma_... in tests/data/sass/sums.cu): all products of an instruction and the addend are
 * truncated at bit 25 below the largest exponent (13 in wgmma of 8-bit floats), where the exponent
 * of a product is the sum of its factors'. Then they are added, and the sum is truncated to single
 * precision (to 14 bits).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { MATRIX_DEPTH = 32 };

/* mantissa x 2^(exponent - 10): 11 bits and a sign; subnormal numbers are not normalized. */
typedef struct matrix_numbers {
    int32_t mantissa[MATRIX_DEPTH], exponent[MATRIX_DEPTH];
    float value[MATRIX_DEPTH];
    bool is_finite; /* all of them are finite */
} matrix_numbers;

/* Adds a number of at most 11 bits (half, bfloat, TF32, 8-bit floats); `least`: the least exponent
 * of its type. */
void emu_matrix_number(matrix_numbers *out, unsigned index, float value, int32_t least);
float emu_matrix_sum(const matrix_numbers *a, const matrix_numbers *b, unsigned depth, float add);
/* For 8-bit floats in wgmma; truncated to 14 bits unless the result is a half. */
float emu_matrix_sum_narrow(const matrix_numbers *a, const matrix_numbers *b, unsigned depth,
                            float add, bool is_cut);
