/* SPDX-License-Identifier: MIT */
/*
 * Propagates poison through operations. Moves, shuffles, shifts and byte permutations are repeated
 * on masks of bits in place of values. Logic is exact for every bit. Sums and products spread
 * poison to higher bits. Comparisons poison their predicate unless bounds (poison_bounds.c) or the
 * combined predicate decide. Where a poisoned predicate selects a value or guards an instruction,
 * the bits that the choice changes are poison. Everything else poisons its whole result, and
 * operations across lanes poison all lanes.
 */
#include <string.h>

#include "lanes.h"
#include "poison.h"

typedef struct flow {
    emu_warp *warp;
    const uop *u;
    uint32_t exec;
    uint32_t a, b, c, predicates; /* lanes in which an operand has poison */
    uint32_t bits[OPERANDS_CHANGED_ROWS][ROW];
    uint32_t all; /* lanes in which every row is all poison */
    uint32_t p, q;
} flow;

static bool is_one_of(const uop *u, const lane_fn *functions, size_t count) {
    return ANY(one, functions, count, u->fn == *one);
}

#define IS_ONE_OF(u, ...)                        \
    is_one_of(u, (const lane_fn[]){__VA_ARGS__}, \
              sizeof((const lane_fn[]){__VA_ARGS__}) / sizeof(lane_fn))

static const uint32_t *bits_of(const emu_warp *warp, const emu_operand *operand, unsigned row) {
    static const uint32_t none[ROW];
    if (operand->offset & 1 || row >= operand->rows)
        return none;
    return warp->poison->bits[(uint32_t)operand->offset / ROW_BYTES + row];
}

static void copy_bits(const emu_warp *warp, const emu_operand *operand, uint32_t *out) {
    for (unsigned r = 0; r < OPERANDS_CHANGED_ROWS; r++)
        memcpy(out + r * ROW, bits_of(warp, operand, r), ROW_BYTES);
}

static const uint32_t *values(const flow *f, const emu_operand *operand) {
    return emu_row_of(f->warp, operand);
}

static const uint32_t *changed(const flow *f, const emu_operand *operand, uint32_t *room) {
    const uint32_t *rows = values(f, operand);
    if (operand->modifier == MODIFIER_NONE)
        return rows;
    emu_modify(operand, rows, room);
    return room;
}

/* Runs the operation on these rows with `p` as its predicate; returns its rows and predicates. */
static void run_on(const flow *f, const uint32_t *const rows[3], uint32_t p, uint32_t *d,
                   uint32_t predicates[2]) {
    lane_args x = {.d = d,
                   .a = rows[0],
                   .b = rows[1],
                   .c = rows[2],
                   .p = p,
                   .q = emu_predicate(f->warp, f->u->q),
                   .r = emu_predicate(f->warp, f->u->r),
                   .exec = f->exec,
                   .u = f->u,
                   .warp = f->warp};
    f->u->fn(&x);
    predicates[0] = x.p_out;
    predicates[1] = x.q_out;
}

/* The same on the present values. */
static void run_again(const flow *f, uint32_t p, uint32_t *d, uint32_t predicates[2]) {
    uint32_t room[3][OPERANDS_CHANGED_ROWS * ROW] __attribute__((aligned(EMU_ALIGN)));
    const uint32_t *const rows[] = {changed(f, &f->u->a, room[0]), changed(f, &f->u->b, room[1]),
                                    changed(f, &f->u->c, room[2])};
    run_on(f, rows, p, d, predicates);
}

/* True if the modifier moves no bits: none, or it inverts all bits or the sign. */
static bool keeps_places(const emu_operand *operand) {
    return operand->modifier != MODIFIER_NEGATE && operand->modifier != MODIFIER_HALF;
}

/* Runs the operation on masks; operands that say where bits go (b of shifts and the like) must be
 * known. */
static void flow_moves(flow *f, bool a_moves, bool b_moves, bool c_moves) {
    uint32_t room[3][OPERANDS_CHANGED_ROWS * ROW] __attribute__((aligned(EMU_ALIGN)));
    uint32_t result[OPERANDS_CHANGED_ROWS * ROW] __attribute__((aligned(EMU_ALIGN))) = {0};
    const bool moves[] = {a_moves, b_moves, c_moves};
    const uint32_t poison[] = {f->a, f->b, f->c}, *rows[3];
    uint32_t ignored[2];
    for (unsigned i = 0; i < 3; i++) {
        rows[i] = values(f, &f->u->sources[i]);
        if (moves[i] && keeps_places(&f->u->sources[i])) {
            copy_bits(f->warp, &f->u->sources[i], room[i]);
            rows[i] = room[i];
        } else {
            f->all |= poison[i];
            f->p |= poison[i];
        }
    }
    run_on(f, rows, emu_predicate(f->warp, f->u->p), result, ignored);
    memcpy(f->bits, result, sizeof(result));
    f->all |= f->predicates;
}

