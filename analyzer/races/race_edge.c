/* SPDX-License-Identifier: MIT */
/*
 * Edges of happens-before: what happened before a release also happened before the acquire that
 * observes it. At a barrier, all threads that meet release and acquire.
 */
#include "race.h"

#include "lane_loops.h"
#include "race_state.h"

enum { PROXY_EVENTS = 1 << 22 };

void race_publish(emu_race *race, const emu_warp *warp, uint32_t lanes, race_knowledge *to) {
    const uint32_t number = emu_warp_number(warp);
    race_warp *from = &race->warps[number];
    bool is_fine = true;
    from->published = race->event;
    for (unsigned k = 0; k < RACE_KNOWS; k++) {
        const race_view *last = NULL;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            race_view *view = from->lanes[__builtin_ctz(rest)].of[k];
            if (view != last)
                is_fine = race_view_join(&to->of[k], view) && is_fine;
            last = view;
        }
    }
    if (lanes != 0 && (!is_fine || !race_view_add(&to->of[KNOWS_ALL], number, lanes,
                                                  race_is_whole(race, warp, lanes), race->event)))
        race_fail(race);
}

/* Joins `from` into the lanes' knowledge of kind `k`; false if out of memory. */
static bool acquire(race_warp *warp, uint32_t lanes, unsigned k, race_view *from) {
    race_view *old = NULL, *made = NULL;
    bool is_fine = true;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        race_view **view = &warp->lanes[__builtin_ctz(rest)].of[k];
        if (rest != lanes && *view == old) {
            race_view_drop(*view);
            *view = race_view_keep(made);
            continue;
        }
        race_view_drop(old);
        old = race_view_keep(*view);
        is_fine = race_view_join(view, from) && is_fine;
        made = *view;
    }
    race_view_drop(old);
    return is_fine;
}

void race_acquire(emu_race *race, const emu_warp *warp, uint32_t lanes,
                  const race_knowledge *from) {
    race_warp *to = &race->warps[emu_warp_number(warp)];
    race->common = NULL;
    for (unsigned k = 0; k < RACE_KNOWS; k++)
        if (race->uses[k] && from->of[k] && !acquire(to, lanes, k, from->of[k]))
            race_fail(race);
    to->seen = UINT32_MAX;
    for (unsigned l = 0; l < SMP_LANES; l++) {
        const uint32_t base = to->lanes[l].of[KNOWS_ALL]->base;
        to->seen = base < to->seen ? base : to->seen;
    }
}

void emu_race_join_lanes(emu_warp *warp, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    race_knowledge all = {0};
    race_publish(race, warp, lanes, &all);
    race_acquire(race, warp, lanes, &all);
    race_knowledge_drop(&all);
    if (lanes == warp->alive)
        race->warps[emu_warp_number(warp)].met = race->event;
}

/* ---- Barriers of a block ---- */

void emu_race_arrive(emu_warp *warp, uint32_t barrier, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    race_publish(race, warp, lanes,
                 &race->blocks[warp->block - race->worker->blocks].arrived[barrier]);
}

/* The lanes of a warp in this waiting state, at barrier `reg` of the block (0 for the cluster). */
static uint32_t waiting(const emu_warp *warp, group_state state, uint32_t reg) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == state &&
            (state != GROUP_BARRIER || warp->groups[i].reg == reg))
            lanes |= warp->groups[i].mask;
    return lanes;
}

static uint32_t waiting_threads(const emu_block *block, group_state state, uint32_t reg) {
    uint32_t threads = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        threads += (uint32_t)__builtin_popcount(waiting(&block->warps[w], state, reg));
    return threads;
}

/* All threads of the worker's blocks meet: from here on one number says what all have seen. */
static void meet(emu_race *race, race_knowledge *all) {
    race_view *every = race_view_new(race->warp_count, race->event);
    if (!every || !race_view_join(&all->of[KNOWS_ALL], every))
        race_fail(race);
    race_view_drop(every);
    for (uint32_t w = 0; w < race->warp_count; w++)
        race->warps[w].touched = 0;
    /* The async proxy may access old writes and need the fence that followed them. */
    if (!race->uses[KNOWS_FENCED] || race->event - race->first_event > PROXY_EVENTS)
        race_forget(race);
    if (all->of[KNOWS_ALL])
        race_flight_forget(race, all->of[KNOWS_ALL]);
}

