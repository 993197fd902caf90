/* SPDX-License-Identifier: MIT */
/*
 * Instructions that only order: fences, whose lanes then know what they have behind them in another
 * way, too; and loops that poll shared memory, where machine code has no word for `volatile`.
 */
#include <stdlib.h>

#include "lanes.h"
#include "race.h"
#include "race_state.h"

/* ---- Fences ---- */

/* The async proxy may follow what the lanes have behind them. */
static void fence_proxy(emu_race *race, emu_warp *warp, uint32_t lanes) {
    race_knowledge all = {0}, fenced = {0};
    const uint32_t number = race_warp_number(warp);
    if (!race->uses[KNOWS_FENCED])
        return;
    if (race_is_whole(warp, lanes)) {
        race_publish(race, warp, lanes, &all);
        fenced.of[KNOWS_FENCED] = all.of[KNOWS_ALL];
        fenced.of[KNOWS_FENCED_OWN] = race_view_new(race->warp_count, race->begin);
        if (fenced.of[KNOWS_FENCED_OWN] == NULL ||
            !race_view_add(&fenced.of[KNOWS_FENCED_OWN], number, lanes, true, race->event))
            race_fail(race);
        race_acquire(race, warp, lanes, &fenced);
        race_view_drop(fenced.of[KNOWS_FENCED_OWN]);
        race_knowledge_drop(&all);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        race_knowledge *own = &race->warps[number].lanes[__builtin_ctz(lanes)];
        if (!race_view_join(&own->of[KNOWS_FENCED], own->of[KNOWS_ALL]) ||
            !race_view_add(&own->of[KNOWS_FENCED], number, lanes & (0u - lanes), false,
                           race->event) ||
            !race_view_add(&own->of[KNOWS_FENCED_OWN], number, lanes & (0u - lanes), false,
                           race->event))
            race_fail(race);
    }
}

/* What the lanes have observed is behind them. */
static void take_observed(emu_race *race, emu_warp *warp, uint32_t lanes, unsigned kind) {
    race_warp *own = &race->warps[race_warp_number(warp)];
    for (uint32_t here; lanes != 0; lanes &= ~here) {
        race_view *const first = own->lanes[__builtin_ctz(lanes)].of[kind];
        here = 0;
        EACH_LANE_OF(l, lanes)
            here |= (uint32_t)(own->lanes[l].of[kind] == first) << l;
        if (first == NULL)
            continue;
        const race_knowledge taken = {{race_view_keep(first)}};
        race_acquire(race, warp, here, &taken);
        EACH_LANE_OF(l, here) {
            race_view_drop(own->lanes[l].of[kind]);
            own->lanes[l].of[kind] = NULL;
        }
        race_view_drop(first);
    }
}

/* Each lane what it has behind it, and nothing of its neighbours'. */
static void release(emu_race *race, emu_warp *warp, uint32_t lanes, bool is_far) {
    const uint32_t number = race_warp_number(warp);
    race->warps[number].published = race->event;
    EACH_LANE_OF(l, lanes) {
        race_view **views = race->warps[number].lanes[l].of;
        race_view *all = race_view_keep(views[KNOWS_ALL]);
        if (!race_view_add(&all, number, 1u << l, false, race->event))
            race_fail(race);
        for (unsigned k = KNOWS_RELEASED; k <= (is_far ? KNOWS_RELEASED_FAR : KNOWS_RELEASED);
             k++) {
            race_view_drop(views[k]);
            views[k] = race->uses[k] ? race_view_keep(all) : NULL;
        }
        race_view_drop(all);
    }
}

void emu_race_order(emu_warp *warp, const uop *u, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    const emu_order order = (emu_order)u->imm;
    switch (order) {
    case ORDER_LANES:
        emu_race_join_lanes(warp, lanes);
        break;
    case ORDER_FENCE:
    case ORDER_FENCE_BLOCK:
    case ORDER_INVALIDATE:
        take_observed(race, warp, lanes, KNOWS_OBSERVED);
        if (order != ORDER_FENCE_BLOCK)
            take_observed(race, warp, lanes, KNOWS_OBSERVED_FAR);
        if (order != ORDER_INVALIDATE)
            release(race, warp, lanes, order == ORDER_FENCE);
        break;
    case ORDER_PROXY:
        fence_proxy(race, warp, lanes);
        break;
    case ORDER_COPIES_COMMIT:
    case ORDER_COPIES_WAIT:
    case ORDER_STORES_COMMIT:
    case ORDER_MATRIX_WAIT:
        emu_race_groups(warp, u, lanes);
        break;
    default:
        break;
    }
}

/* ---- Loops that poll ---- */

enum { POLL_LENGTH = 32 };

static bool is_written(const uop *from, const uop *end, const emu_operand *rows) {
    const int32_t first = rows->offset & ~1;
    if (rows->rows == 0 || rows->offset & 1)
        return false;
    for (const uop *u = from; u <= end; u++)
        if (u->d_rows != 0 && u->d < first + (int32_t)rows->rows * (int32_t)ROW_BYTES &&
            first < u->d + (int32_t)u->d_rows * (int32_t)ROW_BYTES)
            return true;
    return false;
}

/* Nothing in it changes memory or waits for others. */
static bool is_idle(const emu_program *program, const uop *from, const uop *end) {
    for (const uop *u = from; u < end; u++)
        if ((u->memory >= 0 && program->memory[u->memory].kind != MEMORY_LOAD) ||
            (u->kind > UOP_BRANCH && u->kind != UOP_YIELD))
            return false;
    return true;
}

bool race_find_polls(emu_race *race) {
    const emu_program *program = race->worker->run->program;
    race->polls = calloc(program->count + 1, 1);
    for (uint32_t i = 0; race->polls != NULL && i < program->count; i++) {
        const uop *end = &program->uops[i], *from = &program->uops[end->target];
        if (end->kind != UOP_BRANCH || end->target > i || i - end->target > POLL_LENGTH ||
            !is_idle(program, from, end))
            continue;
        for (const uop *u = from; u < end; u++) {
            const uop_memory *m = u->memory >= 0 ? &program->memory[u->memory] : NULL;
            if (m == NULL || m->is_strong || m->space != SPACE_SHARED ||
                is_written(from, end, &m->at.base) || is_written(from, end, &m->at.uniform))
                continue;
            race->polls[u - program->uops] = 1;
            race->has_polls = true;
        }
    }
    return race->polls != NULL;
}
