/* SPDX-License-Identifier: MIT */
/*
 * Shared memory lives as long as its block: accesses from other blocks of the cluster must happen
 * before the block ends.
 */
#include <stdlib.h>

#include "race.h"
#include "race_state.h"

static void tell(emu_race *race, uint32_t rank, const race_event *event) {
    const race_pair pair = {
        .order = RACE_END,
        .now = {event->instruction, event->warp, (uint32_t)__builtin_ctz(event->lanes), 0},
        .before = race->blocks[rank].end,
        .rank = rank};
    race_report(race, &pair);
}

void race_visit(emu_race *race, uint32_t rank, uint32_t event) {
    race_block *block = &race->blocks[rank];
    if (!block->visits)
        block->visits = calloc(race->warp_count, sizeof(*block->visits));
    if (!block->visits) {
        race_fail(race);
        return;
    }
    block->visits[race_event_of(race, event)->warp] = event;
    if (block->has_ended)
        tell(race, rank, race_event_of(race, event));
}

/* Whether the access happened before some thread of the block. */
static bool is_seen(const emu_race *race, const emu_block *block, uint32_t first,
                    const race_event *event, uint32_t number) {
    const unsigned lane = (unsigned)__builtin_ctz(event->lanes);
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            if (race_lane_sees(race, first + w, l, KNOWS_ALL, event->warp, lane, number) ||
                race_lane_sees(race, first + w, l, KNOWS_RAN, event->warp, lane, number))
                return true;
    return false;
}

void emu_race_block_ends(emu_warp *warp, const uop *u, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    const uint32_t rank = (uint32_t)(warp->block - race->worker->blocks);
    race_block *block = &race->blocks[rank];
    block->has_ended = true;
    block->end = (race_side){race_instruction(race, u), emu_warp_number(warp),
                             (uint32_t)__builtin_ctz(lanes), 0};
    for (uint32_t w = 0; block->visits && w < race->warp_count; w++) {
        const uint32_t event = block->visits[w];
        block->visits[w] = 0;
        if (event >= race->first_event &&
            !is_seen(race, warp->block, rank * warp->block->warp_count, race_event_of(race, event),
                     event))
            tell(race, rank, race_event_of(race, event));
    }
}
