/* SPDX-License-Identifier: MIT */
/*
 * Groups of a warp's lanes, and how the code's convergence barriers (BSSY, BSYNC, BREAK) and
 * WARPSYNC merge them.
 */
#include "race.h"

void emu_group_remove(emu_warp *warp, uint32_t index) {
    warp->groups[index] = warp->groups[--warp->group_count];
    if (warp->current >= warp->group_count)
        warp->current = 0;
}

void emu_group_merge(emu_warp *warp, uint32_t released) {
    for (uint32_t i = 0; released != 0 && i < warp->group_count; i++)
        for (uint32_t j = i + 1; j < warp->group_count;) {
            emu_group *a = &warp->groups[i], *b = &warp->groups[j];
            if (a->state != GROUP_READY || b->state != GROUP_READY || a->pc != b->pc ||
                ((a->mask | b->mask) & ~released) != 0) {
                j++;
                continue;
            }
            a->mask |= b->mask;
            emu_group_remove(warp, j);
        }
}

/* The lanes that this group waits for, including itself. */
static uint32_t awaited_by(const emu_warp *warp, const emu_group *group) {
    uint32_t awaited = group->state == GROUP_WARPSYNC
                           ? group->lanes_awaited
                           : warp->barriers[group->reg][__builtin_ctz(group->mask)];
    return awaited & warp->alive;
}

/* True if both wait at the same barrier number for the same lanes; in a recursion, lanes at another
 * depth wait for others. */
static bool is_together(const emu_warp *warp, const emu_group *a, const emu_group *b) {
    return a->state == b->state && a->reg == b->reg && awaited_by(warp, a) == awaited_by(warp, b);
}

static uint32_t waiting_with(const emu_warp *warp, const emu_group *group) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (is_together(warp, &warp->groups[i], group))
            lanes |= warp->groups[i].mask;
    return lanes;
}

/* Releases the lanes that wait with `waiter` for the same lanes. */
static void release(emu_warp *warp, emu_group waiter, uint32_t awaited) {
    const bool is_collective = waiter.state == GROUP_WARPSYNC && waiter.reg == WARPSYNC_COLLECTIVE;
    uint32_t released = 0;
    if (warp->block->worker->race && waiter.state == GROUP_WARPSYNC && waiter.reg == WARPSYNC_PLAIN)
        emu_race_join_lanes(warp, awaited);
    EACH(emu_group, other, warp->groups, warp->group_count) {
        if (!is_together(warp, other, &waiter) || (other->mask & (awaited | waiter.mask)) == 0)
            continue;
        other->state = GROUP_READY;
        other->pc = is_collective ? waiter.pc + 1 : other->pc + 1;
        released |= other->mask;
    }
    emu_group_merge(warp, released);
}

bool emu_warp_wake(emu_warp *warp) {
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const emu_group waiter = warp->groups[i];
        if (waiter.state != GROUP_BSYNC && waiter.state != GROUP_WARPSYNC)
            continue;
        uint32_t awaited = awaited_by(warp, &waiter);
        if (awaited & ~waiting_with(warp, &waiter))
            continue;
        release(warp, waiter, awaited);
        return true;
    }
    return false;
}
