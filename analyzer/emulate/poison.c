/* SPDX-License-Identifier: MIT */
/*
 * Poison: what an instruction without a meaning has written, lane by lane, and what was computed of
 * it. It may be moved and computed with; where it would decide an address, a branch or memory, the
 * launch ends. Nothing of this runs before the first such instruction.
 */
#include <string.h>

#include "lanes.h"
#include "warp.h"

static uint32_t of_operand(const emu_warp *warp, const emu_operand *operand, unsigned rows) {
    uint32_t mask = 0;
    if (operand->offset & 1)
        return 0;
    for (unsigned i = 0; i < rows; i++)
        mask |= warp->poison[operand->offset / ROW_BYTES + (int32_t)i];
    return mask;
}

static uint32_t of_predicates(const emu_warp *warp, const uop *u) {
    return warp->poison_predicates[u->p & 15] | warp->poison_predicates[u->q & 15] |
           warp->poison_predicates[u->r & 15];
}

static void set_mask(uint32_t *mask, uint32_t lanes, uint32_t poison) {
    *mask = (*mask & ~lanes) | (poison & lanes);
}

static void write_poison(emu_warp *warp, const uop *u, uint32_t lanes, uint32_t poison) {
    for (unsigned i = 0; i < u->d_rows; i++)
        set_mask(&warp->poison[u->d / ROW_BYTES + (int32_t)i], lanes, poison);
    if (u->p_out % 8 != PREDICATE_TRUE)
        set_mask(&warp->poison_predicates[u->p_out], lanes, poison);
    if (u->q_out % 8 != PREDICATE_TRUE)
        set_mask(&warp->poison_predicates[u->q_out], lanes, poison);
}

static bool stop(emu_warp *warp, const uop *u, uint32_t lanes, const char *what) {
    emu_found(warp, u, (unsigned)__builtin_ctz(lanes), SMP_FINDING_UNKNOWN, true,
              "%s depends on an instruction that is not understood here", what);
    return false;
}

static bool crosses_lanes(const uop *u) {
    static const lane_fn crossing[] = {
        smp_lanes_shfl, smp_lanes_vote, smp_lanes_match_any, smp_lanes_match_all, smp_lanes_redux,
        smp_lanes_r2ur, smp_lanes_hmma, smp_lanes_imma,      smp_lanes_bmma,      smp_lanes_dmma,
        smp_lanes_movm, smp_lanes_p2r,  smp_lanes_r2p};
    for (size_t i = 0; i < sizeof(crossing) / sizeof(*crossing); i++)
        if (u->fn == crossing[i])
            return true;
    return u->ignores_exec;
}

static uint32_t of_address(const emu_warp *warp, const memory_address *at) {
    return of_operand(warp, &at->base, at->base.rows) |
           of_operand(warp, &at->uniform, at->uniform.rows);
}

static bool memory_step(emu_warp *warp, const uop *u, uint32_t exec) {
    const uop_memory *m = &warp->block->worker->run->program->memory[u->memory];
    if ((of_address(warp, &m->at) | of_address(warp, &m->from)) & exec)
        return stop(warp, u, exec, "an address");
    uint32_t data = of_operand(warp, &u->a, u->a.rows) | of_operand(warp, &u->b, u->b.rows) |
                    of_operand(warp, &u->c, u->c.rows);
    if (data & exec)
        return stop(warp, u, data & exec, "what is stored");
    write_poison(warp, u, u->ignores_exec ? SMP_ALL_LANES : exec, 0);
    return true;
}

static bool unknown_step(emu_warp *warp, const uop *u, uint32_t exec) {
    bool writes = u->d_rows > 0 || u->p_out % 8 != PREDICATE_TRUE;
    if (!writes || u->imm) {
        emu_found(warp, u, (unsigned)__builtin_ctz(exec), SMP_FINDING_UNKNOWN, true,
                  "an instruction that is not understood here");
        return false;
    }
    warp->tracks_poison = true;
    warp->block->worker->unknown_executed++;
    bool is_uniform = u->d >= ROW_UNIFORM * ROW_BYTES && u->d < ROW_SINK * ROW_BYTES;
    write_poison(warp, u, is_uniform ? SMP_ALL_LANES : exec, SMP_ALL_LANES);
    return true;
}

bool emu_poison_step(emu_warp *warp, const uop *u, uint32_t mask, uint32_t exec) {
    if (warp->poison_predicates[u->guard & 15] & mask)
        return stop(warp, u, mask, "whether this runs");
    if (exec == 0)
        return true;
    if (u->kind == UOP_UNKNOWN)
        return unknown_step(warp, u, exec);
    if (u->kind == UOP_MEMORY)
        return memory_step(warp, u, exec);
    uint32_t poison = of_operand(warp, &u->a, u->a.rows) | of_operand(warp, &u->b, u->b.rows) |
                      of_operand(warp, &u->c, u->c.rows) | of_predicates(warp, u);
    if (u->kind != UOP_LANES) {
        if (poison & exec)
            return stop(warp, u, poison & exec, "where it goes on");
        write_poison(warp, u, exec, 0);
        return true;
    }
    if (crosses_lanes(u))
        poison = poison != 0 ? SMP_ALL_LANES : 0;
    write_poison(warp, u, u->ignores_exec ? SMP_ALL_LANES : exec, poison);
    return true;
}