/* The same for programs that order by barriers alone: all threads then share one view. */
static bool meet_simply(emu_race *race) {
    const uint32_t lanes = race->warp_count * SMP_LANES;
    race_view *common = race->common;
    if (!common || common->refs != lanes) {
        common = race_view_new(race->warp_count, 0);
        if (!common)
            return false;
        common->refs = lanes;
        for (uint32_t w = 0; w < race->warp_count; w++)
            for (unsigned l = 0; l < SMP_LANES; l++) {
                race_view_drop(race->warps[w].lanes[l].of[KNOWS_ALL]);
                race->warps[w].lanes[l].of[KNOWS_ALL] = common;
            }
        race->common = common;
    }
    common->base = common->most = race->event;
    for (uint32_t w = 0; w < race->warp_count; w++) {
        race->warps[w].seen = race->event;
        race->warps[w].touched = 0;
    }
    race_forget(race);
    race_flight_forget(race, common);
    return true;
}

/* Whether threads have ended with events that no barrier has ordered. */
static bool have_ended(const emu_race *race, const emu_block *block) {
    return ANY(one, block->warps, block->warp_count, race_ended(race, one));
}

void emu_race_open(emu_block *block, uint32_t barrier) {
    emu_race *race = block->worker->race;
    race_block *of = &race->blocks[block - race->worker->blocks];
    race_knowledge *arrived = &of->arrived[barrier];
    const bool is_all = race->worker->block_count == 1 && !have_ended(race, block) &&
                        waiting_threads(block, GROUP_BARRIER, barrier) == block->alive;
    /* Without a count the barrier waits for all threads, and those that have ended count. */
    if (block->barriers[barrier].expected == 0)
        of->met = race->event;
    if (is_all && race->is_simple && race->mbarrier_count == 0) {
        race_knowledge_drop(arrived);
        if (!meet_simply(race))
            race_fail(race);
        return;
    }
    race_knowledge all = *arrived;
    *arrived = (race_knowledge){0};
    for (uint32_t w = 0; w < block->warp_count; w++)
        race_publish(race, &block->warps[w], waiting(&block->warps[w], GROUP_BARRIER, barrier),
                     &all);
    if (is_all)
        meet(race, &all);
    for (uint32_t w = 0; w < block->warp_count; w++)
        race_acquire(race, &block->warps[w], waiting(&block->warps[w], GROUP_BARRIER, barrier),
                     &all);
    race_knowledge_drop(&all);
}

/* ---- The cluster's ---- */

enum { FENCE_DISTANCE = 8 };

/* A relaxed arrival has no fence before it. */
static bool is_relaxed(const emu_program *program, uint32_t arrival) {
    for (uint32_t i = arrival; i-- > 0 && arrival - i < FENCE_DISTANCE;)
        if (program->uops[i].kind == UOP_NOP && program->uops[i].imm == ORDER_FENCE)
            return false;
    return true;
}

bool emu_race_has_relaxed(const emu_program *program) {
    for (uint32_t i = 0; i < program->count; i++)
        if (program->uops[i].kind == UOP_CLUSTER_ARRIVE && is_relaxed(program, i))
            return true;
    return false;
}

/* Publishes what the lane has fenced, and that everything before has run. */
static bool publish_fenced(emu_race *race, const emu_warp *warp, unsigned lane,
                           race_knowledge *to) {
    const uint32_t number = emu_warp_number(warp);
    race_view *const *of = race->warps[number].lanes[lane].of;
    bool is_fine = race_view_join(&to->of[KNOWS_ALL], of[KNOWS_RELEASED_FAR]) &&
                   race_view_join(&to->of[KNOWS_RAN], of[KNOWS_ALL]);
    for (unsigned k = KNOWS_FENCED; k <= KNOWS_FENCED_OWN; k++)
        is_fine = race_view_join(&to->of[k], of[k]) && is_fine;
    return is_fine && race_view_add(&to->of[KNOWS_RAN], number, 1u << lane, false, race->event);
}

void emu_race_cluster_arrive(emu_warp *warp, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    if (!race->uses[KNOWS_RAN]) {
        race_publish(race, warp, lanes, &race->cluster_arrived);
        return;
    }
    race->warps[emu_warp_number(warp)].published = race->event;
    EACH_LANE_OF(l, lanes)
        if (!publish_fenced(race, warp, l, &race->cluster_arrived))
            race_fail(race);
}

void emu_race_cluster_open(emu_worker *worker) {
    emu_race *race = worker->race;
    race_knowledge_drop(&race->cluster_open);
    race->cluster_open = race->cluster_arrived;
    race->cluster_arrived = (race_knowledge){0};
}

void emu_race_cluster_wait(emu_warp *warp, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    race_acquire(race, warp, lanes, &race->cluster_open);
}

void emu_race_cluster_release(emu_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        emu_race_cluster_wait(&block->warps[w], waiting(&block->warps[w], GROUP_CLUSTER, 0));
}
