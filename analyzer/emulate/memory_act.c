/* SPDX-License-Identifier: MIT */
/*
 * What memory instructions do with the bytes that they reach.
 */
#include <string.h>

#include "memory.h"

static uint32_t *row_at(const access_lanes *x, const emu_operand *operand) {
    return (uint32_t *)(uintptr_t)emu_rows(x->worker->run->program, x->warp, operand);
}

static uint32_t *result_of(const access_lanes *x) {
    return (uint32_t *)((char *)x->warp->rows + x->u->d);
}

/* The lanes' bytes are one after the other, from lane 0. */
static bool is_contiguous(const access_lanes *x, uint32_t lanes) {
    if (lanes != SMP_ALL_LANES)
        return false;
    uint64_t differs = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        differs |= (uint64_t)((uintptr_t)x->bytes[l] ^ ((uintptr_t)x->bytes[0] + 4 * (size_t)l));
    return differs == 0;
}

static void load(access_lanes *x, uint32_t lanes) {
    uint32_t *d = result_of(x);
    if (x->width == 4 && is_contiguous(x, lanes)) {
        memcpy(d, x->bytes[0], ROW_BYTES);
        return;
    }
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint32_t words[4] = {0};
        switch (x->width) {
        case 4:
            memcpy(&d[l], x->bytes[l], 4);
            continue;
        case 8:
            memcpy(words, x->bytes[l], 8);
            break;
        case 16:
            memcpy(words, x->bytes[l], 16);
            break;
        case 1:
            words[0] = x->m->extend ? (uint32_t)(int8_t)x->bytes[l][0] : x->bytes[l][0];
            break;
        default:
            memcpy(words, x->bytes[l], 2);
            words[0] = x->m->extend ? (uint32_t)(int16_t)words[0] : words[0];
        }
        for (unsigned i = 0; i < x->u->d_rows; i++)
            d[i * ROW + l] = words[i];
    }
}

static void store(access_lanes *x, uint32_t lanes) {
    const uint32_t *a = row_at(x, &x->u->a);
    if (x->width == 4 && is_contiguous(x, lanes)) {
        memcpy(x->bytes[0], a, ROW_BYTES);
        return;
    }
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint32_t words[4] = {a[l]};
        for (unsigned i = 1; i < x->width / 4; i++)
            words[i] = a[i * ROW + l];
        memcpy(x->bytes[l], words, x->width);
    }
}

/* ---- Atomics ---- */

static uint64_t as_float(uint64_t old, uint64_t operand) {
    uint32_t a = (uint32_t)old, b = (uint32_t)operand, r;
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&r, &x, 4);
    return x != x ? 0x7fffffff : r;
}

static uint64_t as_double(uint64_t old, uint64_t operand) {
    double x, y;
    memcpy(&x, &old, 8);
    memcpy(&y, &operand, 8);
    x += y;
    memcpy(&old, &x, 8);
    return old;
}

static double half_result(uint8_t op, double old, double operand) {
    switch (op) {
    case ATOMIC_MIN:
        return operand < old || old != old ? operand : old;
    case ATOMIC_MAX:
        return operand > old || old != old ? operand : old;
    default:
        return old + operand;
    }
}

static uint64_t as_halves(uint8_t op, uint64_t old, uint64_t operand, bool is_bf16) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i += 16) {
        uint16_t a = (uint16_t)(old >> i), b = (uint16_t)(operand >> i);
        double first = is_bf16 ? smp_bf16_to_float(a) : smp_half_to_float(a);
        double second = is_bf16 ? smp_bf16_to_float(b) : smp_half_to_float(b);
        double value = half_result(op, first, second);
        uint16_t half = is_bf16 ? smp_bf16_of_double(value, ROUND_NEAREST)
                                : smp_half_of_double(value, ROUND_NEAREST);
        result |= (uint64_t)half << i;
    }
    return result;
}

static bool is_less(uint64_t a, uint64_t b, uint8_t type) {
    switch (type) {
    case TYPE_S32:
        return (int32_t)a < (int32_t)b;
    case TYPE_S64:
        return (int64_t)a < (int64_t)b;
    case TYPE_U32:
        return (uint32_t)a < (uint32_t)b;
    default:
        return a < b;
    }
}

static uint64_t sum_of(uint8_t type, uint64_t old, uint64_t operand) {
    switch (type) {
    case TYPE_F32:
        return as_float(old, operand);
    case TYPE_F64:
        return as_double(old, operand);
    default:
        return old + operand;
    }
}

static uint64_t changed(uint8_t op, uint8_t type, uint64_t old, uint64_t a, uint64_t b) {
    if (type >= TYPE_F16X2)
        return as_halves(op, old, a, type == TYPE_BF16X2);
    switch (op) {
    case ATOMIC_ADD:
        return sum_of(type, old, a);
    case ATOMIC_MIN:
        return is_less(a, old, type) ? a : old;
    case ATOMIC_MAX:
        return is_less(old, a, type) ? a : old;
    case ATOMIC_INC:
        return old >= a ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > a ? a : old - 1;
    case ATOMIC_AND:
        return old & a;
    case ATOMIC_OR:
        return old | a;
    case ATOMIC_XOR:
        return old ^ a;
    case ATOMIC_EXCHANGE:
        return a;
    case ATOMIC_POPC_INC:
        return old + 1;
    default: /* compare and swap */
        return old == a ? b : old;
    }
}

