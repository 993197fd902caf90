/* SPDX-License-Identifier: MIT */
/*
 * Groups of a warp's lanes: how they become one again, as the code's own convergence barriers
 * (BSSY, BSYNC, BREAK) and WARPSYNC say.
 */
#include "warp.h"

enum { COLLECTIVE = 1 }; /* reg of a group at WARPSYNC.COLLECTIVE */

void emu_group_remove(emu_warp *warp, uint32_t index) {
    warp->groups[index] = warp->groups[--warp->group_count];
    if (warp->current >= warp->group_count)
        warp->current = 0;
}

void emu_group_merge(emu_warp *warp) {
    for (uint32_t i = 0; i < warp->group_count; i++)
        for (uint32_t j = i + 1; j < warp->group_count;) {
            emu_group *a = &warp->groups[i], *b = &warp->groups[j];
            if (a->state != GROUP_READY || b->state != GROUP_READY || a->pc != b->pc) {
                j++;
                continue;
            }
            a->mask |= b->mask;
            emu_group_remove(warp, j);
        }
}

static uint32_t waiting(const emu_warp *warp, group_state state, uint8_t reg) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == state && warp->groups[i].reg == reg)
            lanes |= warp->groups[i].mask;
    return lanes;
}

/* The lanes that this group waits for, itself among them. */
static uint32_t awaited_by(const emu_warp *warp, const emu_group *group) {
    uint32_t awaited = group->state == GROUP_WARPSYNC
                           ? group->lanes_awaited
                           : warp->barriers[group->reg][__builtin_ctz(group->mask)];
    return awaited & warp->alive;
}

/* Lanes that come to one collective operation from several places are no case of the code seen. */
static bool is_one_place(emu_warp *warp, const emu_group *group, uint32_t awaited) {
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const emu_group *other = &warp->groups[i];
        if ((other->mask & awaited) == 0 || other->pc == group->pc)
            continue;
        emu_found(warp, &warp->block->worker->run->program->uops[group->pc],
                  (unsigned)__builtin_ctz(group->mask), SMP_FINDING_UNKNOWN, true,
                  "lanes meet in a collective operation from different places");
        return false;
    }
    return true;
}

bool emu_warp_wake(emu_warp *warp) {
    bool any = false;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        emu_group *group = &warp->groups[i];
        if (group->state != GROUP_BSYNC && group->state != GROUP_WARPSYNC)
            continue;
        group_state state = group->state;
        uint8_t reg = group->reg;
        uint32_t awaited = awaited_by(warp, group);
        if (awaited & ~waiting(warp, state, reg))
            continue;
        if (state == GROUP_WARPSYNC && reg == COLLECTIVE && !is_one_place(warp, group, awaited))
            return false;
        for (uint32_t j = 0; j < warp->group_count; j++) {
            emu_group *other = &warp->groups[j];
            if (other->state == state && other->reg == reg &&
                (j == i || (other->mask & awaited) != 0)) {
                other->state = GROUP_READY;
                other->pc++;
            }
        }
        any = true;
    }
    if (any)
        emu_group_merge(warp);
    return any;
}
