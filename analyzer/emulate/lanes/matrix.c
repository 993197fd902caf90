/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions. Fragments have the layout of the PTX manual ("Matrix Fragments for mma"), so
 * the whole product is computed once for a warp. Single-precision sums equal an H200's
 * (matrix_sum.h); the last bits of sums in halves may differ. Products of 8-bit floats (8.9, 12.x)
 * add as wgmma does on an H200, which has no such instruction.
 */
#include <string.h>

#include "lanes.h"
#include "matrix_sum.h"

static float element(uint32_t word, unsigned i, unsigned type) {
    return type == CONVERT_F32
               ? lanes_float(word & 0xffffe000) /* tf32 ignores the low bits */
               : smp_short_to_float((uint16_t)(word >> 16 * i), type == CONVERT_BF16);
}

/* Rows of A and columns of B. Each register holds one or two elements along k. */
typedef struct operands {
    matrix_numbers a[16], b[8];
    bool is_narrow, is_cut; /* sums of 8-bit floats */
} operands;

/* No numbers yet. */
static void clear(operands *out) {
    out->is_narrow = out->is_cut = false;
    for (unsigned i = 0; i < 16; i++)
        out->a[i].is_finite = out->b[i % 8].is_finite = true;
}

static void gather(const lane_args *x, unsigned k, unsigned type, operands *out) {
    unsigned each = type == CONVERT_F32 ? 1 : 2, half = 4 * each;
    int32_t least = type == CONVERT_F16 ? -14 : -126;
    clear(out);
    for (unsigned l = 0; l < ROW; l++) {
        unsigned row = l / 4, column = l % 4 * each;
        for (unsigned reg = 0; reg < 2 * k / half; reg++)
            for (unsigned i = 0; i < each; i++)
                emu_matrix_number(&out->a[row + 8 * (reg & 1)], column + i + half * (reg >> 1),
                                  element(x->a[reg * ROW + l], i, type), least);
        for (unsigned reg = 0; reg < k / half; reg++)
            for (unsigned i = 0; i < each; i++)
                emu_matrix_number(&out->b[row], column + i + half * reg,
                                  element(x->b[reg * ROW + l], i, type), least);
    }
}

static float dot(const operands *m, unsigned row, unsigned column, unsigned k, float c) {
    const matrix_numbers *a = &m->a[row], *b = &m->b[column];
    return m->is_narrow ? emu_matrix_sum_narrow(a, b, k, c, m->is_cut) : emu_matrix_sum(a, b, k, c);
}

static void store_f32(lane_args *x, const operands *m, unsigned k) {
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned i = 0; i < 4; i++)
            x->d[i * ROW + l] = lanes_bits(
                dot(m, l / 4 + 8 * (i / 2), l % 4 * 2 + i % 2, k, lanes_float(x->c[i * ROW + l])));
}

static void store_f16(lane_args *x, const operands *m, unsigned k) {
    for (unsigned l = 0; l < ROW; l++) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t word = x->c[i * ROW + l];
            float low = dot(m, l / 4 + 8 * i, l % 4 * 2, k, element(word, 0, CONVERT_F16));
            float high = dot(m, l / 4 + 8 * i, l % 4 * 2 + 1, k, element(word, 1, CONVERT_F16));
            x->d[i * ROW + l] = smp_half_of_double(low, ROUND_NEAREST) |
                                (uint32_t)smp_half_of_double(high, ROUND_NEAREST) << 16;
        }
    }
}

static void store(lane_args *x, const operands *m, unsigned k) {
    if (x->u->imm2)
        store_f16(x, m, k);
    else
        store_f32(x, m, k);
}

/* imm: k | element type << 8; imm2: accumulators are halves. */
void smp_lanes_hmma(lane_args *x) {
    operands m;
    unsigned k = x->u->imm & 0xff;
    gather(x, k, x->u->imm >> 8, &m);
    store(x, &m, k);
}

static void set_fp8(matrix_numbers *out, unsigned index, uint32_t byte, bool is_e5m2) {
    emu_matrix_number(out, index, (float)smp_fp8_value((uint8_t)byte, is_e5m2), is_e5m2 ? -14 : -6);
}

