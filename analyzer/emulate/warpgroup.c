/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of four warps (PTX: wgmma): each warp has 16 of 64 rows, so that each computes
 * its own when its turn comes. Operands in shared memory lie as the PTX manual says ("Matrix
 * Descriptor", "Shared Memory Layout"): rows along k in groups of eight, plain or swizzled by 32,
 * 64 or 128 bytes.
 */
#include <string.h>

#include "convert.h"
#include "memory.h"

typedef struct descriptor {
    uint32_t start, leading, stride; /* bytes */
    uint32_t swizzle;                /* bytes of a row; 0: cores of 8 times 16 bytes */
    bool is_known;
} descriptor;

static descriptor read_descriptor(const uint32_t *rows) {
    static const uint8_t widths[] = {0, 128, 64, 32};
    uint64_t bits = rows[0] | (uint64_t)rows[ROW] << 32;
    return (descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                        .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                        .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                        .swizzle = widths[bits >> 62],
                        .is_known = (bits >> 49 & 7) == 0};
}

/* Byte `at` of row `row`; what swizzles are bits of the address. */
static uint32_t place(const descriptor *d, uint32_t row, uint32_t at) {
    uint32_t group = d->start + row / 8 * d->stride;
    if (d->swizzle == 0)
        return group + at / 16 * d->leading + row % 8 * 16 + at % 16;
    uint32_t address = group + row % 8 * d->swizzle + at;
    return address ^ ((address >> 7 & (d->swizzle / 16 - 1)) << 4);
}

static float element(const uint8_t *bytes, unsigned type) {
    uint16_t half;
    uint32_t word;
    float single;
    if (type != CONVERT_F32) {
        memcpy(&half, bytes, 2);
        return type == CONVERT_F16 ? smp_half_to_float(half) : smp_bf16_to_float(half);
    }
    memcpy(&word, bytes, 4);
    word &= 0xffffe000; /* tf32 */
    memcpy(&single, &word, 4);
    return single;
}

enum { K_MOST = 16, N_MOST = 256 };

/* `count` rows of k elements from row `first` on; false: outside of shared memory. */
static bool read_rows(access_lanes *x, const descriptor *d, uint32_t first, uint32_t count,
                      float (*out)[K_MOST]) {
    emu_block *block = x->warp->block;
    uint32_t bytes = x->m->type == CONVERT_F32 ? 4 : 2, k = x->m->depth;
    for (uint32_t row = 0; row < count; row++)
        for (uint32_t i = 0; i < k; i++) {
            uint32_t at = place(d, first + row, i * bytes);
            if (at < x->reserved || at + bytes > block->shared_bytes) {
                emu_found(
                    x->warp, x->u, 0, SMP_FINDING_OUT_OF_BOUNDS, true,
                    "a matrix operand at byte %lld of the block's shared memory, which has %u",
                    (long long)at - x->reserved, block->shared_bytes - x->reserved);
                return false;
            }
            if (!block->is_written[at / 4])
                emu_found(x->warp, x->u, 0, SMP_FINDING_UNINITIALISED, false,
                          "a matrix operand at byte %u of shared memory, which nobody has written",
                          at - x->reserved);
            out[row][i] = element(block->shared + at, x->m->type);
        }
    return true;
}

/* The fragment of a warp, as of mma's A. */
static void read_registers(const access_lanes *x, float (*out)[K_MOST]) {
    const uint32_t *a = emu_rows(x->worker->run->program, x->warp, &x->u->a);
    unsigned each = x->m->type == CONVERT_F32 ? 1 : 2;
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned reg = 0; reg < 4; reg++)
            for (unsigned i = 0; i < each; i++) {
                uint32_t word = a[reg * ROW + l] >> 16 * i;
                out[l / 4 + 8 * (reg & 1)][l % 4 * each + i + 4 * each * (reg >> 1)] =
                    element((const uint8_t *)&word, x->m->type);
            }
}

static float sum_of(const float *a, const float *b, uint32_t k, double sum) {
    for (uint32_t i = 0; i < k; i++)
        sum += (double)a[i] * b[i];
    return (float)sum;
}

/* Register 4 j + 2 r + i of lane l: row l / 4 + 8 r, column 8 j + l % 4 * 2 + i. */
static void multiply(access_lanes *x, float (*a)[K_MOST], float (*b)[K_MOST], bool adds) {
    uint32_t *d = (uint32_t *)(void *)(x->warp->files[0] + x->u->d);
    const uint32_t *c = emu_rows(x->worker->run->program, x->warp, &x->u->c);
    unsigned registers = x->m->columns / 8u * (x->m->is_half ? 2 : 4);
    for (unsigned l = 0; l < ROW; l++)
        for (unsigned reg = 0; reg < registers; reg++) {
            unsigned at = x->m->is_half ? 2 * reg : reg; /* as if each had one result */
            unsigned row = l / 4 + 8 * (at / 2 % 2), column = at / 4 * 8 + l % 4 * 2 + at % 2;
            uint32_t word = adds ? c[reg * ROW + l] : 0, result = 0;
            if (x->m->is_half) {
                for (unsigned i = 0; i < 2; i++) {
                    float r = sum_of(a[row], b[column + i], x->m->depth,
                                     smp_half_to_float((uint16_t)(word >> 16 * i)));
                    result |= (uint32_t)smp_half_of_double(r, ROUND_NEAREST) << 16 * i;
                }
            } else {
                float old, r;
                memcpy(&old, &word, 4);
                r = sum_of(a[row], b[column], x->m->depth, old);
                memcpy(&result, &r, 4);
            }
            d[reg * ROW + l] = result;
        }
}

void emu_warpgroup(access_lanes *x, uint32_t exec) {
    float a[16][K_MOST], b[N_MOST][K_MOST];
    const uint32_t *at = emu_rows(x->worker->run->program, x->warp, &x->m->at.uniform);
    const descriptor of_a = read_descriptor(at), of_b = read_descriptor(at + 2 * ROW);
    bool from_registers = x->u->a.rows != 0;
    if (exec != SMP_ALL_LANES || !of_b.is_known || (!from_registers && !of_a.is_known)) {
        emu_found(x->warp, x->u, (unsigned)__builtin_ctz(exec), SMP_FINDING_UNKNOWN, true,
                  "a matrix instruction of part of a warp, or with a base offset");
        return;
    }
    if (from_registers)
        read_registers(x, a);
    else if (!read_rows(x, &of_a, x->warp->index % 4 * 16, 16, a))
        return;
    if (read_rows(x, &of_b, 0, x->m->columns, b))
        multiply(x, a, b, (emu_predicate(x->warp, x->u->p) & 1) != 0);
}
