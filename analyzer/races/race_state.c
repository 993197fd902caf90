/* SPDX-License-Identifier: MIT */
/* Room for events, and the release of knowledge. */
#include "race_state.h"

#include "list.h"

void race_knowledge_drop(race_knowledge *knowledge) {
    for (unsigned k = 0; k < RACE_KNOWS; k++) {
        race_view_drop(knowledge->of[k]);
        knowledge->of[k] = NULL;
    }
}

bool race_make_room(emu_race *race, uint32_t index) {
    if (index >= RACE_EVENTS_KEPT || race->event + 1 >= RACE_EVENTS_MOST)
        race->is_over = true;
    else if (!LIST_ROOM(race->events, index))
        race_fail(race);
    else
        race->event_room = index == 0 ? 4 : 2 * index;
    return race->event_room > index;
}
