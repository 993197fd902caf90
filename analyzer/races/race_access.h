/* SPDX-License-Identifier: MIT */
/* One request, to be compared with earlier ones. Internal to race_*.c. */
#pragma once

#include "race_state.h"

typedef struct race_access {
    emu_race *race;
    emu_warp *warp;
    const uop *u;
    memory_kind kind; /* MEMORY_LOAD, _STORE or _ATOMIC */
    uint32_t width;
    uint32_t number; /* the warp's, in the cluster */
    uint32_t event, lanes, units;
    const uint32_t *offset;     /* as programs see it */
    uint32_t rank;              /* of the block that owns the memory */
    const smp_emu_array *array; /* NULL: shared memory */
    uint32_t shift;             /* log2 of bytes a unit */
    race_shadow *shadow;
    const uint32_t *writes; /* cells of the last writes */
    uint32_t *own;          /* the warp's cells of the set it marks; NULL for a store */
    uint32_t *last;         /* the set's last events */
    uint32_t limit;         /* all lanes have seen cells up to this value */
    uint32_t flight;        /* its flight's number; 0: it ends with its instruction */
    int owner;              /* the lane that owns all of it; -1: each lane its own part */
    bool is_proxy;          /* by the async proxy */
    bool is_row;            /* all lanes, at adjacent offsets */
    bool is_strong;         /* races like an atomic access; a load sets no marks */
} race_access;

/* The cell that marks the access, without the lane. */
static inline uint32_t race_cell_of(const race_access *x) {
    return x->flight != 0 ? CELL_FLIGHT | x->flight << CELL_EVENT : x->event << CELL_EVENT;
}
/* Gives the access an event; false if no more fit, or if out of memory. */
bool race_begin_access(race_access *x);
/* Whether the unit already holds what the lane stores there. */
bool race_stores_same(const race_access *x, unsigned lane, uint32_t unit);
/* Compares the access with those of other clusters of the launch. */
void race_grid_access(race_access *x);
/* Reports a race if nothing orders the access of `lane` at this unit and that of the cell. */
void race_look(const race_access *x, uint32_t cell, race_order order, unsigned lane, uint32_t unit);
