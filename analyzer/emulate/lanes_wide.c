/* SPDX-License-Identifier: MIT */
/*
 * Integers of 64 bits in one instruction (compute capability 9.0 in uniform registers, 12.0 in
 * all).
 */
#include "lanes.h"

static inline uint64_t negated(uint64_t value, uint32_t is_negated) {
    return is_negated ? 0 - value : value;
}

/* The sign bit of 64, which orders numbers without a sign where it is changed; imm2: unsigned. */
static inline uint64_t sign_flip(const uop *u) {
    return u->imm2 ? 0 : 1ull << 63;
}

static inline bool takes_first(uint64_t a, uint64_t b, uint64_t flip, uint32_t is_least) {
    return ((a ^ flip) < (b ^ flip)) == is_least;
}

#define A lanes_pair(a, l)
#define B lanes_pair(b, l)
#define C lanes_pair(c, l)

/* clang-format off */
/* imm: which operands are negated, as bits; imm2: of two operands, with carries: bit 0 into it,
 * from the predicate; bit 1: the negation is a complement. */
LANE_PAIR_OP(wide_add, const uint32_t imm = u->imm,
             negated(A, imm & 1) + negated(B, imm & 2) + negated(C, imm & 4))
LANE_PAIR_OP(wide_sel, NOTHING, p >> l & 1 ? A : B)
/* p: the smaller. */
LANE_PAIR_OP(wide_extreme, const uint64_t flip = sign_flip(u), takes_first(A, B, flip, p >> l & 1) ? A : B)
/* clang-format on */

void smp_lanes_wide_carry(lane_args *x) {
    uint32_t out = 0;
    const bool takes_carry = x->u->imm2 & 1, is_complement = x->u->imm2 & 2;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t value[2] = {lanes_pair(x->a, l), lanes_pair(x->b, l)};
        unsigned __int128 sum = takes_carry ? x->p >> l & 1 : 0;
        for (unsigned i = 0; i < 2; i++) {
            const bool is_negated = x->u->imm >> i & 1;
            sum += is_negated ? ~value[i] : value[i];
            sum += is_negated && !is_complement;
        }
        lanes_set_pair(x->d, l, (uint64_t)sum);
        out |= (uint32_t)(sum >> 64 != 0) << l;
    }
    x->p_out = out;
}

/* imm: CMP_... | JOIN << 8. */
void smp_lanes_wide_setp(lane_args *x) {
    const uint64_t flip = sign_flip(x->u);
    const uint32_t *a = x->a, *b = x->b;
    uint32_t less = 0, equal = 0;
    LANES_MASK(less, (A ^ flip) < (B ^ flip));
    LANES_MASK(equal, A == B);
    lanes_join(x, lanes_ordered(x->u->imm & 0xff, less, equal, ~(less | equal)), x->u->imm >> 8);
}
