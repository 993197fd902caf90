/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions of a warp. Fragments have the layout of the PTX manual ("Matrix Fragments for
 * mma"). Products of 8-bit floats (8.9, 12.x) add as wgmma does on an H200, which has no such
 * instruction.
 */
#include <string.h>

#include "lanes.h"
#include "matrix_sum.h"

/* d = a b + c, all but doubles: B has eight columns, A 8 or 16 rows. imm: MATRIX_SHAPE; imm2: sums
 * of floats are halves, those of integers saturate (.SAT). */
void smp_lanes_mma(lane_args *x) {
    const uint32_t imm = x->u->imm;
    const matrix_product product = {.type = imm >> 8 & 15,
                                    .row_bytes = imm & 0xff,
                                    .is_half = x->u->imm2 && (imm >> 8 & 15) < MATRIX_S8,
                                    .saturates = x->u->imm2};
    const unsigned blocks = imm >> 16, registers = emu_matrix_registers(&product);
    matrix_rows rows;
    matrix_factor a[2], b;
    emu_matrix_fragment(x->b, 1, 0, product.row_bytes, &rows);
    emu_matrix_factor(&rows, product.row_bytes, imm >> 12 & 15, false, &b);
    for (unsigned i = 0; i < blocks; i++) {
        emu_matrix_fragment(x->a, blocks, i, product.row_bytes, &rows);
        emu_matrix_factor(&rows, product.row_bytes, product.type, false, &a[i]);
    }
    for (unsigned i = 0; i < blocks; i++)
        emu_matrix_sums(&product, &a[i], &b, x->c + i * registers * ROW,
                        x->d + i * registers * ROW);
}

/* Doubles: A of 8 or 16 rows x k, B of k x 8. imm: k (4, 8, 16) | rows of A / 8 << 8. */
void smp_lanes_dmma(lane_args *x) {
    const unsigned k = x->u->imm & 0xff, halves = x->u->imm >> 8;
    double a[16][16], b[8][16], result[4][ROW];
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned step = 0; step < k / 4; step++) {
            for (unsigned half = 0; half < halves; half++)
                a[l / 4 + 8 * half][l % 4 + 4 * step] =
                    lanes_double(x->a + (halves * step + half) * 2 * ROW, l);
            b[l / 4][l % 4 + 4 * step] = lanes_double(x->b + step * 2 * ROW, l);
        }
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned i = 0; i < 2 * halves; i++) {
            double sum = lanes_double(x->c + i * 2 * ROW, l);
            for (unsigned j = 0; j < k; j++)
                sum = __builtin_fma(a[l / 4 + 8 * (i / 2)][j], b[l % 4 * 2 + i % 2][j], sum);
            result[i][l] = sum;
        }
    for (unsigned i = 0; i < 2 * halves; i++)
        for (unsigned l = 0; l < ROW; l++)
            lanes_set_double(x->d + i * 2 * ROW, l, result[i][l]);
}

/* Transposes an 8 x 8 matrix of halves: each lane holds two neighbours of a row. */
void smp_lanes_movm(lane_args *x) {
    uint16_t in[8][8];
    for (unsigned l = 0; l < ROW; l++) {
        in[l / 4][l % 4 * 2] = (uint16_t)x->a[l];
        in[l / 4][l % 4 * 2 + 1] = (uint16_t)(x->a[l] >> 16);
    }
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = in[l % 4 * 2][l / 4] | (uint32_t)in[l % 4 * 2 + 1][l / 4] << 16;
}
