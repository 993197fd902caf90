/* SPDX-License-Identifier: MIT */
/*
 * Convergence barriers: BSSY sets one up for the lanes that execute it, BSYNC waits for these
 * lanes, and BREAK removes lanes that will not come. BMOV saves a barrier in a register, so that a
 * function can use its number, and restores it.
 *
 * Each lane has its own copy of each barrier register: a mask, and the number of the BSSY that set
 * it. On a GPU the barrier registers belong to the warp, and code relies on it: a lane that leaves
 * a loop by BREAK is not waited for by lanes that are inside a function at that time, where the
 * barrier's mask is in a register or on the stack. So BREAK removes its lanes from every copy that
 * the same BSSY made, saved ones included. A saved value is kept beside the register. BMOV to a
 * barrier restores the value that this lane saved last with that mask, preferably from the same
 * barrier (code for 10.0 saves B0 before a call and restores it as B5). A mask that was never saved
 * is used unchanged.
 *
 * A jump out of a region need not BREAK its barrier. Code of ptxas 13.0 for 10.0: the default case
 * of a switch jumps from inside BSSY B3 to the BSYNC of an outer B6. Code for 8.9, 9.0 and 10.0, at
 * -O0 and at -O3: `for (...) if (a) { ...; if (b) break; ... }` with __syncthreads() after the loop
 * jumps from inside BSSY B0 to the WARPSYNC before BAR. Then the lanes in the region wait for lanes
 * that wait for them. These barriers only bring lanes together; no result may depend on them. So
 * where no lane of the warp can continue, a BSYNC does not wait for
 *   - lanes that wait at a BSYNC in the same cycle: those of the latest BSSY continue;
 *   - lanes that have left its region: in the same call of the function, at a place from which
 *     every path to this BSYNC passes a BSSY that begins its region anew.
 * A lane that waits inside the region (`if (a) __syncwarp();`) can still arrive and is waited for:
 * that deadlock is the program's own.
 *
 * Compared with an H200: tests/tools/random_control.py gpu 106 2 and 128 1 are sm_90 code that
 * never ends here without the rule for BREAK or the rule for cycles, and ends on the GPU with these
 * results. Either rule suffices for them: which lanes an H200 releases first is unknown.
 * tests/data/sass/control.cu also saves barriers, and ends with the recorded results under any of
 * these rules. No recording needs the rule for lanes that have left
 * (tests/data/sass/left_regions.cu does): it follows from the text, which is defined.
 *
 * Here the lanes of a recursive function always return together. On an H200 they do not: in 3
 * kernels of 585 (random_control.py gpu 109, 120, 283) lanes that had recursed reached a BAR.SYNC
 * later, without a WARPSYNC before it, and the lanes that arrived first were counted for their
 * warp.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "list.h"

enum { SAVED_MOST = 4096, SAVED_FORGOTTEN = 1024 };
enum { BANK_OF_TABLES = 2 };

/* Code may read a barrier and never restore it, so the oldest entries are forgotten. */
static emu_saved *room(emu_warp *warp) {
    emu_convergence *all = &warp->convergence;
    if (all->count == SAVED_MOST) {
        all->count -= SAVED_FORGOTTEN;
        memmove(all->saved, all->saved + SAVED_FORGOTTEN, all->count * sizeof(*all->saved));
    }
    if (!LIST_ROOM(all->saved, all->count)) {
        warp->block->worker->judge.is_out_of_memory = true;
        return NULL;
    }
    return &all->saved[all->count++];
}

void emu_convergence_begin(emu_warp *warp, uint32_t reg, uint32_t exec, uint32_t mask) {
    const uint32_t number = ++warp->convergence.last;
    EACH_LANE_OF(l, exec) {
        warp->barriers[reg][l] = mask;
        warp->convergence.of[reg][l] = number;
    }
}

/* Removes lanes from a mask that code made without a BSSY, in the copies of the lanes that it
 * names. */
static void break_made(emu_warp *warp, uint32_t reg, uint32_t lanes) {
    const uint32_t members = warp->barriers[reg][__builtin_ctz(lanes)];
    EACH_LANE_OF(l, members)
        warp->barriers[reg][l] &= ~lanes;
}

/* Removes lanes from every copy of one BSSY. */
static void break_one(emu_warp *warp, uint32_t number, uint32_t lanes) {
    emu_convergence *all = &warp->convergence;
    for (unsigned reg = 0; reg < BARRIER_REGISTERS; reg++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            if (all->of[reg][l] == number)
                warp->barriers[reg][l] &= ~lanes;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->saved[i].number == number)
            all->saved[i].now &= ~lanes;
}

