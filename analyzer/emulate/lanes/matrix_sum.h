/* SPDX-License-Identifier: MIT */
/*
 * Sums of products of matrix instructions, eight rows of A by eight columns of B.
 *
 * Floating-point sums in single precision equal an H200's (every result of mma_... and wgmma_... in
 * tests/data/sass/sums.cu): all products of an instruction and the addend are truncated at bit 25
 * below the largest exponent (13 for 8-bit floats), where the exponent of a product is the sum of
 * its factors'. Then they are added, and the sum is truncated to single precision (8-bit floats: to
 * 14 bits, unless the result is a half). The last bits of sums in halves may differ.
 */
#pragma once

#include "uop.h"

enum { MATRIX_ROWS = 8, MATRIX_WORDS = 8, MATRIX_DEPTH = 32 };

/* Eight rows of A or columns of B, at most 32 bytes each, as they lie in registers or memory: word
 * w has bytes 4 w to 4 w + 3 along the depth. */
typedef struct matrix_rows {
    uint32_t word[MATRIX_WORDS][MATRIX_ROWS];
} matrix_rows;

/* Their elements along the depth. Floats are mantissa x 2^(exponent - 10), of 11 bits and a sign;
 * subnormal ones are not normalized. Integers are the mantissa, single bits its 32 bits. */
typedef struct matrix_factor {
    int32_t mantissa[MATRIX_DEPTH][MATRIX_ROWS], exponent[MATRIX_DEPTH][MATRIX_ROWS];
    uint32_t special; /* bit r: row r has an infinity or a NaN */
} matrix_factor;

typedef struct matrix_product {
    matrix_type type;   /* of A */
    unsigned row_bytes; /* along the depth: 16 or 32 */
    bool is_half;       /* sums are halves */
    bool saturates;     /* sums of integers, to 32 bits */
} matrix_product;

/* Eight rows from a warp's fragment of `blocks` times eight rows ("Matrix Fragments for mma" in the
 * PTX manual). */
void emu_matrix_fragment(const uint32_t *registers, unsigned blocks, unsigned block,
                         unsigned row_bytes, matrix_rows *out);
void emu_matrix_factor(const matrix_rows *rows, unsigned row_bytes, matrix_type type, bool negates,
                       matrix_factor *out);
/* d = a b + c (NULL: zeros). Register i of lane l has row l / 4 and column l % 4 * 2 + i; halves of
 * both columns share register 0. */
void emu_matrix_sums(const matrix_product *product, const matrix_factor *a, const matrix_factor *b,
                     const uint32_t *c, uint32_t *d);
/* Registers that such sums take. */
static inline unsigned emu_matrix_registers(const matrix_product *product) {
    return product->is_half ? 1 : 2;
}
