/* SPDX-License-Identifier: MIT */
/* Room for events, and the release of knowledge. */
#include "race_state.h"

#include "lane_loops.h"
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

/* ---- Rows ---- */

LANES_CLONED bool race_is_even(const uint32_t *offset, uint32_t stride) {
    uint32_t differs = 0;
    for (unsigned l = 0; l < ROW; l++)
        differs |= offset[l] ^ (offset[0] + l * stride);
    return differs == 0;
}

LANES_CLONED bool race_is_below(const uint32_t *cells, uint32_t count, uint32_t limit) {
    uint32_t above = 0;
    for (uint32_t i = 0; cells && i < count; i++)
        above |= cells[i] > limit ? 1 : 0;
    return above == 0;
}
