/* SPDX-License-Identifier: MIT */
/*
 * Views are made, shared and joined. What a cluster has seen of earlier clusters on its worker is a
 * view of each, as it was when something was released.
 */
#include "race_clock.h"

#include <stdlib.h>
#include <string.h>

race_view *race_view_new(uint32_t warp_count, uint32_t base) {
    race_view *view = calloc(1, sizeof(*view));
    if (view)
        *view = (race_view){.refs = 1, .base = base, .most = base, .warp_count = warp_count};
    return view;
}

race_view *race_view_keep(race_view *view) {
    if (view)
        view->refs++;
    return view;
}

static void drop_lanes(race_view *view) {
    for (uint32_t w = 0; view->lanes && w < view->warp_count; w++)
        if (view->lanes[w] && --view->lanes[w]->refs == 0)
            free(view->lanes[w]);
    free(view->lanes);
    view->lanes = NULL;
}

void race_view_drop(race_view *view) {
    if (!view || --view->refs > 0)
        return;
    race_foreign_drop(view->foreign);
    free(view->warps);
    drop_lanes(view);
    free(view->phases);
    free(view);
}

static bool copy_rows(uint32_t **to, const uint32_t *from, size_t count) {
    if (!from)
        return true;
    *to = malloc(count * sizeof(**to));
    if (*to)
        memcpy(*to, from, count * sizeof(**to));
    return *to;
}

/* Returns the warp's lane clocks, unshared; NULL if out of memory. */
static race_lanes *own_lanes(race_view *view, uint32_t warp) {
    if (!view->lanes && !(view->lanes = calloc(view->warp_count, sizeof(race_lanes *))))
        return NULL;
    race_lanes **at = &view->lanes[warp], *old = *at;
    if (old && old->refs == 1)
        return old;
    race_lanes *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    if (old) {
        *made = *old;
        old->refs--;
    }
    made->refs = 1;
    return *at = made;
}

static bool has_more(const race_lanes *than, const race_lanes *other) {
    uint32_t more = 0;
    for (unsigned l = 0; l < SMP_LANES; l++)
        more |= other->of[l] > than->of[l] ? 1 : 0;
    return more != 0;
}

/* Raises `view`'s clocks for `warp` to the maximum of its own and `other`'s. */
static bool join_warp(race_view *view, uint32_t warp, race_lanes *other) {
    race_lanes *const old = view->lanes ? view->lanes[warp] : NULL;
    if (!other || other == old || (old && !has_more(old, other)))
        return true;
    if (!old && view->lanes) {
        other->refs++;
        view->lanes[warp] = other;
        return true;
    }
    race_lanes *own = own_lanes(view, warp);
    for (unsigned l = 0; own && l < SMP_LANES; l++)
        own->of[l] = own->of[l] > other->of[l] ? own->of[l] : other->of[l];
    return own;
}

static bool join_lanes(race_view *view, race_lanes *const *other) {
    if (!other)
        return true;
    if (!view->lanes && !(view->lanes = calloc(view->warp_count, sizeof(race_lanes *))))
        return false;
    bool is_fine = true;
    for (uint32_t w = 0; w < view->warp_count && is_fine; w++)
        is_fine = join_warp(view, w, other[w]);
    return is_fine;
}

