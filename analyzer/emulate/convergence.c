/* SPDX-License-Identifier: MIT */
/*
 * Convergence barriers: BSSY sets one up for the lanes that execute it, BSYNC waits for these, and
 * BREAK takes lanes out that will not come. BMOV saves a barrier in a register, for a function that
 * needs its number, and brings it back.
 *
 * Each lane has its copy of each barrier register: a mask, and which BSSY it is of (a number of
 * this warp). In a GPU the barrier registers are the warp's, and code relies on it: a lane that
 * leaves a loop by BREAK is not waited for by lanes that are in a function at that time, where the
 * barrier's mask lies in a register or on the stack. So BREAK takes its lanes out of every copy of
 * the same BSSY, also of those that are saved. What is saved is kept beside the register, and BMOV
 * to a barrier brings back what was saved last by this lane under that number with that mask; a
 * mask that was not saved is taken as it is.
 *
 * A jump out of a region need not BREAK its barrier (code of ptxas 13.0 for 10.0: the default of a
 * switch goes from inside BSSY B3 to the BSYNC of an outer B6). Then those in the region wait for
 * lanes that wait for them. Barriers of this kind only bring lanes together, no result may depend
 * on them: where lanes wait at BSYNC in a circle, and for nobody else, those of the latest BSSY go
 * on. Lanes that wait for some at __syncwarp() or at a barrier of the block are in no circle.
 *
 * Held against an H200: tests/random_control gpu 106 2 and 128 1 are sm_90 code that never ends
 * here without both rules, and ends there with these words. Either rule is enough for them: which
 * lanes an H200 lets go on first is not known. tests/data/sass/control.cu saves barriers, too, and
 * ends with the recorded words under any of these rules.
 *
 * Here the lanes of a function that calls itself always return together. On an H200 they do not: in
 * 3 kernels of 585 (tests/random_control gpu 109, 120, 283) lanes that had recurred came later to a
 * BAR.SYNC without a WARPSYNC before it, and the lanes that were first counted for their warp.
 */
#include "convergence.h"

#include <string.h>

#include "lanes.h"
#include "list.h"

enum { SAVED_MOST = 4096, SAVED_FORGOTTEN = 1024 };

/* Code may read a barrier without ever bringing it back: the oldest are forgotten. */
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

/* A mask of no BSSY, as code made it: out of the copies of those that it names. */
static void break_made(emu_warp *warp, uint32_t reg, uint32_t lanes) {
    const uint32_t members = warp->barriers[reg][__builtin_ctz(lanes)];
    EACH_LANE_OF(l, members)
        warp->barriers[reg][l] &= ~lanes;
}

/* Out of what is of one BSSY, wherever it is. */
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
        const uint32_t number = warp->convergence.of[reg][__builtin_ctz(lanes)];
        uint32_t same = 0;
        for (unsigned l = 0; l < SMP_LANES; l++)
            same |= (uint32_t)(lanes >> l & 1 && warp->convergence.of[reg][l] == number) << l;
        if (number == 0)
            break_made(warp, reg, same);
        else
            break_one(warp, number, same);
        lanes &= ~same;
    }
}

/* Lanes with the same in the register, one such set after the other. */
static void save(emu_warp *warp, uint32_t reg, uint32_t lanes) {
    const emu_convergence *all = &warp->convergence;
    while (lanes != 0) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        const uint32_t number = all->of[reg][first], mask = warp->barriers[reg][first];
        uint32_t same = 0;
        for (unsigned l = first; l < SMP_LANES; l++)
            same |= (uint32_t)(lanes >> l & 1 && all->of[reg][l] == number &&
                               warp->barriers[reg][l] == mask)
                    << l;
        lanes &= ~same;
        emu_saved *saved = number == 0 ? NULL : room(warp);
        if (saved != NULL)
            *saved = (emu_saved){same, reg, number, mask, mask};
    }
}

/* What lane `l` saved last of `reg` with this mask; entries of no lane go. */
static void restore(emu_warp *warp, uint32_t reg, unsigned l, uint32_t mask) {
    emu_convergence *all = &warp->convergence;
    warp->barriers[reg][l] = mask;
    all->of[reg][l] = 0;
    for (uint32_t i = all->count; i-- > 0;) {
        emu_saved *saved = &all->saved[i];
        if (!(saved->lanes >> l & 1) || saved->reg != reg || saved->then != mask)
            continue;
        warp->barriers[reg][l] = saved->now;
        all->of[reg][l] = saved->number;
        saved->lanes &= ~(1u << l);
        break;
    }
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

void emu_convergence_move(const emu_program *program, emu_warp *warp, const uop *u, uint32_t exec) {
    uint32_t *d = (uint32_t *)((char *)warp->rows + u->d);
    const uint32_t *a = emu_rows(program, warp, &u->a);
    if (u->kind == UOP_BMOV_TO_REGISTER)
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

static uint32_t awaited_by(const emu_warp *warp, const emu_group *group) {
    return warp->barriers[group->reg][__builtin_ctz(group->mask)] & warp->alive & ~group->mask;
}

/* Lanes at BSYNC that wait for nobody but such lanes. */
static uint32_t in_circles(const emu_warp *warp) {
    uint32_t lanes = 0, before;
    for (uint32_t i = 0; i < warp->group_count; i++)
        lanes |= warp->groups[i].state == GROUP_BSYNC ? warp->groups[i].mask : 0;
    do {
        before = lanes;
        for (uint32_t i = 0; i < warp->group_count; i++)
            if ((warp->groups[i].mask & lanes) != 0 &&
                (awaited_by(warp, &warp->groups[i]) & ~lanes))
                lanes &= ~warp->groups[i].mask;
    } while (lanes != before);
    return lanes;
}

bool emu_convergence_release(emu_warp *warp) {
    const uint32_t lanes = in_circles(warp);
    uint32_t released = 0, latest = 0, reg = 0;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const emu_group *group = &warp->groups[i];
        const uint32_t number = warp->convergence.of[group->reg][__builtin_ctz(group->mask)];
        if ((group->mask & lanes) != 0 && number >= latest) {
            latest = number;
            reg = group->reg;
        }
    }
    for (uint32_t i = 0; i < warp->group_count; i++) {
        emu_group *group = &warp->groups[i];
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
}
