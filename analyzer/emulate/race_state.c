/* SPDX-License-Identifier: MIT */
/*
 * What all of race_*.c use: numbers of accesses, and knowledge that is given up.
 */
#include "race_state.h"

#include "list.h"

void race_knowledge_drop(race_knowledge *knowledge) {
    for (unsigned k = 0; k < RACE_KNOWS; k++) {
        race_view_drop(knowledge->of[k]);
        knowledge->of[k] = NULL;
    }
}

uint32_t race_begin_event(emu_race *race, race_event like) {
    const uint32_t index = race->event + 1 - race->first_event;
    if (race->is_over || race->event + 1 >= RACE_EVENTS_MOST) {
        race->is_over = true;
        return 0;
    }
    if (!LIST_ROOM(race->events, index)) {
        race_fail(race);
        return 0;
    }
    race->events[index] = like;
    return ++race->event;
}
