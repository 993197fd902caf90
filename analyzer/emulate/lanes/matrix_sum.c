/* SPDX-License-Identifier: MIT */
/* Sums of products: floats in integer arithmetic, a row of eight columns at a time. */
#include "matrix_sum.h"

#include <math.h>
#include <string.h>

#include "lanes.h"

enum {
    FRACTION_BITS = 25, /* below the largest exponent */
    NARROW_BITS = 13,
    NUMBER_BITS = 10, /* of a factor, below its own exponent */
    SINGLE_BITS = 23,
    UP = 2, /* everything is shifted up by this before it is cut */
    NO_EXPONENT = -1000000,
    SPECIAL_EXPONENT = 1000000, /* mantissa 0: NaN, else an infinity */
};

typedef int32_t eight __attribute__((vector_size(32)));
typedef int64_t eight_wide __attribute__((vector_size(64)));
typedef double eight_doubles __attribute__((vector_size(64)));
typedef float eight_floats __attribute__((vector_size(32)));

/* Where the mask's elements are all ones `a`, else `b`. */
#define SELECT(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))
#define EACH_ROW(r) for (unsigned r = 0; r < MATRIX_ROWS; r++)

/* ---- Factors ---- */

void emu_matrix_fragment(const uint32_t *registers, unsigned blocks, unsigned block,
                         unsigned row_bytes, matrix_rows *out) {
    for (unsigned w = 0; w < row_bytes / 4; w++)
        EACH_ROW(r)
    out->word[w][r] = registers[(w / 4 * blocks + block) * ROW + 4 * r + w % 4];
}

/* By matrix_type; TF32 ignores the low bits of a word. */
static const struct {
    uint8_t bits, ignored, mantissa_bits, exponent_bits;
} formats[] = {{16, 0, 10, 5}, {16, 0, 7, 8}, {32, 13, 10, 8}, {8, 0, 3, 4},
               {8, 0, 2, 5},   {8, 0, 0, 0},  {8, 0, 0, 0},    {32, 0, 0, 0}};

/* Sets one element of each row from its bits; returns the rows in which it is an infinity or NaN.
 */
LANES_CLONED static uint32_t set_floats(const uint32_t words[MATRIX_ROWS], unsigned shift,
                                        matrix_type type, bool negates, int32_t *mantissa,
                                        int32_t *exponent) {
    const int mantissa_bits = formats[type].mantissa_bits;
    const int most = (1 << formats[type].exponent_bits) - 1;
    const int one = 1 << mantissa_bits, sign_at = mantissa_bits + formats[type].exponent_bits;
    eight bits;
    memcpy(&bits, words, sizeof bits);
    bits >>= (int)shift;
    const eight field = bits >> mantissa_bits & most, low = bits & (one - 1);
    const eight sign = -(bits >> sign_at & 1) ^ -(int)negates, is_normal = field != 0;
    eight is_special = field == most;
    if (type == MATRIX_E4M3) /* has no infinity, and one NaN */
        is_special &= low == one - 1;
    const eight shown = SELECT(is_special, (low == 0) & one, low | (is_normal & one));
    const eight all = shown << (NUMBER_BITS - mantissa_bits);
    const eight signed_all = (all ^ sign) - sign;
    eight power = field + 1 + is_normal - most / 2;
    power = SELECT(all == 0, (eight){0} + NO_EXPONENT, power);
    power = SELECT(is_special, (eight){0} + SPECIAL_EXPONENT, power);
    memcpy(mantissa, &signed_all, sizeof signed_all);
    memcpy(exponent, &power, sizeof power);
    uint32_t special = 0;
    EACH_ROW(r)
    special |= (uint32_t)is_special[r] & 1u << r;
    return special;
}

static bool is_integer(matrix_type type) {
    return type == MATRIX_S8 || type == MATRIX_U8;
}

