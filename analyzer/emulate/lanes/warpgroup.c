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

static bool read_bytes(access_lanes *x, uint32_t at, uint8_t *out, uint32_t bytes) {
    emu_block *block = x->warp->block;
    if (at < x->reserved || at + bytes > block->shared_bytes) {
        emu_found_at(x->warp, x->u, 0, SMP_FINDING_OUT_OF_BOUNDS,
                     (emu_target){at - x->reserved, true, NULL, FOUND_THERE},
                     "a matrix operand at byte %lld of the block's shared memory, which has %u",
                     (long long)at - x->reserved, block->shared_bytes - x->reserved);
        return false;
    }
    if (!block->is_written[at / 4])
        emu_found_at(x->warp, x->u, 0, SMP_FINDING_UNINITIALISED,
                     (emu_target){at - x->reserved, true, NULL, FOUND_THERE},
                     "a matrix operand at byte %u of shared memory, which no thread has written",
                     at - x->reserved);
    memcpy(out, block->shared + at, bytes);
    return true;
}

/* Reads `count` rows from `first`; false if outside shared memory. */
static bool read_rows(access_lanes *x, const descriptor *d, uint32_t first, uint32_t count,
                      uint32_t race, matrix_rows *out) {
    uint32_t step = d->is_transposed ? 2 : 4;
    for (uint32_t row = 0; row < count; row++)
        for (uint32_t i = 0; i < DEPTH_BYTES; i += step) {
            uint32_t at = d->is_transposed ? place_transposed(d, first + row, i / 2)
                                           : place(d, first + row, i);
            /* 16 bytes are contiguous */
            if (race != 0 && (d->is_transposed ? row : i / 2) % 8 == 0)
                emu_race_matrix(x, race, at - x->reserved, 16);
            uint32_t *word = &out[row / 8].word[i / 4][row % 8];
            if (!read_bytes(x, at, (uint8_t *)word + i % 4, step))
                return false;
        }
    return true;
}

/* ---- The product ---- */

/* Register 4 j + 2 r + i of lane l (of halves 2 j + r, with both columns): row l / 4 + 8 r, column
 * 8 j + l % 4 * 2 + i. */
static void multiply(const access_lanes *x, const matrix_rows a[2], const matrix_rows *b,
                     bool adds) {
    const uop_memory *m = x->m;
    const matrix_product product = {.type = m->type,
                                    .row_bytes = DEPTH_BYTES,
                                    .is_half = m->is_half,
                                    .saturates = m->flags & MATRIX_SATURATES};
    uint32_t *d = emu_result(x->warp, x->u);
    const uint32_t *c = adds ? emu_row_of(x->warp, &x->u->c) : NULL;
    const size_t step = emu_matrix_registers(&product) * (size_t)ROW;
    matrix_factor of_a[2], of_b;
    for (unsigned i = 0; i < 2; i++)
        emu_matrix_factor(&a[i], DEPTH_BYTES, m->type, m->flags & MATRIX_NEGATES_A, &of_a[i]);
    for (unsigned j = 0; j < m->columns / 8u; j++) {
        emu_matrix_factor(&b[j], DEPTH_BYTES, m->type_b, m->flags & MATRIX_NEGATES_B, &of_b);
        for (unsigned i = 0; i < 2; i++, d += step) {
            emu_matrix_sums(&product, &of_a[i], &of_b, c, d);
            c = c ? c + step : NULL;
        }
    }
}

void emu_warpgroup(access_lanes *x, uint32_t exec) {
    matrix_rows a[2], b[N_MOST / 8];
    const uint32_t *at = emu_row_of(x->warp, &x->m->at.uniform);
    const descriptor of_a = read_descriptor(at, x->m->flags & MATRIX_TRANSPOSES_A);
    const descriptor of_b = read_descriptor(at + 2 * ROW, x->m->flags & MATRIX_TRANSPOSES_B);
    bool from_registers = x->u->a.rows != 0;
    if (exec != SMP_ALL_LANES || !of_b.is_known || (!from_registers && !of_a.is_known)) {
        emu_found(x->warp, x->u, (unsigned)__builtin_ctz(exec), SMP_FINDING_UNKNOWN,
                  "a matrix instruction by part of a warp, or with a base offset");
        return;
    }
    const uint32_t race = x->worker->race ? emu_race_begin_matrix(x) : 0;
    if (from_registers)
        for (unsigned i = 0; i < 2; i++)
            emu_matrix_fragment(emu_row_of(x->warp, &x->u->a), 2, i, DEPTH_BYTES, &a[i]);
    else if (!read_rows(x, &of_a, x->warp->index % 4 * 16, 16, race, a))
        return;
    if (!read_rows(x, &of_b, 0, x->m->columns, race, b))
        return;
    multiply(x, a, b, (emu_predicate(x->warp, x->u->p) & 1) != 0);
}
