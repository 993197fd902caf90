/* SPDX-License-Identifier: MIT */
/*
 * Barriers in shared memory: an arrival releases what its thread knows, and a thread that sees the
 * phase end acquires it from all that arrived.
 */
#include "lane_loops.h"
#include "list.h"
#include "race.h"
#include "race_state.h"
#include "warp.h"

/* The barrier's number; RACE_MBARRIERS if there are too many. */
static uint32_t barrier_at(emu_race *race, uint32_t rank, uint32_t offset) {
    for (uint32_t i = 0; i < race->mbarrier_count; i++)
        if (race->mbarriers[i].rank == rank && race->mbarriers[i].offset == offset)
            return i;
    if (race->mbarrier_count == RACE_MBARRIERS) {
        race->is_over = true;
        return RACE_MBARRIERS;
    }
    if (!LIST_ROOM(race->mbarriers, race->mbarrier_count)) {
        race_fail(race);
        return RACE_MBARRIERS;
    }
    race->mbarriers[race->mbarrier_count].rank = rank;
    race->mbarriers[race->mbarrier_count].offset = offset;
    return race->mbarrier_count++;
}

/* The number of the barrier at an address, whose upper bits are the block's rank. */
static uint32_t number_at(const access_lanes *x, uint64_t address) {
    const uint32_t first = (uint32_t)(emu_cluster_of(x->warp->block) - x->worker->blocks);
    return barrier_at(x->worker->race, first + (uint32_t)(address >> SMP_BLOCK_SHIFT),
                      emu_shared_offset(x, address));
}

static void end_phase(emu_race *race, uint32_t number) {
    race_mbarrier *at = &race->mbarriers[number];
    race_view **open = &at->open.of[KNOWS_ALL];
    bool is_fine = true;
    at->phase++;
    for (unsigned k = 0; k < RACE_KNOWS; k++)
        is_fine = race_view_join(&at->open.of[k], at->arrived.of[k]) && is_fine;
    race_knowledge_drop(&at->arrived);
    if (!*open)
        *open = race_view_new(race->warp_count, 0);
    if (!is_fine || !*open || !race_view_add_phase(open, number, at->phase))
        race_fail(race);
}

void emu_race_mbarrier_arrive(const access_lanes *x, unsigned lane, bool arrives, bool ends) {
    emu_race *race = x->worker->race;
    const uint32_t number = number_at(x, x->address[lane]);
    if (number == RACE_MBARRIERS)
        return;
    race_mbarrier *at = &race->mbarriers[number];
    if (x->m->act == SYNC_COPIED)
        emu_race_copied(x->warp, lane, number, at->phase);
    if (arrives)
        race_publish(race, x->warp, 1u << lane, &at->arrived);
    if (ends)
        end_phase(race, number);
}

void emu_race_mbarrier_bytes(const access_lanes *x, uint64_t address, bool ends) {
    emu_race *race = x->worker->race;
    const uint32_t number = number_at(x, address);
    if (number != RACE_MBARRIERS && ends)
        end_phase(race, number);
}

void emu_race_mbarrier_seen(const access_lanes *x, uint32_t lanes) {
    emu_race *race = x->worker->race;
    while (lanes != 0) {
        const uint32_t number = number_at(x, x->address[__builtin_ctz(lanes)]);
        const uint32_t here = LANES_ALIKE(l, lanes, x->address[l]);
        lanes &= ~here;
        if (number != RACE_MBARRIERS)
            race_acquire(race, x->warp, here, &race->mbarriers[number].open);
    }
}

void race_mbarrier_read(emu_race *race, const emu_warp *warp, uint32_t rank, uint32_t lanes,
                        const uint32_t *offset) {
    while (lanes != 0) {
        const uint32_t number = barrier_at(race, rank, offset[__builtin_ctz(lanes)] - 4);
        const uint32_t here = LANES_ALIKE(l, lanes, offset[l]);
        lanes &= ~here;
        if (number != RACE_MBARRIERS)
            race_acquire(race, warp, here, &race->mbarriers[number].open);
    }
}

void emu_race_bulk_ends(const access_lanes *x, uint32_t number, uint64_t mbarrier) {
    emu_race *race = x->worker->race;
    const uint32_t at = number_at(x, mbarrier);
    if (number == 0 || at == RACE_MBARRIERS)
        return;
    race_flight *flight = &race->flights[number - race->first_flight];
    flight->mbarrier = at + 1;
    flight->phase = race->mbarriers[at].phase;
}