/* The bits in which the two values differ, in lanes whose predicate is poison. */
static void flow_selects(flow *f) {
    uint32_t rows[2][OPERANDS_CHANGED_ROWS * ROW] __attribute__((aligned(EMU_ALIGN)));
    uint32_t bits[2][OPERANDS_CHANGED_ROWS * ROW], ignored[2];
    const uint32_t predicates = f->predicates;
    f->predicates = 0;
    flow_moves(f, true, true, false);
    copy_bits(f->warp, &f->u->a, bits[0]);
    copy_bits(f->warp, &f->u->b, bits[1]);
    run_again(f, 0, rows[0], ignored);
    run_again(f, SMP_ALL_LANES, rows[1], ignored);
    for (unsigned i = 0; i < f->u->d_rows * ROW; i++)
        if (predicates >> i % ROW & 1)
            f->bits[i / ROW][i % ROW] = bits[0][i] | bits[1][i] | (rows[0][i] ^ rows[1][i]);
}

/* Which results of a truth table are possible in each bit, 0 and 1: `bits` are the operands, of
 * which `unknown` may be either. */
static void possible(uint32_t table, const uint32_t bits[3], const uint32_t unknown[3],
                     uint32_t can[2]) {
    can[0] = can[1] = 0;
    for (unsigned row = 0; row < 8; row++) {
        uint32_t here = UINT32_MAX;
        for (unsigned i = 0; i < 3; i++)
            here &= (row >> (2 - i) & 1 ? bits[i] : ~bits[i]) | unknown[i];
        can[table >> row & 1] |= here;
    }
}

/* A result bit is poison if the unknown bits could change it. */
static void flow_logic(flow *f) {
    uint32_t one[3][ROW];
    const uint32_t *masks[3];
    for (unsigned i = 0; i < 3; i++) {
        masks[i] = bits_of(f->warp, &f->u->sources[i], 0);
        memcpy(one[i], values(f, &f->u->sources[i]), sizeof(one[i]));
        if (f->u->sources[i].modifier == MODIFIER_NOT)
            EACH_LANE one[i][l] = ~one[i][l];
    }
    for (unsigned l = 0; l < ROW; l++) {
        const uint32_t bits[] = {one[0][l], one[1][l], one[2][l]},
                       unknown[] = {masks[0][l], masks[1][l], masks[2][l]};
        uint32_t can[2];
        possible(f->u->imm, bits, unknown, can);
        f->bits[0][l] = can[0] & can[1];
        f->p |= (uint32_t)(f->bits[0][l] != 0 && (can[1] & ~can[0]) == 0) << l;
    }
    if (f->u->fn == smp_lanes_lop3_pred) { /* "any bit is set", combined with p */
        const uint32_t p = emu_predicate(f->warp, f->u->p);
        f->p = (f->p & (f->u->imm2 ? p : ~p)) | f->predicates;
    }
}

/* The bits from the lowest one up: each bit of a sum or product depends on those below. */
static uint32_t upwards(uint32_t bits) {
    return 0u - (bits & (0u - bits));
}

static void spread(flow *f, unsigned l, uint32_t bits) {
    f->bits[0][l] = f->predicates >> l & 1 ? 0xffffffffu : upwards(bits);
    f->p |= (uint32_t)(f->bits[0][l] != 0) << l;
    f->q = f->p;
}

/* Sums and products; b + (a << imm), or its high word: c holds the bits above a, or a's sign (imm2
 * bit 0). */
static void flow_upwards(flow *f, bool is_lea) {
    const bool is_high = f->u->fn == smp_lanes_lea_hi, is_signed = is_high && f->u->imm2 & 1;
    const uint32_t *a = bits_of(f->warp, &f->u->a, 0), *b = bits_of(f->warp, &f->u->b, 0);
    const uint32_t *c = bits_of(f->warp, &f->u->c, 0);
    const unsigned by = f->u->imm;
    for (unsigned l = 0; l < ROW; l++) {
        const uint32_t sign = (uint32_t)((int32_t)a[l] >> 31);
        const uint64_t all = a[l] | (uint64_t)(is_signed ? sign : c[l]) << 32;
        spread(f, l,
               b[l] | (!is_lea   ? a[l] | c[l]
                       : is_high ? (uint32_t)(all << by >> 32)
                                 : (uint32_t)(all << by)));
    }
}

static bool is_zero(const flow *f, const emu_operand *operand) {
    return operand->rows == 0 || (operand->offset & 1 && values(f, operand)[0] == 0);
}