void emu_convergence_break(emu_warp *warp, uint32_t reg, uint32_t lanes) {
    while (lanes != 0) {
        const uint32_t number = warp->convergence.of[reg][__builtin_ctz(lanes)],
                       same = LANES_ALIKE(l, lanes, warp->convergence.of[reg][l]);
        if (number == 0)
            break_made(warp, reg, same);
        else
            break_one(warp, number, same);
        lanes &= ~same;
    }
}

/* Saves the register once for each set of lanes with equal contents. */
static void save(emu_warp *warp, uint32_t reg, uint32_t lanes) {
    const emu_convergence *all = &warp->convergence;
    while (lanes != 0) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        const uint32_t number = all->of[reg][first], mask = warp->barriers[reg][first];
        const uint32_t same =
            LANES_ALIKE(l, lanes, all->of[reg][l]) & LANES_ALIKE(l, lanes, warp->barriers[reg][l]);
        lanes &= ~same;
        emu_saved *saved = number == 0 ? NULL : room(warp);
        if (saved)
            *saved = (emu_saved){same, reg, number, mask, mask};
    }
}

/* Returns what lane `l` saved last with this mask, from `reg` if it saved that; NULL if nothing. */
static emu_saved *saved_by(emu_convergence *all, uint32_t reg, unsigned l, uint32_t mask) {
    emu_saved *other = NULL;
    for (uint32_t i = all->count; i-- > 0;) {
        emu_saved *saved = &all->saved[i];
        if (!(saved->lanes >> l & 1) || saved->then != mask)
            continue;
        if (saved->reg == reg)
            return saved;
        other = other ? other : saved;
    }
    return other;
}

/* Restores the register; entries without lanes are removed. */
static void restore(emu_warp *warp, uint32_t reg, unsigned l, uint32_t mask) {
    emu_convergence *all = &warp->convergence;
    emu_saved *saved = mask == 0 ? NULL : saved_by(all, reg, l, mask);
    warp->barriers[reg][l] = saved ? saved->now : mask;
    all->of[reg][l] = saved ? saved->number : 0;
    if (saved)
        saved->lanes &= ~(1u << l);
    while (all->count > 0 && all->saved[all->count - 1].lanes == 0)
        all->count--;
}

static void move_one(emu_warp *warp, const uop *u, unsigned l) {
    emu_convergence *all = &warp->convergence;
    warp->barriers[u->imm][l] = warp->barriers[u->target][l];
    all->of[u->imm][l] = all->of[u->target][l];
    if (u->imm2)
        warp->barriers[u->target][l] = all->of[u->target][l] = 0;
}

void emu_convergence_move(emu_warp *warp, const uop *u, uint32_t exec) {
    uint32_t *d = (uint32_t *)((char *)warp->rows + u->d);
    const uint32_t *a = emu_row_of(warp, &u->a);
    if (u->kind == UOP_BMOV_TO_REGISTER && u->d != ROW_SINK * ROW_BYTES) /* RZ: no longer needed */
        save(warp, u->imm, exec);
    EACH_LANE_OF(l, exec) {
        if (u->kind == UOP_BMOV_BETWEEN) {
            move_one(warp, u, l);
        } else if (u->kind == UOP_BMOV_TO_BARRIER) {
            restore(warp, u->imm, l, a[l]);
        } else {
            d[l] = warp->barriers[u->imm][l];
            if (u->imm2)
                warp->barriers[u->imm][l] = warp->convergence.of[u->imm][l] = 0;
        }
    }
}

/* ---- Lanes that have left a region ---- */

typedef struct walk {
    const emu_program *program;
    uint32_t sync; /* the BSYNC */
    uint8_t *seen; /* by instruction */
    uint32_t *open, open_count;
    bool arrives;
} walk;

static void walk_to(walk *w, uint32_t pc) {
    w->arrives |= pc == w->sync;
    if (pc >= w->program->count || w->seen[pc])
        return;
    w->seen[pc] = 1;
    w->open[w->open_count++] = pc;
}

/* Follows a jump through a table. The tables of all switches are in one bank, beside other
 * constants that may look like entries. */
static void walk_through_table(walk *w, const uop *u) {
    const emu_bank *bank = &w->program->banks[BANK_OF_TABLES];
    for (uint32_t i = 0; i + 4 <= bank->size_bytes; i += 4) {
        uint32_t place;
        memcpy(&place, bank->bytes + i, sizeof(place));
        place += u->imm;
        if (place % INSTRUCTION_BYTES == 0)
            walk_to(w, place / INSTRUCTION_BYTES);
    }
    w->arrives |= bank->size_bytes == 0; /* it may jump anywhere */
}

