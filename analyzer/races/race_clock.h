/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks: which accesses happened before a thread's next one. The accesses of a worker are
 * numbered in rising order (events). A view says, for each thread of the cluster, up to which event
 * everything of that thread is seen. Threads that saw the same share a view, which is copied when
 * it changes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "smp_model.h"

typedef struct race_view {
    uint32_t refs;
    uint32_t base, most;          /* seen of every thread; the most seen of any */
    uint32_t warp_count;          /* of the cluster */
    uint32_t *warps;              /* by warp: seen of all its lanes, if more; NULL: nowhere more */
    uint32_t *phases;             /* by mbarrier: phases seen to end, or NULL */
    struct race_lanes **lanes;    /* by warp: seen of single lanes; NULL: nowhere more */
    struct race_foreign *foreign; /* seen of earlier clusters; NULL: nothing */
} race_view;

/* Clocks of a warp's lanes; views share them. */
typedef struct race_lanes {
    uint32_t refs, of[SMP_LANES];
} race_lanes;

/* What is seen of other clusters, each by its own events; sorted by cluster. It never changes. */
typedef struct race_foreign {
    uint32_t refs, count;
    uint32_t below; /* earlier clusters count as seen: there were too many */
    struct race_of_cluster {
        uint32_t cluster;
        race_view *view;
    } of[];
} race_foreign;

/* The most mbarriers of a cluster; the next element of `phases` says whether the launch in front
 * was waited for. */
enum { RACE_MBARRIERS = 511, RACE_LAUNCHES = RACE_MBARRIERS, RACE_PHASES };

/* Each returns one reference, or NULL if out of memory. */
race_view *race_view_new(uint32_t warp_count, uint32_t base);
race_view *race_view_keep(race_view *view);
void race_view_drop(race_view *view);
/* The event up to which everything of the thread is seen. */
static inline uint32_t race_view_of(const race_view *view, uint32_t warp, uint32_t lane) {
    uint32_t seen = view->base;
    if (view->warps && view->warps[warp] > seen)
        seen = view->warps[warp];
    if (view->lanes && view->lanes[warp] && view->lanes[warp]->of[lane] > seen)
        seen = view->lanes[warp]->of[lane];
    return seen;
}
/* These change or replace *view; false if out of memory. *view may be NULL, which means that
 * nothing is seen. */
bool race_view_join(race_view **view, race_view *other);
bool race_view_add_phase(race_view **view, uint32_t mbarrier, uint32_t ended);
/* Wraps the view of a cluster that has ended, for later clusters; NULL if out of memory. */
race_view *race_view_abroad(race_view *view, uint32_t cluster);
/* Whether a thread of another cluster is seen up to this event. */
bool race_view_sees(const race_view *view, uint32_t cluster, uint32_t warp, uint32_t lane,
                    uint32_t event);
race_foreign *race_foreign_keep(race_foreign *foreign);
void race_foreign_drop(race_foreign *foreign);
/* Joins `other` into *to; false if out of memory. */
bool race_foreign_join(race_foreign **to, race_foreign *other);
bool race_view_add(race_view **view, uint32_t warp, uint32_t lanes, bool is_whole, uint32_t event);
