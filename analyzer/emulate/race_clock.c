/* SPDX-License-Identifier: MIT */
/*
 * Views: made, shared, joined.
 */
#include "race_clock.h"

#include <stdlib.h>
#include <string.h>

race_view *race_view_new(uint32_t warp_count, uint32_t base) {
    race_view *view = calloc(1, sizeof(*view));
    if (view != NULL)
        *view = (race_view){.refs = 1, .base = base, .most = base, .warp_count = warp_count};
    return view;
}

race_view *race_view_keep(race_view *view) {
    if (view != NULL)
        view->refs++;
    return view;
}

void race_view_drop(race_view *view) {
    if (view == NULL || --view->refs > 0)
        return;
    race_foreign_drop(view->foreign);
    free(view->warps);
    free(view->lanes);
    free(view->phases);
    free(view);
}

static bool copy_rows(uint32_t **to, const uint32_t *from, size_t count) {
    if (from == NULL)
        return true;
    *to = malloc(count * sizeof(**to));
    if (*to != NULL)
        memcpy(*to, from, count * sizeof(**to));
    return *to != NULL;
}

/* Makes *view one that nobody else has. */
static bool make_own(race_view **view) {
    race_view *old = *view;
    if (old->refs == 1)
        return true;
    race_view *copy = race_view_new(old->warp_count, old->base);
    if (copy == NULL || !copy_rows(&copy->warps, old->warps, old->warp_count) ||
        !copy_rows(&copy->phases, old->phases, RACE_MBARRIERS) ||
        !copy_rows(&copy->lanes, old->lanes, (size_t)old->warp_count * SMP_LANES)) {
        race_view_drop(copy);
        return false;
    }
    copy->most = old->most;
    copy->foreign = race_foreign_keep(old->foreign);
    race_view_drop(old);
    *view = copy;
    return true;
}

static bool raise_rows(uint32_t **rows, const uint32_t *other, size_t count) {
    if (other == NULL)
        return true;
    if (*rows == NULL)
        return copy_rows(rows, other, count);
    for (size_t i = 0; i < count; i++)
        (*rows)[i] = (*rows)[i] > other[i] ? (*rows)[i] : other[i];
    return true;
}

static bool is_plain(const race_view *view) {
    return view->warps == NULL && view->lanes == NULL && view->phases == NULL &&
           view->foreign == NULL;
}

bool race_view_join(race_view **view, race_view *other) {
    const race_view *old = *view;
    if (other == NULL || old == other ||
        (old != NULL && is_plain(other) && other->base <= old->base))
        return true;
    if (old == NULL || (old->most <= other->base && old->phases == NULL &&
                        (old->foreign == NULL || old->foreign == other->foreign))) {
        race_view_drop(*view);
        *view = race_view_keep(other);
        return true;
    }
    if (!make_own(view))
        return false;
    race_view *own = *view;
    if (!race_foreign_join(&own->foreign, other->foreign))
        return false;
    own->base = own->base > other->base ? own->base : other->base;
    own->most = own->most > other->most ? own->most : other->most;
    if (own->base == own->most) { /* the rows say no more */
        free(own->warps);
        free(own->lanes);
        own->warps = own->lanes = NULL;
        return raise_rows(&own->phases, other->phases, RACE_MBARRIERS);
    }
    return raise_rows(&own->phases, other->phases, RACE_MBARRIERS) &&
           raise_rows(&own->warps, other->warps, own->warp_count) &&
           raise_rows(&own->lanes, other->lanes, (size_t)own->warp_count * SMP_LANES);
}

bool race_view_add_phase(race_view **view, uint32_t mbarrier, uint32_t ended) {
    if (!make_own(view))
        return false;
    race_view *own = *view;
    if (own->phases == NULL)
        own->phases = calloc(RACE_MBARRIERS, sizeof(*own->phases));
    if (own->phases != NULL && own->phases[mbarrier] < ended)
        own->phases[mbarrier] = ended;
    return own->phases != NULL;
}

bool race_view_add(race_view **view, uint32_t warp, uint32_t lanes, bool is_whole, uint32_t event) {
    if (!make_own(view))
        return false;
    race_view *own = *view;
    uint32_t **rows = is_whole ? &own->warps : &own->lanes;
    if (*rows == NULL)
        *rows = calloc((size_t)own->warp_count * (is_whole ? 1 : SMP_LANES), sizeof(**rows));
    if (*rows == NULL)
        return false;
    own->most = event > own->most ? event : own->most;
    if (is_whole)
        own->warps[warp] = event;
    for (; !is_whole && lanes != 0; lanes &= lanes - 1)
        own->lanes[warp * SMP_LANES + (unsigned)__builtin_ctz(lanes)] = event;
    return true;
}

bool race_view_at_home(race_view **view) {
    if ((*view)->foreign == NULL)
        return true;
    if (!make_own(view))
        return false;
    race_foreign_drop((*view)->foreign);
    (*view)->foreign = NULL;
    return true;
}
