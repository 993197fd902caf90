/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of a warpgroup (PTX: wgmma): each warp computes 16 of the 64 rows when its turn
 * comes. Operands in shared memory have the layout of the PTX manual ("Matrix Descriptor", "Shared
 * Memory Layout"): depth contiguous, rows in groups of eight, plain or swizzled by 32, 64 or 128
 * bytes; or transposed: rows contiguous, depth in groups of eight.
 */
#include <string.h>

#include "matrix_sum.h"
#include "memory.h"
#include "race.h"

typedef struct descriptor {
    uint32_t start, leading, stride; /* in bytes */
    uint32_t swizzle;                /* bytes of a row; 0: cores of 8 x 16 bytes */
    bool is_known, is_transposed;
} descriptor;

static descriptor read_descriptor(const uint32_t *rows, bool is_transposed) {
    static const uint8_t widths[] = {0, 128, 64, 32};
    uint64_t bits = lanes_pair(rows, 0);
    return (descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                        .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                        .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                        .swizzle = widths[bits >> 62],
                        .is_known = (bits >> 49 & 7) == 0,
                        .is_transposed = is_transposed};
}

/* Swizzles XOR bits of the address. */
static uint32_t swizzled(const descriptor *d, uint32_t address) {
    return d->swizzle == 0 ? address : address ^ ((address >> 7 & (d->swizzle / 16 - 1)) << 4);
}

/* Address of byte `at` of row `row`. */
static uint32_t place(const descriptor *d, uint32_t row, uint32_t at) {
    uint32_t group = d->start + row / 8 * d->stride;
    if (d->swizzle == 0)
        return group + at / 16 * d->leading + row % 8 * 16 + at % 16;
    return swizzled(d, group + row % 8 * d->swizzle + at);
}

/* Address of the two-byte element `k` of row `row`, where rows are contiguous. */
static uint32_t place_transposed(const descriptor *d, uint32_t row, uint32_t k) {
    uint32_t at = row * 2;
    if (d->swizzle == 0)
        return d->start + at / 16 * d->stride + k / 8 * d->leading + k % 8 * 16 + at % 16;
    return swizzled(d, d->start + at / d->swizzle * d->leading + k / 8 * d->stride +
                           k % 8 * d->swizzle + at % d->swizzle);
}

enum { DEPTH_BYTES = 32, N_MOST = 256 };

/* The elements of one row, as in memory. */
typedef struct row_bytes {
    uint8_t bytes[DEPTH_BYTES];
} row_bytes;

static bool read_bytes(access_lanes *x, uint32_t at, uint8_t *out, uint32_t bytes) {
    emu_block *block = x->warp->block;
    if (at < x->reserved || at + bytes > block->shared_bytes) {
        emu_found_at(x->warp, x->u, 0, SMP_FINDING_OUT_OF_BOUNDS,
                     (emu_target){at - x->reserved, true, NULL},
                     "a matrix operand at byte %lld of the block's shared memory, which has %u",
                     (long long)at - x->reserved, block->shared_bytes - x->reserved);
        return false;
    }
    if (!block->is_written[at / 4])
        emu_found_at(x->warp, x->u, 0, SMP_FINDING_UNINITIALISED,
                     (emu_target){at - x->reserved, true, NULL},
                     "a matrix operand at byte %u of shared memory, which no thread has written",
                     at - x->reserved);
    memcpy(out, block->shared + at, bytes);
    return true;
}

/* Reads `count` rows from `first`; false if outside shared memory. */
static bool read_rows(access_lanes *x, const descriptor *d, uint32_t first, uint32_t count,
                      uint32_t race, row_bytes *out) {
    uint32_t step = d->is_transposed ? 2 : 4;
    for (uint32_t row = 0; row < count; row++)
        for (uint32_t i = 0; i < DEPTH_BYTES; i += step) {
            uint32_t at = d->is_transposed ? place_transposed(d, first + row, i / 2)
                                           : place(d, first + row, i);
            /* 16 bytes are contiguous */
            if (race != 0 && (d->is_transposed ? row : i / 2) % 8 == 0)
                emu_race_matrix(x, race, at - x->reserved, 16);
            if (!read_bytes(x, at, out[row].bytes + i, step))
                return false;
        }
    return true;
}

/* A warp's fragment, laid out like A of mma: a register holds 4 bytes along the depth. */
static void read_registers(const access_lanes *x, row_bytes *out) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned reg = 0; reg < 4; reg++)
            memcpy(out[l / 4 + 8 * (reg & 1)].bytes + l % 4 * 4 + 16 * (reg >> 1),
                   &a[reg * ROW + l], 4);
}

/* ---- Numbers of a row ---- */

static double number_of(uint32_t word, unsigned type) {
    if (type <= WARPGROUP_BF16)
        return smp_short_to_float((uint16_t)word, type == WARPGROUP_BF16);
    return type == WARPGROUP_TF32 ? lanes_float(word & 0xffffe000)
                                  : smp_fp8_value((uint8_t)word, type == WARPGROUP_E5M2);
}

static bool is_integer(const uop_memory *m) {
    return m->type == WARPGROUP_S8 || m->type == WARPGROUP_U8;
}

static unsigned bytes_of(unsigned type) {
    return type <= WARPGROUP_BF16 ? 2 : type == WARPGROUP_TF32 ? 4 : 1;
}

