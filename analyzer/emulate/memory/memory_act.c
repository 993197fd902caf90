/* SPDX-License-Identifier: MIT */
/* Executes memory instructions on translated addresses. */
#include <pthread.h>
#include <string.h>

#include "memory.h"

static void load(access_lanes *x, uint32_t lanes) {
    uint32_t *d = emu_result(x->warp, x->u);
    EACH_LANE_OF(l, lanes)
        emu_load_lane(d, x->u->d_rows, x->m, l, x->bytes[l]);
}

static void store(access_lanes *x, uint32_t lanes) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    EACH_LANE_OF(l, lanes)
        emu_store_lane(a, x->m, l, x->bytes[l]);
}

/* ---- Atomics ---- */

static double half_result(uint8_t op, double old, double operand) {
    if (op != ATOMIC_MIN && op != ATOMIC_MAX)
        return old + operand;
    return old != old || (op == ATOMIC_MIN ? operand < old : operand > old) ? operand : old;
}

static uint64_t as_halves(uint8_t op, uint64_t old, uint64_t operand, bool is_bf16) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i += 16) {
        const double value = half_result(op, smp_short_to_float((uint16_t)(old >> i), is_bf16),
                                         smp_short_to_float((uint16_t)(operand >> i), is_bf16));
        result |= (uint64_t)smp_short_of_double(value, is_bf16) << i;
    }
    return result;
}

static bool is_less(uint64_t a, uint64_t b, uint8_t type) {
    const unsigned unused = type < TYPE_U64 ? 32 : 0;
    return type == TYPE_S32 || type == TYPE_S64 ? (int64_t)(a << unused) < (int64_t)(b << unused)
                                                : a << unused < b << unused;
}

static uint64_t sum_of(uint8_t type, uint64_t old, uint64_t operand) {
    double wide, more;
    if (type == TYPE_F32)
        return lanes_result(lanes_float((uint32_t)old) + lanes_float((uint32_t)operand));
    if (type != TYPE_F64)
        return old + operand;
    memcpy(&wide, &old, 8);
    memcpy(&more, &operand, 8);
    wide += more;
    memcpy(&old, &wide, 8);
    return old;
}

