/* SPDX-License-Identifier: MIT */
/*
 * Bounds of numbers that unwritten memory influenced. A merge of two lists compares elements past
 * the end of one and advances one of two indices by one; either way the index stays past its end.
 * So a number with poisoned bits need not matter: `i += unknown; if (i >= end)`. The minimum and
 * maximum of such numbers are kept for a few rows of each warp; forgetting some only loses
 * precision. Numbers are signed, and sums that overflow have no bounds.
 *
 * "@P2 IADD R6, R21, 1; @P2 MOV R21, R6", where P2 is poison: after the first instruction R6 is one
 * of two numbers, but R21 becomes only the new one. So rows written behind such a guard have
 * separate bounds for instructions behind the same guard, until its predicate is written.
 */
#include "lanes.h"
#include "poison.h"

typedef struct range {
    int64_t low, high;
} range;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static range both(range a, range b) {
    return (range){least(a.low, b.low), most(a.high, b.high)};
}

/* The row's entry for this guard (PREDICATE_TRUE: unconditional) with the lane; NULL if there is
 * none. */
static const emu_bound *entry_of(const emu_poison *p, uint32_t row, uint8_t guard, unsigned l) {
    return FIND(b, p->bounds, BOUNDS_KEPT,
                b->lanes >> l & 1 && b->row == row && b->guard == guard &&
                    (guard == PREDICATE_TRUE || b->version == p->version[guard & 15]));
}

/* Range of a lane's value where `guard` is true; false if unbounded. */
static bool range_of_row(const emu_warp *warp, uint32_t row, uint8_t guard, unsigned l,
                         range *out) {
    const emu_poison *p = warp->poison;
    const emu_bound *b = guard == PREDICATE_TRUE ? NULL : entry_of(p, row, guard, l);
    if (!b && p->bits[row][l] == 0) {
        out->low = out->high = (int32_t)warp->rows[(size_t)row * ROW + l];
        return true;
    }
    b = b ? b : entry_of(p, row, PREDICATE_TRUE, l);
    if (b)
        *out = (range){b->low[l], b->high[l]};
    return b;
}

static bool range_of(const emu_warp *warp, const emu_operand *operand, uint8_t guard, unsigned l,
                     range *out) {
    if (operand->rows == 0 || operand->modifier != MODIFIER_NONE)
        return false;
    if (!(operand->offset & 1))
        return range_of_row(warp, (uint32_t)operand->offset / ROW_BYTES, guard, l, out);
    out->low = out->high = (int32_t)emu_row_of(warp, operand)[l];
    return true;
}

static range product(range a, range b) {
    const range low = {least(a.low * b.low, a.low * b.high), most(a.low * b.low, a.low * b.high)};
    const range high = {least(a.high * b.low, a.high * b.high),
                        most(a.high * b.low, a.high * b.high)};
    return both(low, high);
}

static range sum(range a, range b) {
    return (range){a.low + b.low, a.high + b.high};
}

/* Range of a result whose operands are bounded; false if unbounded. */
static bool range_of_result(const emu_warp *warp, const uop *u, uint8_t guard, unsigned l,
                            range *out) {
    range a, b, c;
    if (!range_of(warp, &u->a, guard, l, &a))
        return false;
    if (u->fn == smp_lanes_mov) {
        *out = a;
        return true;
    }
    if (!range_of(warp, &u->b, guard, l, &b))
        return false;
    if (u->fn == smp_lanes_sel) {
        const bool is_known = !(warp->poison->predicates[u->p & 15] >> l & 1);
        const bool takes_a = emu_predicate(warp, u->p) >> l & 1;
        *out = !is_known ? both(a, b) : takes_a ? a : b;
        return true;
    }
    if (!range_of(warp, &u->c, guard, l, &c))
        return false;
    *out = sum(u->fn == smp_lanes_imad ? product(a, b) : sum(a, b), c);
    return out->low >= INT32_MIN && out->high <= INT32_MAX;
}

static void put(emu_bound *bound, unsigned l, range r) {
    bound->lanes |= 1u << l;
    bound->low[l] = (int32_t)r.low;
    bound->high[l] = (int32_t)r.high;
}

void emu_bounds_of_result(const emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt,
                          emu_bounds_made *made) {
    const uint32_t row = (uint32_t)u->d / ROW_BYTES;
    if (u->ignores_exec || (u->fn != smp_lanes_mov && u->fn != smp_lanes_sel &&
                            u->fn != smp_lanes_iadd3 && u->fn != smp_lanes_imad))
        return;
    made->always.row = made->guarded.row = row;
    made->always.guard = PREDICATE_TRUE;
    made->guarded.guard = u->guard;
    made->guarded.version = warp->poison->version[u->guard & 15];
    EACH_LANE_OF(l, exec | doubt) {
        range now, before;
        if (!range_of_result(warp, u, doubt >> l & 1 ? u->guard : PREDICATE_TRUE, l, &now))
            continue;
        if (!(doubt >> l & 1)) {
            put(&made->always, l, now);
            continue;
        }
        put(&made->guarded, l, now);
        if (range_of_row(warp, row, PREDICATE_TRUE, l, &before))
            put(&made->always, l, both(now, before));
    }
}

void emu_bounds_keep(emu_warp *warp, const emu_bounds_made *made) {
    emu_poison *p = warp->poison;
    if (made->always.lanes != 0)
        p->bounds[p->next_bound++ % BOUNDS_KEPT] = made->always;
    if (made->guarded.lanes != 0)
        p->bounds[p->next_bound++ % BOUNDS_KEPT] = made->guarded;
}

void emu_bounds_forget(emu_warp *warp, uint32_t row, uint32_t lanes) {
    for (unsigned i = 0; i < BOUNDS_KEPT; i++)
        if (warp->poison->bounds[i].row == row)
            warp->poison->bounds[i].lanes &= ~lanes;
}

static bool is_decided(const uop *u, range a, range b) {
    const bool is_unsigned = u->imm2 & 1;
    const unsigned wanted = u->imm & (CMP_LT | CMP_EQ | CMP_GT);
    if (is_unsigned && (a.low < 0 || b.low < 0))
        return false;
    const unsigned can = (a.low < b.high ? CMP_LT : 0u) | (a.high > b.low ? CMP_GT : 0u) |
                         (a.low <= b.high && b.low <= a.high ? CMP_EQ : 0u);
    const bool needs_equal = u->imm2 & 2 && can & CMP_EQ; /* .EX: decided by a predicate */
    return !needs_equal && ((can & wanted) == 0 || (can & ~wanted) == 0);
}

uint32_t emu_bounds_decide(const emu_warp *warp, const uop *u) {
    uint32_t decided = 0;
    for (unsigned l = 0; l < ROW; l++) {
        range a, b;
        if (range_of(warp, &u->a, PREDICATE_TRUE, l, &a) &&
            range_of(warp, &u->b, PREDICATE_TRUE, l, &b))
            decided |= (uint32_t)is_decided(u, a, b) << l;
    }
    return decided;
}