/* "IMAD.MOV R2, RZ, RZ, R3", "IADD3 R2, R3, RZ, RZ". */
static bool is_move(const flow *f, const emu_operand **from) {
    const uop *u = f->u;
    const bool zero[] = {is_zero(f, &u->a), is_zero(f, &u->b), is_zero(f, &u->c)};
    *from = &u->c;
    if (u->fn == smp_lanes_imad)
        return (zero[0] || zero[1]) && u->c.modifier == MODIFIER_NONE;
    *from = !zero[0] ? &u->a : !zero[1] ? &u->b : &u->c;
    return u->fn == smp_lanes_iadd3 && zero[0] + zero[1] + zero[2] >= 2 &&
           (*from)->modifier == MODIFIER_NONE;
}

/* A comparison combined with a predicate: either may decide alone. */
static void flow_compares(flow *f) {
    const uint32_t p = emu_predicate(f->warp, f->u->p), join = f->u->imm >> 8 & 3;
    const uint32_t of_p = f->warp->poison->predicates[f->u->p & 15];
    const uint32_t decided = f->u->fn == smp_lanes_isetp ? emu_bounds_decide(f->warp, f->u) : 0;
    const uint32_t compared =
        ((f->a | f->b) & ~decided) | f->warp->poison->predicates[f->u->q & 15];
    const uint32_t open = join == JOIN_AND ? p : join == JOIN_OR ? ~p : SMP_ALL_LANES;
    uint32_t sink[OPERANDS_CHANGED_ROWS * ROW] __attribute__((aligned(EMU_ALIGN)));
    uint32_t without[2], with[2];
    run_again(f, 0, sink, without);
    run_again(f, SMP_ALL_LANES, sink, with);
    const uint32_t by_compared = compared & (open | of_p);
    f->p = by_compared | (of_p & (compared | (without[0] ^ with[0])));
    f->q = by_compared | (of_p & (compared | (without[1] ^ with[1])));
}

static void flow_plop3(flow *f) {
    const uint8_t which[] = {f->u->p, f->u->q, f->u->r};
    uint32_t values[3], unknown[3], can[2];
    for (unsigned i = 0; i < 3; i++) {
        values[i] = emu_predicate(f->warp, which[i]);
        unknown[i] = f->warp->poison->predicates[which[i] & 15];
    }
    possible(f->u->imm, values, unknown, can);
    f->p = (can[0] & can[1]) | f->a | f->b | f->c;
    possible(f->u->imm2, values, unknown, can);
    f->q = (can[0] & can[1]) | f->a | f->b | f->c;
}

/* Predicates into a byte of a register that keeps its other bits, and back. */
static void flow_p2r(flow *f) {
    const uint32_t *mask = values(f, &f->u->b), *a = bits_of(f->warp, &f->u->a, 0);
    const uint32_t *predicates = &f->warp->poison->predicates[f->u->imm];
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t bits = 0;
        for (unsigned i = 0; i < PREDICATE_TRUE; i++)
            bits |= (predicates[i] >> l & mask[l] >> i & 1) << i;
        f->bits[0][l] = (a[l] & ~((mask[l] & 0x7f) << f->u->imm2)) | bits << f->u->imm2;
    }
    f->all = f->b;
}

static void flow_r2p(flow *f, uint32_t doubt, uint32_t from) {
    const uint32_t *mask = values(f, &f->u->b), *a = bits_of(f->warp, &f->u->a, 0);
    for (unsigned i = 0; i < PREDICATE_TRUE; i++) {
        const uint32_t changed = f->b | LANES_WHERE(mask[l] >> i & 1),
                       poison = f->b | doubt | LANES_WHERE(a[l] >> (f->u->imm2 + i) & 1);
        emu_poison_set_predicate(f->warp, f->u->imm + i, changed & (f->exec | doubt), poison, from);
    }
}

static bool crosses_lanes(const uop *u) {
    return u->ignores_exec || IS_ONE_OF(u, smp_lanes_vote, smp_lanes_match_any, smp_lanes_match_all,
                                        smp_lanes_redux, smp_lanes_r2ur, smp_lanes_mma,
                                        smp_lanes_dmma, smp_lanes_movm, smp_lanes_elect);
}

static void flow_any(flow *f) {
    uint32_t any = f->a | f->b | f->c | f->predicates;
    if (crosses_lanes(f->u))
        any = (any & (f->u->ignores_exec ? SMP_ALL_LANES : f->exec)) != 0 ? SMP_ALL_LANES : 0;
    f->all = f->p = f->q = any;
}

