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

/* ---- Accesses ---- */

race_access race_access_by(emu_warp *warp, const uop *u, memory_kind kind, uint32_t shift) {
    return (race_access){.race = warp->block->worker->race,
                         .warp = warp,
                         .u = u,
                         .kind = kind,
                         .number = emu_warp_number(warp),
                         .shift = shift,
                         .owner = -1};
}

void race_place_access(race_access *x) {
    x->units = (x->width + (1u << x->shift) - 1) >> x->shift;
    x->is_row = x->lanes == SMP_ALL_LANES && emu_is_even(x->offset, x->width);
    x->limit =
        x->is_proxy ? 0 : x->race->warps[x->number].seen << CELL_EVENT | CELL_SEVERAL | CELL_LANE;
}

LANES_CLONED bool race_is_below(const uint32_t *cells, uint32_t count, uint32_t limit) {
    uint32_t above = 0;
    for (uint32_t i = 0; cells && i < count; i++)
        above |= cells[i] > limit ? 1 : 0;
    return above == 0;
}
