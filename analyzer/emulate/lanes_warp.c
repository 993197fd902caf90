/* SPDX-License-Identifier: MIT */
/*
 * Operations that see more than their own lane: shuffles, votes, matches, reductions, predicates as
 * registers, special registers.
 */
#include "lanes.h"
#include "warp.h"

static uint32_t lowest(uint32_t mask) {
    return mask == 0 ? 0 : (uint32_t)__builtin_ctz(mask);
}

static uint32_t sign_mask(const uint32_t *row) {
    uint32_t mask = 0;
    for (unsigned l = 0; l < ROW; l++)
        mask |= row[l] >> 31 << l;
    return mask;
}

/* Each operand is a predicate, or the sign of a register. */
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

/* a: what is kept; b: which predicates are put over it. imm: first of them; imm2: shift in bits. */
void smp_lanes_p2r(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t bits = 0, mask = x->b[l];
        for (unsigned i = 0; i < PREDICATE_TRUE; i++)
            bits |= (x->warp->predicates[x->u->imm + i] >> l & 1) << i;
        mask &= 0x7f;
        x->d[l] = (x->a[l] & ~(mask << x->u->imm2)) | (bits & mask) << x->u->imm2;
    }
}

/* Only lanes that take part change their predicates. */
void smp_lanes_r2p(lane_args *x) {
    for (unsigned i = 0; i < PREDICATE_TRUE; i++) {
        uint32_t set = 0, changed = 0;
        for (unsigned l = 0; l < ROW; l++) {
            set |= (x->a[l] >> (x->u->imm2 + i) & 1) << l;
            changed |= (x->b[l] >> i & 1) << l;
        }
        changed &= x->exec;
        uint32_t *predicate = &x->warp->predicates[x->u->imm + i];
        *predicate = (*predicate & ~changed) | (set & changed);
    }
}

/* a: value, b: lane or distance, c: bound | segment mask << 8. imm: mode. */
enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

void smp_lanes_shfl(lane_args *x) {
    uint32_t valid = 0, value[ROW];
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t by = x->b[l] & 31, bound = x->c[l] & 31, segment = x->c[l] >> 8 & 31;
        uint32_t last = (l & segment) | (bound & ~segment), first = l & segment;
        int32_t from = (int32_t)l;
        bool is_in = true;
        switch (x->u->imm) {
        case SHFL_UP:
            from -= (int32_t)by;
            is_in = from >= (int32_t)last;
            break;
        case SHFL_DOWN:
            from += (int32_t)by;
            is_in = from <= (int32_t)last;
            break;
        case SHFL_BFLY:
            from ^= (int32_t)by;
            is_in = from <= (int32_t)last;
            break;
        default:
            from = (int32_t)(first | (by & ~segment));
            is_in = from <= (int32_t)last;
        }
        if (!is_in)
            from = (int32_t)l;
        value[l] = x->a[from & 31];
        valid |= (uint32_t)is_in << l;
    }
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = value[l];
    x->p_out = valid;
}

/* imm: 0 any (and the ballot), 1 all, 2 equal. */
void smp_lanes_vote(lane_args *x) {
    uint32_t votes = x->p & x->exec;
    bool all = votes == x->exec;
    bool result = x->u->imm == 0 ? votes != 0 : x->u->imm == 1 ? all : all || votes == 0;
    for (unsigned l = 0; l < ROW && x->u->d_rows > 0; l++)
        x->d[l] = votes;
    x->p_out = result ? SMP_ALL_LANES : 0;
}

/* imm: the value is a pair. */
static bool is_same(const lane_args *x, unsigned l, unsigned m) {
    return x->a[l] == x->a[m] && (x->u->imm == 0 || x->a[ROW + l] == x->a[ROW + m]);
}

LANES_CLONED static uint32_t lanes_with(const uint32_t *row, uint32_t value) {
    uint32_t bits[ROW], mask = 0;
    EACH_LANE bits[l] = (uint32_t)(row[l] == value) << l;
    for (unsigned l = 0; l < ROW; l++)
        mask |= bits[l];
    return mask;
}

/* Lanes of one value after the other: mostly they are few. */
void smp_lanes_match_any(lane_args *x) {
    uint32_t result[ROW] = {0};
    for (uint32_t rest = x->exec; rest != 0;) {
        const unsigned first = lowest(rest);
        uint32_t alike = rest & lanes_with(x->a, x->a[first]);
        if (x->u->imm != 0)
            alike &= lanes_with(x->a + ROW, x->a[ROW + first]);
        rest &= ~alike;
        for (unsigned l = 0; l < ROW; l++)
            result[l] |= alike >> l & 1 ? alike : 0;
    }
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = result[l];
}

