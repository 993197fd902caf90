/* SPDX-License-Identifier: MIT */
/* Operations across lanes: shuffles, votes, matches, reductions, predicates as registers. */
#include "memory.h"

static uint32_t lowest(uint32_t mask) {
    return mask == 0 ? 0 : (uint32_t)__builtin_ctz(mask);
}

/* Gathers bit `bit` of each lane. */
LANES_INLINE uint32_t bits_at(const uint32_t *row, unsigned bit) {
    return LANES_WHERE(row[l] >> bit & 1);
}

LANES_CLONED static uint32_t sign_mask(const uint32_t *row) {
    return bits_at(row, 31);
}

/* Each operand is a predicate or the sign of a register. */
void smp_lanes_plop3(lane_args *x) {
    uint32_t result[2];
    uint32_t p = x->u->a.rows ? sign_mask(x->a) : x->p, q = x->u->b.rows ? sign_mask(x->b) : x->q;
    uint32_t r = x->u->c.rows ? sign_mask(x->c) : x->r;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t table = i == 0 ? x->u->imm : x->u->imm2;
        result[i] = 0;
        for (unsigned bits = 0; bits < 8; bits++)
            if (table >> bits & 1)
                result[i] |= (bits & 4 ? p : ~p) & (bits & 2 ? q : ~q) & (bits & 1 ? r : ~r);
    }
    x->p_out = result[0];
    x->q_out = result[1];
}

/* a: the value to keep; b: which predicates replace its bits. imm: the first of them; imm2: shift
 * in bits. */
LANES_CLONED void smp_lanes_p2r(lane_args *x) {
    const uint32_t *predicates = &x->warp->predicates[x->u->imm], *a = x->a, *b = x->b;
    const uint32_t shift = x->u->imm2;
    uint32_t *d = x->d, bits[ROW] = {0};
    for (unsigned i = 0; i < PREDICATE_TRUE; i++) {
        const uint32_t predicate = predicates[i];
        EACH_LANE bits[l] |= (predicate >> l & 1) << i;
    }
    EACH_LANE {
        const uint32_t mask = b[l] & 0x7f;
        d[l] = (a[l] & ~(mask << shift)) | (bits[l] & mask) << shift;
    }
}

/* Only active lanes change their predicates. */
LANES_CLONED void smp_lanes_r2p(lane_args *x) {
    const uint32_t exec = x->u->ignores_exec ? SMP_ALL_LANES : x->exec;
    for (unsigned i = 0; i < PREDICATE_TRUE; i++) {
        const uint32_t set = bits_at(x->a, x->u->imm2 + i), changed = bits_at(x->b, i) & exec;
        uint32_t *predicate = &x->warp->predicates[x->u->imm + i];
        *predicate = (*predicate & ~changed) | (set & changed);
    }
}

/* a: value, b: lane or distance, c: bound | segment mask << 8. imm: mode. */
enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

/* Computes each lane's source lane; returns the lanes whose source is in their segment. */
LANES_INLINE uint32_t shuffle(const lane_args *x, uint32_t mode, uint32_t from[ROW]) {
    const uint32_t *b = x->b, *c = x->c;
    uint32_t is_in[ROW];
    EACH_LANE {
        const uint32_t by = b[l] & 31, bound = c[l] & 31, segment = c[l] >> 8 & 31;
        const uint32_t last = (l & segment) | (bound & ~segment);
        const uint32_t to = mode == SHFL_UP     ? l - by
                            : mode == SHFL_DOWN ? l + by
                            : mode == SHFL_BFLY ? l ^ by
                                                : (l & segment) | (by & ~segment);
        is_in[l] = mode == SHFL_UP ? (int32_t)to >= (int32_t)last : (int32_t)to <= (int32_t)last;
        from[l] = is_in[l] ? to : l;
    }
    return LANES_WHERE(is_in[l]);
}

LANES_CLONED void smp_lanes_shfl(lane_args *x) {
    uint32_t from[ROW], value[ROW];
    switch (x->u->imm) {
    case SHFL_UP:
        x->p_out = shuffle(x, SHFL_UP, from);
        break;
    case SHFL_DOWN:
        x->p_out = shuffle(x, SHFL_DOWN, from);
        break;
    case SHFL_BFLY:
        x->p_out = shuffle(x, SHFL_BFLY, from);
        break;
    default:
        x->p_out = shuffle(x, SHFL_IDX, from);
    }
    for (unsigned l = 0; l < ROW; l++)
        value[l] = x->a[from[l] & 31];
    lanes_copy(x->d, value);
}

/* imm: 0 any (and the ballot), 1 all, 2 equal. */
void smp_lanes_vote(lane_args *x) {
    uint32_t votes = x->p & x->exec;
    bool all = votes == x->exec;
    bool result = x->u->imm == 0 ? votes != 0 : x->u->imm == 1 ? all : all || votes == 0;
    if (x->u->d_rows > 0)
        lanes_fill(x->d, votes);
    x->p_out = result ? SMP_ALL_LANES : 0;
}

/* The lanes whose value, a pair if imm is set, is that of a lane. */
LANES_INLINE uint32_t lanes_with(const lane_args *x, unsigned lane) {
    const uint32_t *a = x->a, low = a[lane], high = a[x->u->imm * ROW + lane];
    return LANES_WHERE(a[l] == low) & LANES_WHERE(a[x->u->imm * ROW + l] == high);
}

/* One value after the other: mostly there are few. */
LANES_CLONED void smp_lanes_match_any(lane_args *x) {
    uint32_t result[ROW] = {0};
    for (uint32_t rest = x->exec; rest != 0;) {
        const uint32_t alike = rest & lanes_with(x, lowest(rest));
        rest &= ~alike;
        for (uint32_t left = alike; left != 0; left &= left - 1)
            result[lowest(left)] = alike;
    }
    lanes_copy(x->d, result);
}

void smp_lanes_match_all(lane_args *x) {
    const bool all = (x->exec & ~lanes_with(x, lowest(x->exec))) == 0;
    lanes_fill(x->d, all ? x->exec : 0);
    x->p_out = all ? SMP_ALL_LANES : 0;
}

/* imm: one of `operations`; imm2: signed. */
void smp_lanes_redux(lane_args *x) {
    static const uint8_t operations[] = {ATOMIC_ADD, ATOMIC_MIN, ATOMIC_MAX,
                                         ATOMIC_AND, ATOMIC_OR,  ATOMIC_XOR};
    const uint8_t type = x->u->imm2 ? TYPE_S32 : TYPE_U32;
    uint64_t result = x->a[lowest(x->exec)];
    EACH_LANE_OF(l, x->exec & (x->exec - 1))
        result = emu_combined(operations[x->u->imm], type, result, x->a[l], 0);
    lanes_fill(x->d, (uint32_t)result);
}

/* The value of the lowest active lane whose predicate is false; the predicate then becomes true for
 * lanes with another value. */
LANES_CLONED void smp_lanes_r2ur(lane_args *x) {
    uint32_t candidates = x->exec & ~x->p;
    uint32_t result = x->a[lowest(candidates != 0 ? candidates : x->exec)];
    x->p_out = LANES_WHERE(x->a[l] != result) | x->p;
    lanes_fill(x->d, result);
}

/* Elects one of the active lanes. */
void smp_lanes_elect(lane_args *x) {
    uint32_t first = lowest(x->exec);
    lanes_fill(x->d, first);
    x->p_out = x->exec == 0 ? 0 : 1u << first;
}
