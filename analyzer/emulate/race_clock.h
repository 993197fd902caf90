/* SPDX-License-Identifier: MIT */
/*
 * Clocks: which accesses are behind a thread, that is, happened before what it does next. Accesses
 * of a worker have rising numbers, events;
 * a view says for each thread of the cluster up to which of its events all is seen. Threads that
 * saw the same share a view, which is then not changed but copied.
 */
#ifndef SMP_RACE_CLOCK_H
#define SMP_RACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "smp_model.h"

typedef struct race_view {
    uint32_t refs;
    uint32_t base, most;          /* of every thread; of any */
    uint32_t warp_count;          /* of the cluster */
    uint32_t *warps;              /* of all lanes of a warp, where it is more; NULL: it is not */
    uint32_t *phases;             /* of each mbarrier: how many it has seen end; NULL: none */
    struct race_lanes **lanes;    /* of a thread, by warp; NULL as well, also of a warp */
    struct race_foreign *foreign; /* of clusters that ran before; NULL: nothing */
} race_view;

/* Of each lane of a warp; views share it. */
typedef struct race_lanes {
    uint32_t refs, of[SMP_LANES];
} race_lanes;

/* What is seen of other clusters, each in its own numbers; it does not change. By cluster. */
typedef struct race_foreign {
    uint32_t refs, count;
    uint32_t below; /* clusters before are taken to be seen: there were too many */
    struct race_of_cluster {
        uint32_t cluster;
        race_view *view;
    } of[];
} race_foreign;

/* Of a cluster; behind them, in views' phases, stands whether the launch in front was waited for.
 */
enum { RACE_MBARRIERS = 511, RACE_LAUNCHES = RACE_MBARRIERS, RACE_PHASES };

/* NULL: out of memory. Each comes with one reference. */
race_view *race_view_new(uint32_t warp_count, uint32_t base);
race_view *race_view_keep(race_view *view);
void race_view_drop(race_view *view);
/* Up to which event all of the thread is seen. */
static inline uint32_t race_view_of(const race_view *view, uint32_t warp, uint32_t lane) {
    uint32_t seen = view->base;
    if (view->warps != NULL && view->warps[warp] > seen)
        seen = view->warps[warp];
    if (view->lanes != NULL && view->lanes[warp] != NULL && view->lanes[warp]->of[lane] > seen)
        seen = view->lanes[warp]->of[lane];
    return seen;
}
/* These change what *view points to, or replace it; false: out of memory. *view may be NULL:
 * nothing is seen. */
bool race_view_join(race_view **view, race_view *other);
bool race_view_add_phase(race_view **view, uint32_t mbarrier, uint32_t ended);
/* A view of nothing but `view`, which is of a cluster that has ended; NULL: out of memory. */
race_view *race_view_abroad(race_view *view, uint32_t cluster);
/* Drops what it knows of other clusters; false: out of memory. */
bool race_view_at_home(race_view **view);
/* Whether a thread of another cluster is seen up to this event of its. */
bool race_view_sees(const race_view *view, uint32_t cluster, uint32_t warp, uint32_t lane,
                    uint32_t event);
race_foreign *race_foreign_keep(race_foreign *foreign);
void race_foreign_drop(race_foreign *foreign);
/* What both know into *to; false: out of memory. */
bool race_foreign_join(race_foreign **to, race_foreign *other);
bool race_view_add(race_view **view, uint32_t warp, uint32_t lanes, bool is_whole, uint32_t event);

#endif