void smp_lanes_match_all(lane_args *x) {
    unsigned first = lowest(x->exec);
    bool all = true;
    for (unsigned l = 0; l < ROW; l++)
        all = all && (!(x->exec >> l & 1) || is_same(x, l, first));
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = all ? x->exec : 0;
    x->p_out = all ? SMP_ALL_LANES : 0;
}

/* imm: 0 sum, 1 minimum, 2 maximum, 3 and, 4 or, 5 xor; imm2: signed. */
void smp_lanes_redux(lane_args *x) {
    uint32_t result = x->a[lowest(x->exec)];
    for (uint32_t rest = x->exec & (x->exec - 1); rest != 0; rest &= rest - 1) {
        uint32_t v = x->a[lowest(rest)];
        bool is_less = x->u->imm2 ? (int32_t)v < (int32_t)result : v < result;
        switch (x->u->imm) {
        case 0:
            result += v;
            break;
        case 1:
            result = is_less ? v : result;
            break;
        case 2:
            result = is_less ? result : v;
            break;
        case 3:
            result &= v;
            break;
        case 4:
            result |= v;
            break;
        default:
            result ^= v;
        }
    }
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = result;
}

/* The value of the lowest active lane whose predicate does not hold; the predicate of lanes with
 * another value holds then, too. */
void smp_lanes_r2ur(lane_args *x) {
    uint32_t candidates = x->exec & ~x->p;
    uint32_t result = x->a[lowest(candidates != 0 ? candidates : x->exec)], others = 0;
    for (unsigned l = 0; l < ROW; l++)
        others |= (uint32_t)(x->a[l] != result) << l;
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = result;
    x->p_out = others | x->p;
}

/* One lane of those that take part. */
void smp_lanes_elect(lane_args *x) {
    uint32_t first = lowest(x->exec);
    for (unsigned l = 0; l < ROW; l++)
        x->d[l] = first;
    x->p_out = x->exec == 0 ? 0 : 1u << first;
}

static uint32_t thread_at(const emu_warp *warp, unsigned lane, unsigned axis) {
    const uint32_t *block = warp->block->worker->run->launch->block;
    uint32_t thread = warp->index * SMP_LANES + lane;
    return axis == 0   ? thread % block[0]
           : axis == 1 ? thread / block[0] % block[1]
                       : thread / block[0] / block[1];
}

uint32_t emu_special(const emu_warp *warp, uint32_t which, unsigned lane) {
    const smp_launch *launch = warp->block->worker->run->launch;
    if (which <= SPECIAL_TID_Z)
        return thread_at(warp, lane, which);
    if (which <= SPECIAL_CTAID_Z)
        return warp->block->at[which - SPECIAL_CTAID_X];
    if (which <= SPECIAL_NTID_Z)
        return launch->block[which - SPECIAL_NTID_X];
    if (which <= SPECIAL_NCTAID_Z)
        return launch->grid[which - SPECIAL_NCTAID_X];
    switch (which) {
    case SPECIAL_LANE:
        return lane;
    case SPECIAL_LT_MASK:
        return (1u << lane) - 1;
    case SPECIAL_LE_MASK:
        return SMP_ALL_LANES >> (31 - lane);
    case SPECIAL_GT_MASK:
        return ~(SMP_ALL_LANES >> (31 - lane));
    case SPECIAL_GE_MASK:
        return SMP_ALL_LANES << lane;
    case SPECIAL_EQ_MASK:
        return 1u << lane;
    case SPECIAL_SHARED_HIGH:
        return (uint32_t)(EMU_SHARED_WINDOW >> 32);
    case SPECIAL_CLUSTER_RANK:
        return warp->block->rank;
    case SPECIAL_TID:
        return thread_at(warp, lane, 0) | thread_at(warp, lane, 1) << 16 |
               thread_at(warp, lane, 2) << 26;
    case SPECIAL_WARP:
        return warp->index;
    case SPECIAL_CLOCK:
        return (uint32_t)warp->block->worker->steps;
    default:
        return 0;
    }
}

/* imm: which; imm2: the row is a pair, of which the second is 0. */
void smp_lanes_s2r(lane_args *x) {
    const uint32_t which = x->u->imm, width = x->warp->block->worker->run->launch->block[0];
    const bool is_of_lane = (which >= SPECIAL_LANE && which <= SPECIAL_EQ_MASK) ||
                            which == SPECIAL_TID || which <= SPECIAL_TID_Z;
    if (is_of_lane && (which > SPECIAL_TID_Z || width % ROW != 0)) {
        for (unsigned l = 0; l < ROW; l++)
            x->d[l] = emu_special(x->warp, which, l);
    } else { /* a warp is in one row of threads */
        const uint32_t first = emu_special(x->warp, which, 0), step = which == SPECIAL_TID_X;
        EACH_LANE x->d[l] = first + step * l;
    }
    for (unsigned l = 0; l < ROW && x->u->d_rows == 2; l++)
        x->d[ROW + l] = 0;
}