void emu_matrix_factor(const matrix_rows *rows, unsigned row_bytes, matrix_type type, bool negates,
                       matrix_factor *out) {
    const unsigned bits = formats[type].bits, depth = 8 * row_bytes / bits;
    out->special = 0;
    for (unsigned k = 0; k < depth; k++) {
        const uint32_t *words = rows->word[k * bits / 32];
        const unsigned shift = k * bits % 32 + formats[type].ignored;
        if (type < MATRIX_S8)
            out->special |=
                set_floats(words, shift, type, negates, out->mantissa[k], out->exponent[k]);
        else
            EACH_ROW(r)
        out->mantissa[k][r] = type == MATRIX_B1   ? (int32_t)words[r]
                              : type == MATRIX_S8 ? (int8_t)(words[r] >> shift)
                                                  : (uint8_t)(words[r] >> shift);
    }
}

/* ---- Sums of a row ---- */

static double value_of(int32_t mantissa, int32_t exponent) {
    if (exponent == SPECIAL_EXPONENT)
        return mantissa == 0 ? (double)NAN : mantissa * (double)INFINITY;
    return ldexp(mantissa, exponent - NUMBER_BITS);
}

/* With infinities and NaNs. */
static float plain_sum(const matrix_factor *a, const matrix_factor *b, unsigned row,
                       unsigned column, unsigned depth, float add) {
    double sum = add;
    for (unsigned k = 0; k < depth; k++)
        sum += value_of(a->mantissa[k][row], a->exponent[k][row]) *
               value_of(b->mantissa[k][column], b->exponent[k][column]);
    return isnan(sum) ? lanes_float(0x7fffffff) : (float)sum;
}

/* |value| >> shift, with value's sign. */
#define SHIFTED(value, shift)                                           \
    ({                                                                  \
        const eight minus = (value) >> 31, by = (shift);                \
        const eight all = ((value) ^ minus) - minus;                    \
        const eight rest = all >> SELECT(by > 31, (eight){0} + 31, by); \
        (rest ^ minus) - minus;                                         \
    })

/* Adds the products to `sums`. Sixteen of them and the addend exceed 32 bits, so they are added as
 * doubles, which hold both exactly. */
LANES_CLONED static void add_products(const matrix_factor *a, const matrix_factor *b, unsigned row,
                                      unsigned depth, int fraction, bool is_cut,
                                      float sums[MATRIX_ROWS]) {
    const int cuts = UP + SINGLE_BITS - fraction;
    eight bits, sum = {0};
    memcpy(&bits, sums, sizeof bits);
    const eight field = bits >> SINGLE_BITS & 255, is_normal = field != 0;
    const eight own = (bits & 0x7fffff) | (is_normal & 1 << SINGLE_BITS);
    const eight own_exponent =
        SELECT(own == 0, (eight){0} + NO_EXPONENT, field + 1 + is_normal - 127);
    eight most = own_exponent;
    for (unsigned k = 0; k < depth; k++) {
        eight exponent;
        memcpy(&exponent, b->exponent[k], sizeof exponent);
        exponent += a->exponent[k][row];
        most = SELECT(exponent > most, exponent, most);
    }
    for (unsigned k = 0; k < depth; k++) {
        eight exponent, mantissa;
        memcpy(&exponent, b->exponent[k], sizeof exponent);
        memcpy(&mantissa, b->mantissa[k], sizeof mantissa);
        const eight product =
            mantissa * (a->mantissa[k][row] * (1 << (UP + SINGLE_BITS - 2 * NUMBER_BITS)));
        sum += SHIFTED(product, most - exponent - a->exponent[k][row] + cuts);
    }
    const eight negative = bits >> 31, addend = ((own << UP) ^ negative) - negative;
    const eight added = SHIFTED(addend, most - own_exponent + cuts);
    eight_doubles total =
        __builtin_convertvector(sum, eight_doubles) + __builtin_convertvector(added, eight_doubles);
    if (is_cut) /* keeps as many bits below the highest one */
        total = (eight_doubles)((eight_wide)total & ~((1ll << (52 - fraction)) - 1));
    /* times 2^(most - fraction), rounded towards zero */
    const eight_wide power = __builtin_convertvector((most - fraction + 1023) & 0x7ff, eight_wide);
    const eight_doubles value = total * (eight_doubles)(power << 52);
    const eight_floats single = __builtin_convertvector(value, eight_floats);
    const eight_doubles back = __builtin_convertvector(single, eight_doubles);
    const eight_wide magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX,
                                  INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const eight_wide is_above = ((eight_wide)back & magnitude) > ((eight_wide)value & magnitude);
    const eight result =
        (most > NO_EXPONENT / 2) & ((eight)single + __builtin_convertvector(is_above, eight));
    memcpy(sums, &result, sizeof result);
}