static void flow_by_operation(flow *f) {
    const uop *u = f->u;
    const emu_operand *from;
    if (u->fn == smp_lanes_shfl || u->fn == smp_lanes_movm)
        u->fn == smp_lanes_shfl ? flow_moves(f, true, false, false) : flow_any(f);
    else if (IS_ONE_OF(u, smp_lanes_mov, smp_lanes_mov2))
        flow_moves(f, true, true, true);
    else if (IS_ONE_OF(u, smp_lanes_sel, smp_lanes_fsel, smp_lanes_wide_sel))
        flow_selects(f);
    else if (IS_ONE_OF(u, smp_lanes_shf, smp_lanes_prmt))
        flow_moves(f, true, false, true);
    else if (IS_ONE_OF(u, smp_lanes_lop3, smp_lanes_lop3_pred))
        flow_logic(f);
    else if (is_move(f, &from))
        memcpy(f->bits[0], bits_of(f->warp, from, 0), ROW_BYTES);
    else if (IS_ONE_OF(u, smp_lanes_iadd3, smp_lanes_iadd3_carry, smp_lanes_imad, smp_lanes_imad_x))
        flow_upwards(f, false);
    else if (IS_ONE_OF(u, smp_lanes_lea, smp_lanes_lea_carry, smp_lanes_lea_hi))
        flow_upwards(f, true);
    else if (IS_ONE_OF(u, smp_lanes_isetp, smp_lanes_fsetp, smp_lanes_dsetp, smp_lanes_wide_setp))
        flow_compares(f);
    else if (u->fn == smp_lanes_plop3)
        flow_plop3(f);
    else if (u->fn == smp_lanes_p2r)
        flow_p2r(f);
    else
        flow_any(f);
}

/* True for operations that can run on the present values in lanes whose guard is poison. */
static bool can_run_again(const uop *u) {
    return u->d_rows <= OPERANDS_CHANGED_ROWS &&
           IS_ONE_OF(u, smp_lanes_mov, smp_lanes_mov2, smp_lanes_sel, smp_lanes_fsel, smp_lanes_shf,
                     smp_lanes_prmt, smp_lanes_lop3, smp_lanes_iadd3, smp_lanes_imad,
                     smp_lanes_lea);
}

/* Poisons the bits that the operation may change in lanes whose guard is poison. */
static void flow_doubt(flow *f, uint32_t doubt) {
    uint32_t now[OPERANDS_CHANGED_ROWS * ROW] __attribute__((aligned(EMU_ALIGN)));
    uint32_t ignored[2];
    const emu_poison *p = f->warp->poison;
    const uint32_t first = (uint32_t)f->u->d / ROW_BYTES;
    if (!can_run_again(f->u)) {
        f->all |= doubt;
        return;
    }
    run_again(f, emu_predicate(f->warp, f->u->p), now, ignored);
    for (unsigned i = 0; i < f->u->d_rows * ROW; i++)
        if (doubt >> i % ROW & 1)
            f->bits[i / ROW][i % ROW] |= p->bits[first + i / ROW][i % ROW] |
                                         (now[i] ^ f->warp->rows[(size_t)first * ROW + i]);
}

void emu_poison_flow(emu_warp *warp, const uop *u, uint32_t exec, uint32_t doubt) {
    const emu_poison *p = warp->poison;
    flow f = {.warp = warp, .u = u, .exec = exec};
    emu_bounds_made bounds = {.always = {.lanes = 0}, .guarded = {.lanes = 0}};
    f.a = emu_poison_of(warp, &u->a, u->a.rows);
    f.b = emu_poison_of(warp, &u->b, u->b.rows);
    f.c = emu_poison_of(warp, &u->c, u->c.rows);
    f.predicates = p->predicates[u->p & 15] | p->predicates[u->q & 15] | p->predicates[u->r & 15];
    const uint32_t seen = f.a | f.b | f.c | f.predicates | doubt;
    const bool looks = seen != 0 || u->fn == smp_lanes_p2r;
    const uint32_t from = looks ? emu_poison_from(warp, u, SMP_ALL_LANES) : 0;
    if (u->fn == smp_lanes_r2p) {
        flow_r2p(&f, doubt, from);
    } else if (looks) {
        flow_by_operation(&f);
        flow_doubt(&f, doubt);
        emu_bounds_of_result(warp, u, exec, doubt, &bounds);
    }
    const uint32_t lanes = u->ignores_exec ? SMP_ALL_LANES : exec | doubt;
    for (unsigned r = 0; r < u->d_rows; r++) {
        uint32_t bits[ROW];
        for (unsigned l = 0; l < ROW; l++)
            bits[l] = f.all >> l & 1 ? 0xffffffffu : r < OPERANDS_CHANGED_ROWS ? f.bits[r][l] : 0;
        emu_poison_set_row(warp, (uint32_t)u->d / ROW_BYTES + r, lanes, looks ? bits : NULL, from);
    }
    emu_bounds_keep(warp, &bounds);
    emu_poison_set_predicate(warp, u->p_out, lanes, f.p | doubt, from);
    emu_poison_set_predicate(warp, u->q_out, lanes, f.q | doubt, from);
}
