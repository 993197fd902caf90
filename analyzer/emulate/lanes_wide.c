/* SPDX-License-Identifier: MIT */
/*
 * Integers of 64 bits in one instruction (compute capability 9.0 in uniform registers, 12.0 in
 * all).
 */
#include "lanes.h"

static inline uint64_t pair(const uint32_t *row, unsigned l) {
    return row[l] | (uint64_t)row[ROW + l] << 32;
}

/* imm: which operands are negated, as bits; imm2: of two operands, with carries: bit 0 into it,
 * from the predicate; bit 1: the negation is a complement. */
LANES_CLONED void smp_lanes_wide_add(lane_args *x) {
    const uint32_t *a = x->a, *b = x->b, *c = x->c;
    uint32_t *d = x->d;
    uint64_t na = 0 - (uint64_t)(x->u->imm & 1), nb = 0 - (uint64_t)(x->u->imm >> 1 & 1);
    uint64_t nc = 0 - (uint64_t)(x->u->imm >> 2 & 1);
    EACH_LANE {
        uint64_t sum = ((pair(a, l) ^ na) - na) + ((pair(b, l) ^ nb) - nb);
        sum += (pair(c, l) ^ nc) - nc;
        d[l] = (uint32_t)sum;
        d[ROW + l] = (uint32_t)(sum >> 32);
    }
}

void smp_lanes_wide_carry(lane_args *x) {
    uint32_t out = 0;
    const bool takes_carry = x->u->imm2 & 1, is_complement = x->u->imm2 & 2;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t value[2] = {pair(x->a, l), pair(x->b, l)};
        unsigned __int128 sum = takes_carry ? x->p >> l & 1 : 0;
        for (unsigned i = 0; i < 2; i++) {
            const bool is_negated = x->u->imm >> i & 1;
            sum += is_negated ? ~value[i] : value[i];
            sum += is_negated && !is_complement;
        }
        x->d[l] = (uint32_t)sum;
        x->d[ROW + l] = (uint32_t)(uint64_t)(sum >> 32);
        out |= (uint32_t)(sum >> 64 != 0) << l;
    }
    x->p_out = out;
}

LANES_CLONED void smp_lanes_wide_sel(lane_args *x) {
    const uint32_t *a = x->a, *b = x->b;
    uint32_t *d = x->d, p = x->p;
    EACH_LANE {
        uint64_t value = p >> l & 1 ? pair(a, l) : pair(b, l);
        d[l] = (uint32_t)value;
        d[ROW + l] = (uint32_t)(value >> 32);
    }
}

/* imm2: unsigned; p: the smaller. */
LANES_CLONED void smp_lanes_wide_extreme(lane_args *x) {
    const uint32_t *a = x->a, *b = x->b;
    uint32_t *d = x->d, p = x->p;
    uint64_t flip = x->u->imm2 ? 0 : 1ull << 63;
    EACH_LANE {
        uint64_t first = pair(a, l), second = pair(b, l);
        bool takes_first = ((first ^ flip) < (second ^ flip)) == (p >> l & 1);
        uint64_t value = takes_first ? first : second;
        d[l] = (uint32_t)value;
        d[ROW + l] = (uint32_t)(value >> 32);
    }
}

/* imm: CMP_... | JOIN << 8; imm2: unsigned. */
void smp_lanes_wide_setp(lane_args *x) {
    uint64_t flip = x->u->imm2 ? 0 : 1ull << 63;
    uint32_t result = 0;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t a = pair(x->a, l) ^ flip, b = pair(x->b, l) ^ flip;
        uint32_t order = a < b ? CMP_LT : a == b ? CMP_EQ : CMP_GT;
        result |= (uint32_t)((order & x->u->imm & 0xff) != 0) << l;
    }
    lanes_join(x, result, x->u->imm >> 8);
}
