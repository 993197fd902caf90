/* SPDX-License-Identifier: MIT */
/*
 * Release and acquire through memory (PTX ISA, "Release and Acquire Patterns"): a strong store or
 * atomic access leaves at its address what its lane had fenced, and strong loads and atomic
 * accesses take it from there. Beyond the block, a load orders only what follows a fence; within
 * the block machine code has no such fence.
 */
#include <stdlib.h>

#include "lane_loops.h"
#include "race.h"
#include "race_state.h"

static race_place *find_place(const emu_race *race, uint64_t address) {
    uint64_t at = address * 0x9e3779b97f4a7c15ull >> 20;
    for (;; at++) {
        race_place *place = &race->places[at & (race->place_room - 1)];
        if (place->address == address || place->address == 0)
            return place;
    }
}

static bool grow_places(emu_race *race) {
    race_place *old = race->places;
    const uint32_t count = race->place_room;
    race->place_room = count == 0 ? 64 : 2 * count;
    race->places = calloc(race->place_room, sizeof(*race->places));
    if (!race->places) {
        race->places = old;
        race->place_room = count;
        race_fail(race);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (old[i].address != 0)
            *find_place(race, old[i].address) = old[i];
    free(old);
    return true;
}

static race_place *make_place(emu_race *race, uint64_t address) {
    if (2 * race->place_count >= race->place_room && !grow_places(race))
        return NULL;
    race_place *place = find_place(race, address);
    race->place_count += place->address == 0;
    place->address = address;
    return place;
}

static void drop_views(race_place *place) {
    for (unsigned v = 0; v < PLACE_VIEWS; v++) {
        race_view_drop(place->views[v]);
        place->views[v] = NULL;
    }
}

/* ---- Release ---- */

/* NULL if the view holds nothing newer than the start of the cluster. */
static race_view *if_new(const emu_race *race, race_view *view) {
    return view && (view->most > race->begin || view->foreign) ? view : NULL;
}

void race_fence_lock(emu_race *race, uint32_t warp, uint32_t lanes) {
    EACH_LANE_OF(l, lanes) {
        struct race_lock *lock = &race->warps[warp].locks[l];
        lock->fences +=
            lock->fences == 0 || lock->fence != race->event; /* one fence is several instructions */
        lock->fence = race->event;
    }
}

/* Whether the lane gives back a lock that it took without a fence: the one fence since then is that
 * of the unlock. As the lock's first owner it is right by luck: had others held the lock before,
 * its accesses would not be ordered after theirs. */
static bool is_blind(const struct race_lock *lock, uint64_t address, const race_strong *how) {
    return how->unlocks && lock->address == address && lock->fences == 1;
}

/* What the lane knew when it took the lock. */
static race_view *until_lock(emu_race *race, const race_warp *warp, uint32_t number,
                             unsigned lane) {
    race_view *view = race_view_keep(warp->lanes[lane].of[KNOWS_ALL]);
    if (!race_view_add(&view, number, 1u << lane, false, warp->locks[lane].at))
        race_fail(race);
    return view;
}

static void release(const emu_warp *warp, unsigned lane, uint64_t address, const race_strong *how) {
    emu_race *race = warp->block->worker->race;
    const uint32_t number = emu_warp_number(warp);
    race_warp *at = &race->warps[number];
    const race_knowledge *own = &at->lanes[lane];
    race_view *blind =
        is_blind(&at->locks[lane], address, how) ? until_lock(race, at, number, lane) : NULL;
    race_view *views[PLACE_VIEWS] = {
        [PLACE_NEAR] = if_new(race, own->of[KNOWS_RELEASED]),
        [PLACE_FAR] = how->is_far ? if_new(race, own->of[KNOWS_RELEASED_FAR]) : NULL};
    for (unsigned v = PLACE_NEAR; blind && v <= PLACE_FAR; v++)
        views[v] = views[v] ? if_new(race, blind) : NULL;
    race_view *loose = how->is_alone && race->uses[KNOWS_LOOSE] && address & PLACE_SHARED
                           ? race_view_keep(own->of[KNOWS_ALL])
                           : NULL;
    if (loose && !race_view_add(&loose, number, 1u << lane, false, race->event))
        race_fail(race);
    views[PLACE_LOOSE] = loose;
    const bool is_new = views[PLACE_NEAR] || views[PLACE_FAR] || loose;
    race_place *place = is_new                  ? make_place(race, address)
                        : race->place_room == 0 ? NULL
                                                : find_place(race, address);
    if (place && place->address != 0) {
        if (!how->adds)
            drop_views(place);
        place->rank = (uint32_t)(warp->block - race->worker->blocks);
        place->is_abroad = false;
        place->version = ++race->place_versions;
        for (unsigned v = 0; v < PLACE_VIEWS; v++)
            if (!race_view_join(&place->views[v], views[v]))
                race_fail(race);
    }
    race_view_drop(loose);
    race_view_drop(blind);
}

/* ---- Acquire ---- */

static void take(emu_warp *warp, uint32_t lanes, const race_place *place, const race_strong *how) {
    emu_race *race = warp->block->worker->race;
    race_warp *own = &race->warps[emu_warp_number(warp)];
    const bool is_own =
        !place->is_abroad && place->rank == (uint32_t)(warp->block - race->worker->blocks);
    race_knowledge taken = {0};
    uint32_t news = 0;
    EACH_LANE_OF(l, lanes) {
        news |= (uint32_t)(own->taken[l] != place->version) << l;
        own->taken[l] = place->version;
    }
    if (news == 0)
        return;
    taken.of[KNOWS_LOOSE] = place->views[PLACE_LOOSE];
    if (is_own)
        taken.of[how->is_far ? KNOWS_OBSERVED : KNOWS_ALL] = place->views[PLACE_NEAR];
    else if (how->is_far)
        taken.of[how->waits || (news & ~how->takes) == 0 ? KNOWS_WAITED_FAR : KNOWS_OBSERVED_FAR] =
            place->views[PLACE_FAR];
    else
        own->is_narrow |= !!place->views[PLACE_FAR];
    own->is_narrow |= !is_own && !place->views[PLACE_FAR] && place->views[PLACE_NEAR];
    race_acquire(race, warp, news, &taken);
}

void emu_race_strong(emu_warp *warp, uint32_t lanes, const uint64_t *address, race_strong how) {
    emu_race *race = warp->block->worker->race;
    for (uint32_t rest = how.reads && race->place_room > 0 ? lanes : 0, here; rest != 0;
         rest &= ~here) {
        const race_place *place = find_place(race, address[__builtin_ctz(rest)]);
        here = LANES_ALIKE(l, rest, address[l]);
        if (place->address != 0)
            take(warp, here, place, &how);
    }
    how.is_alone = (lanes & (lanes - 1)) == 0;
    EACH_LANE_OF(l, how.writes ? lanes : 0)
        release(warp, l, address[l], &how);
    EACH_LANE_OF(l, how.takes)
        race->warps[emu_warp_number(warp)].locks[l] =
            (struct race_lock){.address = address[l], .at = race->event};
}

void race_places_clear(emu_race *race) {
    for (uint32_t i = 0; i < race->place_room; i++)
        drop_views(&race->places[i]);
    free(race->places);
    race->places = NULL;
    race->place_room = race->place_count = 0;
}

/* Turns what was released to all into the form that later clusters read. */
static void go_abroad(emu_race *race, race_place *place) {
    race_view *far = place->views[PLACE_FAR], *abroad = NULL;
    const bool is_narrow = !far && (place->is_narrow || place->views[PLACE_NEAR]);
    if (far && !(abroad = race_view_abroad(far, race->cluster)))
        race_fail(race);
    drop_views(place);
    place->views[PLACE_FAR] = abroad;
    place->is_abroad = true;
    place->is_narrow = is_narrow;
}

void race_places_end(emu_race *race) {
    race_place *old = race->places;
    const uint32_t count = race->place_room;
    race->places = NULL;
    race->place_room = race->place_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        race_place *place = old[i].address & PLACE_SHARED || old[i].address == 0
                                ? NULL
                                : make_place(race, old[i].address);
        if (!place) {
            drop_views(&old[i]);
            continue;
        }
        *place = old[i];
        if (!place->is_abroad)
            go_abroad(race, place);
    }
    free(old);
}