static void add_floats(const matrix_product *product, const matrix_factor *a,
                       const matrix_factor *b, unsigned row, float sums[MATRIX_ROWS]) {
    const unsigned depth = 8 * product->row_bytes / formats[product->type].bits;
    const bool is_narrow = product->type >= MATRIX_E4M3;
    float old[MATRIX_ROWS];
    memcpy(old, sums, sizeof old);
    add_products(a, b, row, depth, is_narrow ? NARROW_BITS : FRACTION_BITS,
                 is_narrow && !product->is_half, sums);
    const bool is_special = a->special >> row & 1;
    EACH_ROW(c)
    if (is_special || b->special >> c & 1 || !isfinite(old[c]))
        sums[c] = plain_sum(a, b, row, c, depth, old[c]);
}

static void add_integers(const matrix_product *product, const matrix_factor *a,
                         const matrix_factor *b, unsigned row, uint32_t sums[MATRIX_ROWS]) {
    int32_t own[MATRIX_ROWS] = {0};
    for (unsigned k = 0; k < product->row_bytes; k++)
        EACH_ROW(c)
    own[c] += a->mantissa[k][row] * b->mantissa[k][c];
    EACH_ROW(c) {
        int64_t sum = (int64_t)(int32_t)sums[c] + own[c];
        if (product->saturates && sum != (int32_t)sum)
            sum = sum < 0 ? INT32_MIN : INT32_MAX;
        sums[c] = (uint32_t)sum;
    }
}

static void add_bits(const matrix_product *product, const matrix_factor *a, const matrix_factor *b,
                     unsigned row, uint32_t sums[MATRIX_ROWS]) {
    for (unsigned k = 0; k < product->row_bytes / 4; k++)
        EACH_ROW(c)
    sums[c] += lanes_popcount((uint32_t)(a->mantissa[k][row] & b->mantissa[k][c]));
}

static void add_row(const matrix_product *product, const matrix_factor *a, const matrix_factor *b,
                    unsigned row, uint32_t sums[MATRIX_ROWS]) {
    float floats[MATRIX_ROWS];
    if (is_integer(product->type)) {
        add_integers(product, a, b, row, sums);
    } else if (product->type == MATRIX_B1) {
        add_bits(product, a, b, row, sums);
    } else {
        EACH_ROW(c)
        floats[c] = product->is_half ? smp_half_to_float((uint16_t)sums[c]) : lanes_float(sums[c]);
        add_floats(product, a, b, row, floats);
        EACH_ROW(c)
        sums[c] =
            product->is_half ? smp_half_of_double(floats[c], ROUND_NEAREST) : lanes_bits(floats[c]);
    }
}

void emu_matrix_sums(const matrix_product *product, const matrix_factor *a, const matrix_factor *b,
                     const uint32_t *c, uint32_t *d) {
    EACH_ROW(row) {
        const uint32_t first = 4 * row; /* lane */
        uint32_t sums[MATRIX_ROWS] = {0};
        for (unsigned i = 0; i < MATRIX_ROWS && c; i++)
            sums[i] = product->is_half ? c[first + i / 2] >> 16 * (i % 2) & 0xffff
                                       : c[i % 2 * ROW + first + i / 2];
        add_row(product, a, b, row, sums);
        for (unsigned i = 0; i < MATRIX_ROWS; i += 2) {
            d[first + i / 2] = product->is_half ? sums[i] | sums[i + 1] << 16 : sums[i];
            if (!product->is_half)
                d[ROW + first + i / 2] = sums[i + 1];
        }
    }
}
