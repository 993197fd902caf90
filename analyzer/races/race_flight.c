/* SPDX-License-Identifier: MIT */
/*
 * Flights: accesses that go on after their instruction, as those of cp.async, bulk and tensor
 * copies and operands of wgmma. A flight is over for a thread that waited for it and for those that
 * are ordered after that wait, or for threads that saw the phase of its mbarrier end.
 */
#include "lane_loops.h"
#include "list.h"
#include "race.h"
#include "race_state.h"

uint32_t race_flight_begin(emu_race *race, const race_flight *like) {
    const race_event event = {.instruction = like->instruction, .warp = like->warp};
    if (race_begin_event(race, &event) == 0)
        return 0;
    race->warps[like->warp].touched |= like->lanes;
    if (!LIST_ROOM(race->flights, race->flight_count)) {
        race_fail(race);
        return 0;
    }
    race->flights[race->flight_count] = *like;
    race->flights[race->flight_count].pending = like->lanes;
    return race->first_flight + race->flight_count++;
}

bool race_flight_is_over(const race_flight *flight, const race_view *view, uint32_t warp,
                         uint32_t lane, uint32_t owner) {
    if (flight->mbarrier != 0 && view->phases && view->phases[flight->mbarrier - 1] > flight->phase)
        return true;
    if (flight->kind == FLIGHT_MATRIX) {
        for (uint32_t l = 0; l < SMP_LANES && flight->pending == 0; l++)
            if (warp == flight->warp || race_view_of(view, flight->warp, l) >= flight->done[l])
                return true;
        return false;
    }
    if (flight->pending >> owner & 1)
        return false;
    return (warp == flight->warp && lane == owner) ||
           race_view_of(view, flight->warp, owner) >= flight->done[owner];
}

/* ---- Groups ---- */

/* The lanes have waited for all but the last `left` of their groups of this kind. */
static void finish(emu_race *race, uint32_t warp, race_flight_kind kind, uint32_t lanes,
                   const uint32_t *closed, uint32_t left) {
    /* An event of its own: a thread that has seen everything before has not seen the wait. */
    const race_event wait = {.warp = warp};
    uint32_t now = 0;
    EACH(race_flight, flight, race->flights, race->flight_count) {
        if (flight->kind != kind || flight->warp != warp)
            continue;
        for (uint32_t rest = flight->pending & lanes; rest != 0; rest &= rest - 1) {
            const unsigned l = (unsigned)__builtin_ctz(rest);
            if (flight->group + left >= closed[l])
                continue;
            now = now != 0 ? now : race_begin_event(race, &wait);
            flight->pending &= ~(1u << l);
            flight->done[l] = race->event;
            race->warps[warp].touched |= 1u << l;
        }
    }
}

void race_flight_written(emu_race *race, uint32_t warp, uint32_t lanes) {
    if (race->flight_count > 0)
        finish(race, warp, FLIGHT_WRITE, lanes, race->warps[warp].waited, 0);
}

void emu_race_groups(emu_warp *warp, const uop *u, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    const uint32_t number = emu_warp_number(warp);
    race_warp *own = &race->warps[number];
    uint32_t all[SMP_LANES];
    for (unsigned l = 0; l < SMP_LANES; l++) {
        own->copies[l] += u->imm == ORDER_COPIES_COMMIT && lanes >> l & 1;
        own->stores[l] += u->imm == ORDER_STORES_COMMIT && lanes >> l & 1;
        all[l] = own->matrices;
    }
    if (u->imm == ORDER_COPIES_WAIT) {
        finish(race, number, FLIGHT_COPY, lanes, own->copies, u->imm2);
        finish(race, number, FLIGHT_STORE, lanes, own->stores, u->imm2);
        EACH_LANE_OF(l, lanes)
            own->waited[l] = own->stores[l] > u->imm2 ? own->stores[l] - u->imm2 : 0;
    } else if (u->imm == ORDER_MATRIX_WAIT) {
        finish(race, number, FLIGHT_MATRIX, SMP_ALL_LANES, all, u->imm2);
    }
}

void emu_race_copied(emu_warp *warp, unsigned lane, uint32_t mbarrier, uint32_t phase) {
    emu_race *race = warp->block->worker->race;
    const uint32_t number = emu_warp_number(warp);
    EACH(race_flight, flight, race->flights, race->flight_count) {
        if (flight->kind != FLIGHT_COPY || flight->warp != number || flight->mbarrier != 0 ||
            (flight->pending >> lane & 1) == 0)
            continue;
        flight->mbarrier = mbarrier + 1;
        flight->phase = phase;
    }
}

static bool is_over_for_all(const race_flight *flight, const race_view *all) {
    return flight->pending == 0 || (flight->mbarrier != 0 && all->phases &&
                                    all->phases[flight->mbarrier - 1] > flight->phase);
}

enum { COPIES_KEPT = 1 << 14 };

/* Whether the flight stays: the async proxy may access an old copy and need its fence. */
static bool is_asked_for(const emu_race *race, uint32_t index) {
    return race->uses[KNOWS_FENCED] && race->flights[index].kind == FLIGHT_COPY &&
           race->flight_count - index < COPIES_KEPT;
}

void race_flight_forget(emu_race *race, const race_view *all) {
    uint32_t over = 0;
    while (over < race->flight_count && is_over_for_all(&race->flights[over], all) &&
           !is_asked_for(race, over))
        over++;
    if (over < race->flight_count && over < 1024)
        return;
    race->first_flight += over;
    race->flight_count -= over;
    for (uint32_t i = 0; i < race->flight_count; i++)
        race->flights[i] = race->flights[i + over];
    for (uint32_t b = 0; b < race->worker->block_count; b++)
        if (race->flight_count == 0 && race->blocks[b].written == UINT32_MAX)
            race->blocks[b].written = race->event;
}