static void numbers_of(const row_bytes *row, unsigned type, bool negates, matrix_numbers *out) {
    static const int16_t least[] = {-14, -126, -126, -6, -14};
    unsigned bytes = bytes_of(type);
    out->is_finite = true;
    for (unsigned i = 0; i < DEPTH_BYTES / bytes; i++) {
        uint32_t word = 0;
        memcpy(&word, row->bytes + (size_t)i * bytes, bytes);
        double value = number_of(word, type);
        emu_matrix_number(out, i, (float)(negates ? -value : value), least[type]);
    }
}

static uint32_t common_bits(const row_bytes *a, const row_bytes *b) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < DEPTH_BYTES; i++)
        sum += (uint32_t)__builtin_popcount((unsigned)(a->bytes[i] & b->bytes[i]));
    return sum;
}

static int32_t integer_of(uint8_t byte, unsigned type) {
    return type == WARPGROUP_S8 ? (int8_t)byte : byte;
}

static uint32_t integer_sum(const uop_memory *m, const row_bytes *a, const row_bytes *b,
                            uint32_t old) {
    int64_t sum = (int32_t)old;
    for (unsigned i = 0; i < DEPTH_BYTES; i++)
        sum += integer_of(a->bytes[i], m->type) * integer_of(b->bytes[i], m->type_b);
    if (m->flags & WARPGROUP_SATURATES && sum != (int32_t)sum)
        sum = sum < 0 ? INT32_MIN : INT32_MAX;
    return (uint32_t)sum;
}

/* ---- The product ---- */

typedef struct product {
    access_lanes *x;
    row_bytes a[16], b[N_MOST];
    matrix_numbers numbers_a[16], numbers_b[N_MOST];
} product;

static void convert(product *p) {
    const uop_memory *m = p->x->m;
    if (m->type == WARPGROUP_B1 || is_integer(m))
        return;
    for (unsigned i = 0; i < 16; i++)
        numbers_of(&p->a[i], m->type, m->flags & WARPGROUP_NEGATES_A, &p->numbers_a[i]);
    for (unsigned i = 0; i < m->columns; i++)
        numbers_of(&p->b[i], m->type_b, m->flags & WARPGROUP_NEGATES_B, &p->numbers_b[i]);
}

static float sum_of(const product *p, unsigned row, unsigned column, float old) {
    const matrix_numbers *a = &p->numbers_a[row], *b = &p->numbers_b[column];
    bool is_narrow = p->x->m->type >= WARPGROUP_E4M3;
    return is_narrow ? emu_matrix_sum_narrow(a, b, DEPTH_BYTES, old, !p->x->m->is_half)
                     : emu_matrix_sum(a, b, DEPTH_BYTES / bytes_of(p->x->m->type), old);
}

static uint32_t result_of(const product *p, unsigned row, unsigned column, uint32_t old) {
    const uop_memory *m = p->x->m;
    if (m->type == WARPGROUP_B1)
        return old + common_bits(&p->a[row], &p->b[column]);
    if (is_integer(m))
        return integer_sum(m, &p->a[row], &p->b[column], old);
    if (m->is_half)
        return smp_half_of_double(sum_of(p, row, column, smp_half_to_float((uint16_t)old)),
                                  ROUND_NEAREST);
    return lanes_bits(sum_of(p, row, column, lanes_float(old)));
}

/* Register 4 j + 2 r + i of lane l: row l / 4 + 8 r, column 8 j + l % 4 * 2 + i. */
static void multiply(const product *p, bool adds) {
    const access_lanes *x = p->x;
    uint32_t *d = emu_result(x->warp, x->u);
    const uint32_t *c = emu_row_of(x->warp, &x->u->c);
    unsigned registers = x->m->columns / 8u * (x->m->is_half ? 2 : 4);
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned reg = 0; reg < registers; reg++) {
            unsigned at = x->m->is_half ? 2 * reg : reg; /* as if each held one result */
            unsigned row = l / 4 + 8 * (at / 2 % 2), column = at / 4 * 8 + l % 4 * 2 + at % 2;
            uint32_t word = adds ? c[reg * ROW + l] : 0;
            uint32_t result = result_of(p, row, column, x->m->is_half ? word & 0xffff : word);
            if (x->m->is_half)
                result |= result_of(p, row, column + 1, word >> 16) << 16;
            d[reg * ROW + l] = result;
        }
}

void emu_warpgroup(access_lanes *x, uint32_t exec) {
    product p;
    const uint32_t *at = emu_row_of(x->warp, &x->m->at.uniform);
    const descriptor of_a = read_descriptor(at, x->m->flags & WARPGROUP_TRANSPOSES_A);
    const descriptor of_b = read_descriptor(at + 2 * ROW, x->m->flags & WARPGROUP_TRANSPOSES_B);
    bool from_registers = x->u->a.rows != 0;
    if (exec != SMP_ALL_LANES || !of_b.is_known || (!from_registers && !of_a.is_known)) {
        emu_found(x->warp, x->u, (unsigned)__builtin_ctz(exec), SMP_FINDING_UNKNOWN,
                  "a matrix instruction by part of a warp, or with a base offset");
        return;
    }
    p.x = x;
    const uint32_t race = x->worker->race ? emu_race_begin_matrix(x) : 0;
    if (from_registers)
        read_registers(x, p.a);
    else if (!read_rows(x, &of_a, x->warp->index % 4 * 16, 16, race, p.a))
        return;
    if (!read_rows(x, &of_b, 0, x->m->columns, race, p.b))
        return;
    convert(&p);
    multiply(&p, (emu_predicate(x->warp, x->u->p) & 1) != 0);
}
