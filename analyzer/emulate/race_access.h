/* SPDX-License-Identifier: MIT */
/*
 * One request as it is compared with those before it. Internal to race_*.c.
 */
#ifndef SMP_RACE_ACCESS_H
#define SMP_RACE_ACCESS_H

#include "race_state.h"

typedef struct race_access {
    emu_race *race;
    emu_warp *warp;
    const uop *u;
    memory_kind kind; /* what it is like: MEMORY_LOAD, _STORE or _ATOMIC */
    uint32_t width;
    uint32_t number; /* of the warp in the cluster */
    uint32_t event, lanes, units;
    const uint32_t *offset;     /* as programs see it */
    uint32_t rank;              /* of the block whose memory it is */
    const smp_emu_array *array; /* whose it is; NULL: the block's */
    uint32_t shift;             /* bytes of a unit, as a power */
    race_shadow *shadow;
    const uint32_t *writes; /* cells of who wrote last */
    uint32_t *own;          /* the warp's cells of the set that it enters; of a store NULL */
    uint32_t *last;         /* of that set */
    uint32_t limit;         /* cells up to this one are seen by all lanes */
    uint32_t flight;        /* its number; 0: it is over with its instruction */
    int owner;              /* the lane whose all of it is; -1: each its own */
    bool is_proxy;          /* the async proxy's */
    bool is_row;            /* all lanes, one behind the other */
    bool is_strong;         /* as an atomic access is; a load leaves no marks */
} race_access;

/* What it writes into cells, but for the lane. */
static inline uint32_t race_cell_of(const race_access *x) {
    return x->flight != 0 ? CELL_FLIGHT | x->flight << CELL_EVENT : x->event << CELL_EVENT;
}
/* Gives it a number; false: no more can be kept, or out of memory. */
bool race_begin_access(race_access *x);
/* What lane `lane` stores at the unit is there already. */
bool race_stores_same(const race_access *x, unsigned lane, uint32_t unit);
/* Compares the access with those of other clusters of the launch. */
void race_grid_access(race_access *x);
/* Lane `lane` meets the cell of another access at this unit: tells of a race if nothing orders the
 * two. */
void race_look(const race_access *x, uint32_t cell, race_order order, unsigned lane, uint32_t unit);

#endif