/* Blocks of other threads may be at the same bytes: compare and swap until it holds. */
uint64_t emu_change(uint8_t *bytes, uint32_t width, const uop_memory *m, uint64_t a, uint64_t b) {
    if (width == 8) {
        uint64_t *at = (uint64_t *)(void *)bytes, old = __atomic_load_n(at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(at, &old, changed(m->atomic, m->type, old, a, b), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            continue;
        return old;
    }
    unsigned shift = width == 2 ? (unsigned)((uintptr_t)bytes & 2) * 8 : 0;
    uint32_t mask = width == 2 ? 0xffffu << shift : 0xffffffffu;
    uint32_t *at = (uint32_t *)(void *)(bytes - shift / 8);
    uint32_t old = __atomic_load_n(at, __ATOMIC_RELAXED), now;
    do
        now = (uint32_t)changed(m->atomic, m->type, old, a << shift, b);
    while (!__atomic_compare_exchange_n(at, &old, (old & ~mask) | (now & mask), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return old;
}

/* ATOMS.CAST.SPIN takes one lane of those on one word: the lowest; the others try again. */
static bool loses(const access_lanes *x, uint32_t lanes, unsigned l) {
    for (unsigned m = 0; m < l; m++)
        if (lanes >> m & 1 && x->bytes[m] == x->bytes[l])
            return true;
    return false;
}

/* Two or four floats: one after the other. */
static void atomic_floats(access_lanes *x, uint32_t lanes) {
    const uint32_t *a = row_at(x, &x->u->a);
    uint32_t *d = result_of(x);
    for (unsigned l = 0; l < SMP_LANES; l++)
        for (unsigned i = 0; lanes >> l & 1 && i < x->width / 4; i++) {
            const uint32_t old =
                (uint32_t)emu_change(x->bytes[l] + 4 * (size_t)i, 4, x->m, a[i * ROW + l], 0);
            if (i < x->u->d_rows)
                d[i * ROW + l] = old;
        }
}

static void atomic(access_lanes *x, uint32_t lanes) {
    if (x->m->type == TYPE_F32 && x->width > 4) {
        atomic_floats(x, lanes);
        return;
    }
    const uint32_t *a = x->u->a.rows ? row_at(x, &x->u->a) : NULL;
    const uint32_t *b = x->u->b.rows ? row_at(x, &x->u->b) : NULL;
    uint32_t *d = result_of(x);
    bool is_cast = x->m->atomic == ATOMIC_CAST_SPIN, is_wide = x->width == 8;
    uint32_t result[2][SMP_LANES];
    for (unsigned l = 0; l < SMP_LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        uint64_t first = a == NULL ? 0 : a[l] | (is_wide ? (uint64_t)a[ROW + l] << 32 : 0);
        uint64_t second = b == NULL ? 0 : b[l] | (is_wide ? (uint64_t)b[ROW + l] << 32 : 0);
        if (is_cast && loses(x, lanes, l)) {
            result[0][l] = result[1][l] = 0;
            continue;
        }
        uint64_t old = emu_change(x->bytes[l], x->width, x->m, first, second);
        result[0][l] = is_cast ? old == first : (uint32_t)old;
        result[1][l] = is_cast ? 0 : (uint32_t)(old >> 32);
    }
    for (unsigned i = 0; i < x->u->d_rows; i++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            if (lanes >> l & 1)
                d[i * ROW + l] = result[i][l];
    if (!is_cast || x->u->p_out == PREDICATE_TRUE)
        return;
    uint32_t won = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        won |= (uint32_t)(lanes >> l & 1 && result[0][l]) << l;
    emu_set_predicate(x->warp, x->u->p_out, lanes, won);
}

void emu_act(access_lanes *x, uint32_t lanes) {
    switch (x->m->kind) {
    case MEMORY_LOAD:
        load(x, lanes);
        break;
    case MEMORY_STORE:
        store(x, lanes);
        break;
    default:
        atomic(x, lanes);
    }
}

/* Row r of matrix i is at the address of lane 8 i + r; lane l holds two neighbours of row l / 4, or
 * of the transposed matrix. */
void emu_act_matrix(access_lanes *x) {
    bool is_load = x->m->kind == MEMORY_MATRIX_LOAD;
    uint32_t *rows = is_load ? result_of(x) : row_at(x, &x->u->a);
    for (unsigned i = 0; i < x->m->matrices; i++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            for (unsigned j = 0; j < 2; j++) {
                unsigned row = l / 4, column = l % 4 * 2 + j;
                if (x->m->is_transposed) {
                    row = l % 4 * 2 + j;
                    column = l / 4;
                }
                uint8_t *at = x->bytes[8 * i + row] + (size_t)2 * column;
                uint32_t *word = &rows[i * ROW + l];
                uint16_t half = (uint16_t)(*word >> 16 * j);
                if (!is_load) {
                    memcpy(at, &half, 2);
                    continue;
                }
                memcpy(&half, at, 2);
                *word = (*word & ~(0xffffu << 16 * j)) | (uint32_t)half << 16 * j;
            }
}