/* 8-bit floats: A of 16 x k (k 16 or 32), B of k x 8. imm: k | bit 8: A is E5M2 | bit 9: B is E5M2;
 * imm2: accumulators are halves. */
void smp_lanes_qmma(lane_args *x) {
    operands m;
    const unsigned k = x->u->imm & 0xff;
    const bool a_is_e5m2 = x->u->imm >> 8 & 1, b_is_e5m2 = x->u->imm >> 9 & 1;
    clear(&m);
    m.is_narrow = true;
    m.is_cut = !x->u->imm2;
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned i = 0; i < 4; i++) {
            for (unsigned reg = 0; reg < k / 8; reg++)
                set_fp8(&m.a[l / 4 + 8 * (reg & 1)], l % 4 * 4 + i + 16 * (reg >> 1),
                        x->a[reg * ROW + l] >> 8 * i, a_is_e5m2);
            for (unsigned reg = 0; reg < k / 16; reg++)
                set_fp8(&m.b[l / 4], l % 4 * 4 + i + 16 * reg, x->b[reg * ROW + l] >> 8 * i,
                        b_is_e5m2);
        }
    store(x, &m, k);
}

static int32_t integer(uint32_t word, unsigned i, bool is_signed) {
    return is_signed ? (int8_t)(word >> 8 * i) : (int32_t)(uint8_t)(word >> 8 * i);
}

/* 8-bit integers: A of 16 x k (k 16 or 32) or 8 x 16, B of k x 8. imm: k | bit 8: A signed | bit 9:
 * B signed | bit 10: 8 rows; imm2: sums saturate to 32 bits (.SAT). */
void smp_lanes_imma(lane_args *x) {
    unsigned k = x->u->imm & 0xff, halves = x->u->imm >> 10 & 1 ? 1 : 2;
    bool a_signed = x->u->imm >> 8 & 1, b_signed = x->u->imm >> 9 & 1;
    int32_t a[16][32], b[32][8];
    for (unsigned l = 0; l < ROW; l++) {
        for (unsigned reg = 0; reg < k / 16 * halves; reg++)
            for (unsigned i = 0; i < 4; i++)
                a[l / 4 + 8 * (reg % halves)][l % 4 * 4 + i + 16 * (reg / halves)] =
                    integer(x->a[reg * ROW + l], i, a_signed);
        for (unsigned reg = 0; reg < k / 16; reg++)
            for (unsigned i = 0; i < 4; i++)
                b[l % 4 * 4 + i + 16 * reg][l / 4] = integer(x->b[reg * ROW + l], i, b_signed);
    }
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned i = 0; i < 2 * halves; i++) {
            int64_t sum = (int32_t)x->c[i * ROW + l];
            for (unsigned j = 0; j < k; j++)
                sum += a[l / 4 + 8 * (i / 2)][j] * b[j][l % 4 * 2 + i % 2];
            if (x->u->imm2 && sum != (int32_t)sum)
                sum = sum < 0 ? INT32_MIN : INT32_MAX;
            x->d[i * ROW + l] = (uint32_t)sum;
        }
}

/* Single bits, 32 of a row or column in a register: sums of a & b. imm: k (128, 256) | bit 16: 8
 * rows. */
void smp_lanes_bmma(lane_args *x) {
    unsigned steps = (x->u->imm & 0xffff) / 128, halves = x->u->imm >> 16 & 1 ? 1 : 2;
    uint32_t a[16][8], b[8][8], result[4][ROW];
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned step = 0; step < steps; step++) {
            for (unsigned half = 0; half < halves; half++)
                a[l / 4 + 8 * half][l % 4 + 4 * step] = x->a[(halves * step + half) * ROW + l];
            b[l / 4][l % 4 + 4 * step] = x->b[step * ROW + l];
        }
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned i = 0; i < 2 * halves; i++) {
            uint32_t sum = x->c[i * ROW + l];
            for (unsigned j = 0; j < 4 * steps; j++)
                sum += (uint32_t)__builtin_popcount(a[l / 4 + 8 * (i / 2)][j] &
                                                    b[l % 4 * 2 + i % 2][j]);
            result[i][l] = sum;
        }
    memcpy(x->d, result, 2 * halves * (size_t)ROW_BYTES);
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
