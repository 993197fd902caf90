/* SPDX-License-Identifier: MIT */
/*
 * Edges: what one thread has behind it, others get behind them, too.
 */
#include "race.h"

#include "race_state.h"

/* What `lanes` have seen and done, into *to. */
static void publish(emu_race *race, uint32_t number, uint32_t lanes, bool is_whole,
                    race_view **to) {
    const race_warp *warp = &race->warps[number];
    const race_view *last = NULL;
    bool is_fine = true;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        race_view *view = warp->view[__builtin_ctz(rest)];
        if (view != last)
            is_fine = race_view_join(to, view) && is_fine;
        last = view;
    }
    if (!is_fine || !race_view_add(to, number, lanes, is_whole, race->event))
        race_fail(race);
}

/* `lanes` see what `from` says. */
static void acquire(emu_race *race, uint32_t number, uint32_t lanes, race_view *from) {
    race_warp *warp = &race->warps[number];
    race_view *old = NULL, *made = NULL;
    if (from == NULL)
        return;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        race_view **view = &warp->view[__builtin_ctz(rest)];
        if (*view == old) {
            race_view_drop(*view);
            *view = race_view_keep(made);
            continue;
        }
        race_view_drop(old);
        old = race_view_keep(*view);
        if (!race_view_join(view, from))
            race_fail(race);
        made = *view;
    }
    race_view_drop(old);
    warp->seen = UINT32_MAX;
    for (unsigned l = 0; l < SMP_LANES; l++)
        warp->seen = warp->view[l]->base < warp->seen ? warp->view[l]->base : warp->seen;
}

/* Lanes that have ended count as there. */
static bool is_whole(const emu_warp *warp, uint32_t lanes) {
    return (lanes & warp->alive) == warp->alive;
}

void emu_race_join_lanes(emu_warp *warp, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    const uint32_t number = race_warp_number(warp);
    race_view *all = NULL;
    publish(race, number, lanes, is_whole(warp, lanes), &all);
    acquire(race, number, lanes, all);
    race_view_drop(all);
}

void emu_race_order(emu_warp *warp, const uop *u, uint32_t lanes) {
    if (u->imm == ORDER_LANES)
        emu_race_join_lanes(warp, lanes);
}

void emu_race_arrive(emu_warp *warp, uint32_t barrier, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    publish(race, race_warp_number(warp), lanes, is_whole(warp, lanes),
            &race->blocks[warp->block - race->worker->blocks].arrived[barrier]);
}

/* The lanes of a warp that wait at the barrier. */
static uint32_t waiting(const emu_warp *warp, uint32_t barrier) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_BARRIER && warp->groups[i].reg == barrier)
            lanes |= warp->groups[i].mask;
    return lanes;
}

/* All threads of the only block wait: one number says what all of them have seen. */
static race_view *view_of_all(emu_race *race) {
    race_view *all = race_view_new(race->warp_count, race->event);
    if (all == NULL)
        race_fail(race);
    else
        race_forget(race);
    return all;
}

void emu_race_open(emu_block *block, uint32_t barrier) {
    emu_race *race = block->worker->race;
    race_view **arrived = &race->blocks[block - race->worker->blocks].arrived[barrier], *all;
    uint32_t threads = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        threads += (uint32_t)__builtin_popcount(waiting(&block->warps[w], barrier));
    const bool is_all = threads == block->alive && race->worker->block_count == 1;
    all = *arrived;
    *arrived = NULL;
    if (is_all) {
        race_view_drop(all);
        all = view_of_all(race);
    }
    for (uint32_t w = 0; w < block->warp_count && !is_all; w++) {
        emu_warp *warp = &block->warps[w];
        const uint32_t lanes = waiting(warp, barrier);
        if (lanes != 0)
            publish(race, race_warp_number(warp), lanes, is_whole(warp, lanes), &all);
    }
    for (uint32_t w = 0; w < block->warp_count; w++) {
        emu_warp *warp = &block->warps[w];
        acquire(race, race_warp_number(warp), waiting(warp, barrier), all);
    }
    race_view_drop(all);
}

void emu_race_cluster_arrive(emu_warp *warp, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    publish(race, race_warp_number(warp), lanes, is_whole(warp, lanes), &race->cluster_arrived);
}

void emu_race_cluster_open(emu_worker *worker) {
    emu_race *race = worker->race;
    race_view_drop(race->cluster_open);
    race->cluster_open = race->cluster_arrived;
    race->cluster_arrived = NULL;
}

void emu_race_cluster_wait(emu_warp *warp, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    acquire(race, race_warp_number(warp), lanes, race->cluster_open);
}