LANES_INLINE uint64_t combined(uint8_t op, uint8_t type, uint64_t old, uint64_t a, uint64_t b) {
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

uint64_t emu_combined(uint8_t op, uint8_t type, uint64_t old, uint64_t a, uint64_t b) {
    return combined(op, type, old, a, b);
}

/* Operands of `lanes`, in arrays of 32; *old: the value that each lane found. */
typedef struct operands {
    const uop_memory *m;
    uint32_t lanes;
    const uint64_t *a, *b;
    uint64_t *old;
} operands;

LANES_INLINE uint64_t changed_by_all(const operands *x, uint64_t now, unsigned shift,
                                     uint64_t mask) {
    EACH_LANE_OF(l, x->lanes) {
        x->old[l] = now;
        now = (now & ~mask) |
              (combined(x->m->act, x->m->type, now, x->a[l] << shift, x->b[l]) & mask);
    }
    return now;
}

/* Changes the bytes atomically by compare-and-swap, as blocks on other CPU threads may access
 * them. */
LANES_INLINE void change_bytes(uint8_t *bytes, uint32_t width, const operands *x) {
    if (width == 8) {
        uint64_t *at = (uint64_t *)(void *)bytes, old = __atomic_load_n(at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(at, &old, changed_by_all(x, old, 0, UINT64_MAX), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            continue;
        return;
    }
    const unsigned shift = width == 2 ? (unsigned)((uintptr_t)bytes & 2) * 8 : 0;
    const uint64_t mask = width == 2 ? 0xffffull << shift : UINT32_MAX;
    uint32_t *at = (uint32_t *)(void *)(bytes - shift / 8);
    uint32_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, (uint32_t)changed_by_all(x, old, shift, mask),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        continue;
}

uint64_t emu_change(uint8_t *bytes, uint32_t width, const uop_memory *m, uint64_t a, uint64_t b) {
    uint64_t old = 0;
    change_bytes(bytes, width, &(operands){m, 1, &a, &b, &old});
    return old;
}

/* For a block's shared memory, which no other CPU thread accesses. */
static uint64_t change_alone(const access_lanes *x, unsigned l, uint64_t a, uint64_t b) {
    uint64_t old = 0, now;
    memcpy(&old, x->bytes[l], x->width);
    now = combined(x->m->act, x->m->type, old, a, b);
    memcpy(x->bytes[l], &now, x->width);
    return old;
}

LANES_CLONED static bool is_one_place(const access_lanes *x, uint32_t lanes) {
    const uintptr_t first = (uintptr_t)x->bytes[__builtin_ctz(lanes)];
    uintptr_t differs = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        differs |= lanes >> l & 1 ? (uintptr_t)x->bytes[l] ^ first : 0;
    return differs == 0;
}

static void change_each(const access_lanes *x, uint32_t lanes, const uint64_t *a, const uint64_t *b,
                        uint64_t *old) {
    const bool is_whole = x->width >= 4, is_alone = is_whole && x->slot == SLOT_SHARED;
    if (is_whole && !is_alone && is_one_place(x, lanes)) {
        change_bytes(x->bytes[__builtin_ctz(lanes)], x->width, &(operands){x->m, lanes, a, b, old});
        return;
    }
    EACH_LANE_OF(l, lanes) {
        old[l] = is_alone ? change_alone(x, l, a[l], b[l])
                          : emu_change(x->bytes[l], x->width, x->m, a[l], b[l]);
    }
}

/* ATOMS.CAST.SPIN succeeds for the lowest lane of those on one word; the others retry. */
static bool loses(const access_lanes *x, uint32_t lanes, unsigned l) {
    for (unsigned m = 0; m < l; m++)
        if (lanes >> m & 1 && x->bytes[m] == x->bytes[l])
            return true;
    return false;
}

/* Two or four floats, one after the other. */
static void atomic_floats(access_lanes *x, uint32_t lanes) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    uint32_t *d = emu_result(x->warp, x->u);
    EACH_LANE_OF(l, lanes)
        for (unsigned i = 0; i < x->width / 4; i++) {
            const uint32_t old =
                (uint32_t)emu_change(x->bytes[l] + 4 * (size_t)i, 4, x->m, a[i * ROW + l], 0);
            if (i < x->u->d_rows)
                d[i * ROW + l] = old;
        }
}

/* Reads operands of one or two rows. */
LANES_CLONED static void fill_operand(const access_lanes *x, const emu_operand *operand,
                                      uint64_t *out) {
    const uint32_t *row = emu_row_of(x->warp, operand);
    if (x->width == 8)
        EACH_LANE out[l] = lanes_pair(row, l);
    else
        EACH_LANE out[l] = row[l];
}

/* Losing lanes return 0, lanes that find the expected value 1. */
static uint32_t spin(access_lanes *x, uint32_t lanes, const uint64_t *a, const uint64_t *b,
                     uint64_t *old) {
    const uint32_t takes = lanes & LANES_WHERE(!loses(x, lanes, l));
    uint32_t won = 0;
    change_each(x, takes, a, b, old);
    EACH_LANE_OF(l, takes)
        won |= (uint32_t)(old[l] == a[l]) << l;
    EACH_LANE old[l] = won >> l & 1;
    return won;
}

/* Four words, one lane after the other; other CPU threads wait. */
static void atomic_fours(access_lanes *x, uint32_t lanes) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    const bool compares = x->m->act == ATOMIC_CAS;
    const uint32_t *a = emu_row_of(x->warp, &x->u->a),
                   *b = compares ? emu_row_of(x->warp, &x->u->b) : a;
    uint32_t *d = emu_result(x->warp, x->u);
    pthread_mutex_lock(&one_at_a_time);
    EACH_LANE_OF(l, lanes) {
        uint32_t old[4], now[4];
        bool is_equal = true;
        memcpy(old, x->bytes[l], sizeof(old));
        for (unsigned i = 0; i < 4; i++) {
            is_equal = is_equal && old[i] == a[i * ROW + l];
            now[i] = b[i * ROW + l];
        }
        if (is_equal || !compares)
            memcpy(x->bytes[l], now, sizeof(now));
        for (unsigned i = 0; i < x->u->d_rows; i++)
            d[i * ROW + l] = old[i];
    }
    pthread_mutex_unlock(&one_at_a_time);
}

static void atomic(access_lanes *x, uint32_t lanes) {
    if (x->width == 16 && x->m->type == TYPE_U32) {
        atomic_fours(x, lanes);
        return;
    }
    if (x->m->type == TYPE_F32 && x->width > 4) {
        atomic_floats(x, lanes);
        return;
    }
    uint64_t a[SMP_LANES], b[SMP_LANES], old[SMP_LANES];
    uint32_t *d = emu_result(x->warp, x->u);
    const bool is_cast = x->m->act == ATOMIC_CAST_SPIN;
    fill_operand(x, &x->u->a, a);
    fill_operand(x, &x->u->b, b);
    if (is_cast)
        emu_set_predicate(x->warp, x->u->p_out, lanes, spin(x, lanes, a, b, old));
    else
        change_each(x, lanes, a, b, old);
    for (unsigned i = 0; i < x->u->d_rows; i++)
        EACH_LANE_OF(l, lanes)
            d[i * ROW + l] = (uint32_t)(old[l] >> 32 * i);
}

void emu_act(access_lanes *x, uint32_t lanes) {
    (x->m->kind == MEMORY_LOAD ? load : x->m->kind == MEMORY_STORE ? store : atomic)(x, lanes);
}

void emu_act_matrix(access_lanes *x) {
    const bool is_load = x->m->kind == MEMORY_MATRIX_LOAD;
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    uint32_t *d = emu_result(x->warp, x->u);
    for (unsigned i = 0; i < 2 * SMP_LANES * x->m->matrices; i++) {
        const matrix_half at = emu_matrix_half(x->m, i);
        uint8_t *bytes = x->bytes[at.lane] + (size_t)2 * at.column;
        uint16_t half = (uint16_t)(a[at.word] >> at.shift);
        if (!is_load) {
            memcpy(bytes, &half, 2);
            continue;
        }
        memcpy(&half, bytes, 2);
        d[at.word] = (d[at.word] & ~(0xffffu << at.shift)) | (uint32_t)half << at.shift;
    }
}