/* Replaces a shared *view by a copy; false if out of memory. */
static bool make_own(race_view **view) {
    race_view *old = *view;
    if (old->refs == 1)
        return true;
    race_view *copy = race_view_new(old->warp_count, old->base);
    if (!copy || !copy_rows(&copy->warps, old->warps, old->warp_count) ||
        !copy_rows(&copy->phases, old->phases, RACE_PHASES) || !join_lanes(copy, old->lanes)) {
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
    if (!other)
        return true;
    if (!*rows)
        return copy_rows(rows, other, count);
    for (size_t i = 0; i < count; i++)
        (*rows)[i] = (*rows)[i] > other[i] ? (*rows)[i] : other[i];
    return true;
}

static bool is_plain(const race_view *view) {
    return !view->warps && !view->lanes && !view->phases && !view->foreign;
}

bool race_view_join(race_view **view, race_view *other) {
    const race_view *old = *view;
    if (!other || old == other || (old && is_plain(other) && other->base <= old->base))
        return true;
    if (!old || (old->most <= other->base && !old->phases &&
                 (!old->foreign || old->foreign == other->foreign))) {
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
    if (own->base == own->most) { /* the rows add nothing */
        free(own->warps);
        own->warps = NULL;
        drop_lanes(own);
        return raise_rows(&own->phases, other->phases, RACE_PHASES);
    }
    return raise_rows(&own->phases, other->phases, RACE_PHASES) &&
           raise_rows(&own->warps, other->warps, own->warp_count) && join_lanes(own, other->lanes);
}

bool race_view_add_phase(race_view **view, uint32_t mbarrier, uint32_t ended) {
    if (!make_own(view))
        return false;
    race_view *own = *view;
    if (!own->phases)
        own->phases = calloc(RACE_PHASES, sizeof(*own->phases));
    if (own->phases && own->phases[mbarrier] < ended)
        own->phases[mbarrier] = ended;
    return own->phases;
}

bool race_view_add(race_view **view, uint32_t warp, uint32_t lanes, bool is_whole, uint32_t event) {
    if (!make_own(view))
        return false;
    race_view *own = *view;
    own->most = event > own->most ? event : own->most;
    if (!is_whole) {
        race_lanes *row = own_lanes(own, warp);
        for (; row && lanes != 0; lanes &= lanes - 1)
            row->of[__builtin_ctz(lanes)] = event;
        return row;
    }
    if (!own->warps)
        own->warps = calloc(own->warp_count, sizeof(*own->warps));
    if (own->warps)
        own->warps[warp] = event;
    return own->warps;
}

/* Drops what the view knows of other clusters; false if out of memory. */
static bool keep_at_home(race_view **view) {
    if (!(*view)->foreign)
        return true;
    if (!make_own(view))
        return false;
    race_foreign_drop((*view)->foreign);
    (*view)->foreign = NULL;
    return true;
}

/* ---- Other clusters ---- */

enum { FOREIGN_MOST = 1024 };

race_foreign *race_foreign_keep(race_foreign *foreign) {
    if (foreign)
        foreign->refs++;
    return foreign;
}

void race_foreign_drop(race_foreign *foreign) {
    if (!foreign || --foreign->refs > 0)
        return;
    for (uint32_t i = 0; i < foreign->count; i++)
        race_view_drop(foreign->of[i].view);
    free(foreign);
}

static race_foreign *new_foreign(uint32_t room) {
    race_foreign *made = calloc(1, sizeof(*made) + room * sizeof(made->of[0]));
    if (made)
        made->refs = 1;
    return made;
}

/* Whether `a` has the same views of all clusters in `b`. */
static bool has_all(const race_foreign *a, const race_foreign *b) {
    uint32_t i = 0;
    if (b->below > a->below)
        return false;
    for (uint32_t j = 0; j < b->count; j++) {
        while (i < a->count && a->of[i].cluster < b->of[j].cluster)
            i++;
        if (b->of[j].cluster >= a->below &&
            (i == a->count || a->of[i].cluster != b->of[j].cluster ||
             a->of[i].view != b->of[j].view))
            return false;
    }
    return true;
}

static bool add(race_foreign *to, const struct race_of_cluster *one) {
    if (one->cluster < to->below)
        return true;
    struct race_of_cluster *last = to->count > 0 ? &to->of[to->count - 1] : NULL;
    if (last && last->cluster == one->cluster)
        return race_view_join(&last->view, one->view);
    to->of[to->count++] = (struct race_of_cluster){one->cluster, race_view_keep(one->view)};
    return true;
}

/* Drops the older half, which from then on counts as seen. */
static void shorten(race_foreign *foreign) {
    const uint32_t half = foreign->count / 2;
    if (foreign->count <= FOREIGN_MOST)
        return;
    foreign->below = foreign->of[half].cluster;
    for (uint32_t i = 0; i < half; i++)
        race_view_drop(foreign->of[i].view);
    for (uint32_t i = half; i < foreign->count; i++)
        foreign->of[i - half] = foreign->of[i];
    foreign->count -= half;
}

bool race_foreign_join(race_foreign **to, race_foreign *other) {
    race_foreign *old = *to;
    if (!other || other == old || (old && has_all(old, other)))
        return true;
    if (!old || has_all(other, old)) {
        *to = race_foreign_keep(other);
        race_foreign_drop(old);
        return true;
    }
    race_foreign *made = new_foreign(old->count + other->count);
    bool is_fine = made;
    if (is_fine)
        made->below = old->below > other->below ? old->below : other->below;
    for (uint32_t i = 0, j = 0; is_fine && (i < old->count || j < other->count);) {
        const bool is_old =
            j == other->count || (i < old->count && old->of[i].cluster <= other->of[j].cluster);
        is_fine = add(made, is_old ? &old->of[i++] : &other->of[j++]);
    }
    if (!is_fine) {
        race_foreign_drop(made);
        return false;
    }
    shorten(made);
    *to = made;
    race_foreign_drop(old);
    return true;
}

race_view *race_view_abroad(race_view *view, uint32_t cluster) {
    race_foreign *one = new_foreign(1);
    race_view *made = race_view_new(view->warp_count, 0);
    bool is_fine = one && made && race_foreign_join(&made->foreign, view->foreign);
    if (is_fine) {
        one->count = 1;
        one->of[0] = (struct race_of_cluster){cluster, race_view_keep(view)};
        is_fine = keep_at_home(&one->of[0].view) && race_foreign_join(&made->foreign, one);
    }
    race_foreign_drop(one);
    if (is_fine)
        return made;
    race_view_drop(made);
    return NULL;
}

bool race_view_sees(const race_view *view, uint32_t cluster, uint32_t warp, uint32_t lane,
                    uint32_t event) {
    const race_foreign *foreign = view->foreign;
    uint32_t first = 0, end = foreign ? foreign->count : 0;
    if (foreign && cluster < foreign->below)
        return true;
    while (first < end) {
        const uint32_t middle = (first + end) / 2;
        if (foreign->of[middle].cluster == cluster)
            return race_view_of(foreign->of[middle].view, warp, lane) >= event;
        if (foreign->of[middle].cluster < cluster)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}