/* Follows an instruction to its successors within the function; calls return. */
static void walk_on(walk *w, uint32_t pc) {
    const uop *u = &w->program->uops[pc];
    const bool is_certain = u->guard == PREDICATE_TRUE;
    const bool is_taken = is_certain && u->p == PREDICATE_TRUE && u->imm2 == BRANCH_ALWAYS;
    if (u->kind == UOP_BRANCH_INDEXED && u->imm2 == INDEXED_JUMP) {
        walk_through_table(w, u);
        if (!is_certain)
            walk_to(w, pc + 1);
    } else if (u->kind == UOP_BRANCH) {
        walk_to(w, u->target);
        if (!is_taken)
            walk_to(w, pc + 1);
    } else if (u->kind == UOP_WARPSYNC && u->imm == WARPSYNC_COLLECTIVE) {
        walk_to(w, u->target); /* from ENDCOLLECTIVE */
    } else if (u->kind == UOP_RETURN || u->kind == UOP_RETURN_ADDRESS || u->kind == UOP_EXIT) {
        if (!is_certain || (u->kind == UOP_EXIT && u->p != PREDICATE_TRUE))
            walk_to(w, pc + 1);
    } else if (u->kind != UOP_BSSY || u->target != w->sync + 1) {
        walk_to(w, pc + 1);
    }
}

/* True if a path leads from after `from` to the BSYNC without a BSSY of its region. */
static bool can_arrive(emu_warp *warp, uint32_t from, uint32_t sync) {
    const emu_program *program = warp->block->worker->run->program;
    emu_convergence *all = &warp->convergence;
    emu_path *known = &all->paths[(from * 31 + sync) % PATHS];
    if (known->is_known && known->from == from && known->sync == sync)
        return known->arrives;
    walk w = {program, sync, calloc(program->count, 1), NULL, 0, false};
    w.open = malloc(program->count * sizeof(*w.open));
    if (!w.seen || !w.open)
        warp->block->worker->judge.is_out_of_memory = w.arrives = true;
    else
        walk_on(&w, from);
    while (w.open_count > 0 && !w.arrives)
        walk_on(&w, w.open[--w.open_count]);
    free(w.seen);
    free(w.open);
    *known = (emu_path){from, sync, true, w.arrives};
    return w.arrives;
}

static uint32_t awaited_by(const emu_warp *warp, const emu_group *group) {
    return warp->barriers[group->reg][__builtin_ctz(group->mask)] & warp->alive & ~group->mask;
}

/* Lanes of the warp, none of which can continue, that cannot reach the BSYNC of `group`. */
static uint32_t left_behind(emu_warp *warp, const emu_group *group) {
    const uint32_t *depth = warp->convergence.depth;
    const uint32_t own = depth[__builtin_ctz(group->mask)];
    uint32_t lanes = 0;
    EACH(const emu_group, other, warp->groups, warp->group_count) {
        const uint32_t wanted = other->mask & awaited_by(warp, group);
        EACH_LANE_OF(l, wanted) {
            const bool has_left =
                depth[l] < own || (depth[l] == own && !can_arrive(warp, other->pc, group->pc));
            lanes |= (uint32_t)has_left << l;
        }
    }
    return lanes;
}

/* Lanes at a BSYNC that wait only for each other or for lanes that cannot reach it. */
static uint32_t in_circles(emu_warp *warp) {
    uint32_t lanes = 0, before;
    for (uint32_t i = 0; i < warp->group_count; i++)
        lanes |= warp->groups[i].state == GROUP_BSYNC ? warp->groups[i].mask : 0;
    do {
        before = lanes;
        EACH(const emu_group, group, warp->groups, warp->group_count)
            if ((group->mask & lanes) != 0 && (awaited_by(warp, group) & ~lanes) != 0 &&
                (awaited_by(warp, group) & ~lanes & ~left_behind(warp, group)) != 0)
                lanes &= ~group->mask;
    } while (lanes != before);
    return lanes;
}

bool emu_convergence_release(emu_warp *warp) {
    const uint32_t lanes = in_circles(warp);
    uint32_t released = 0, latest = 0, reg = 0;
    EACH(const emu_group, group, warp->groups, warp->group_count) {
        const uint32_t number = warp->convergence.of[group->reg][__builtin_ctz(group->mask)];
        if ((group->mask & lanes) != 0 && number >= latest) {
            latest = number;
            reg = group->reg;
        }
    }
    EACH(emu_group, group, warp->groups, warp->group_count) {
        if ((group->mask & lanes) == 0 || group->reg != reg ||
            warp->convergence.of[reg][__builtin_ctz(group->mask)] != latest)
            continue;
        group->state = GROUP_READY;
        group->pc++;
        released |= group->mask;
    }
    emu_group_merge(warp, released);
    return released != 0;
}

void emu_convergence_reset(emu_warp *warp) {
    memset(warp->barriers, 0, sizeof(warp->barriers));
    memset(warp->convergence.of, 0, sizeof(warp->convergence.of));
    warp->convergence.count = 0;
    warp->convergence.last = 0;
    memset(warp->convergence.depth, 0, sizeof(warp->convergence.depth));
}
