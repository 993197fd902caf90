/* SPDX-License-Identifier: MIT */
/*
 * Global memory between threads that run together: those of a block, a cluster or a cooperative
 * launch. (race_grid.c compares other blocks.) Each unit keeps its last write, the last two reads
 * since, and the last atomic access; reads before an array's first write are not kept.
 */
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "lane_loops.h"
#include "list.h"
#include "race.h"
#include "race_beside.h"
#include "race_state.h"
#include "warp.h"

typedef struct race_global {
    uint32_t *cells[RACE_CELLS]; /* NULL: no mark yet */
} race_global;

void race_global_clear(emu_race *race) {
    for (uint32_t i = 0; race->globals && i < race->worker->run->memory->count; i++)
        for (unsigned c = 0; c < RACE_CELLS; c++)
            free(race->globals[i].cells[c]);
    free(race->globals);
    race->globals = NULL;
}

/* ---- Accesses ---- */

static uint32_t *cells_of(const race_access *x, race_global *at, race_cells which) {
    uint32_t **cells = &at->cells[which];
    if (!*cells)
        *cells = zeroed_alloc(((x->array->size_bytes >> x->shift) + 16) * sizeof(**cells));
    if (!*cells)
        race_fail(x->race);
    return *cells;
}

/* Whether to report two strong accesses: of different blocks, if one has only block scope, or a
 * load that may read the old value of a store. */
static bool is_strong_told(const race_access *x, uint32_t cell) {
    const emu_race *race = x->race;
    if (cell & CELL_FLIGHT || cell >> CELL_EVENT < race->first_event)
        return false;
    const race_event *event = race_event_of(race, cell >> CELL_EVENT);
    return race->has_narrow ? !race_is_in_block(race, event->warp, x->number) &&
                                  (race->worker->run->program->memory[x->u->memory].is_narrow ||
                                   race_memory_at(race, event->instruction)->is_narrow)
                            : race_is_stale(x, event->instruction);
}

static void look_at_unit(const race_access *x, const race_global *at, unsigned lane,
                         uint32_t unit) {
    for (race_cells c = 0; c < (x->kind == MEMORY_LOAD ? CELLS_READS : RACE_CELLS); c++) {
        const uint32_t cell = at->cells[c] ? at->cells[c][unit] : 0;
        if (cell > x->limit &&
            (c != CELLS_ATOMICS || !race_is_mutual(x) || is_strong_told(x, cell)))
            race_compare(x, cell, race_order_of(x, c), lane, unit);
    }
}

/* Keeps an older read by another thread when `lane` marks the unit as read. */
static void keep_older(const race_access *x, race_global *at, unsigned lane, uint32_t unit) {
    const uint32_t older = at->cells[CELLS_READS][unit];
    if (race_is_older(x->race, older, x->number, lane) && older >> CELL_EVENT != x->event &&
        cells_of(x, at, CELLS_MORE))
        at->cells[CELLS_MORE][unit] = older;
}

/* `cells`: those it marks, or NULL. */
static void each_lane(const race_access *x, race_global *at, uint32_t *cells) {
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->shift;
        for (uint32_t i = unit; i < unit + x->units; i++) {
            look_at_unit(x, at, l, i);
            if (!cells)
                continue;
            if (x->kind == MEMORY_LOAD)
                keep_older(x, at, l, i);
            cells[i] = x->kind != MEMORY_STORE && cells[i] >> CELL_EVENT == x->event
                           ? cells[i] | CELL_SEVERAL
                           : race_cell_of(x) | (x->owner >= 0 ? (unsigned)x->owner : l);
        }
    }
}

static bool is_row_seen(const race_access *x, const race_global *at, uint32_t first) {
    const bool is_read = x->kind == MEMORY_LOAD;
    bool is_seen = true;
    for (race_cells c = 0; c < (is_read ? CELLS_MORE : RACE_CELLS) && is_seen; c++)
        is_seen = !at->cells[c] || race_is_below(at->cells[c] + first, ROW * x->units,
                                                 is_read && c == CELLS_READS
                                                     ? (x->race->first_event << CELL_EVENT) - 1
                                                     : x->limit);
    return is_seen;
}

LANES_CLONED static void mark_row(const race_access *x, uint32_t *cells) {
    const uint32_t cell = x->event << CELL_EVENT, shift = (uint32_t)__builtin_ctz(x->units);
    for (uint32_t i = 0; i < ROW * x->units; i++)
        cells[i] = cell | i >> shift;
}

static void run_access(race_access *x, race_global *at) {
    uint32_t *cells = cells_of(x, at, race_cells_of(x));
    x->writes = cells_of(x, at, CELLS_WRITES);
    if (!cells || !x->writes || x->race->is_over || !race_begin_access(x))
        return;
    if (x->is_row && x->owner < 0 && is_row_seen(x, at, x->offset[0] >> x->shift))
        mark_row(x, cells + (x->offset[0] >> x->shift));
    else
        each_lane(x, at, cells);
}

static race_global *global_of(emu_race *race, const smp_emu_array *array) {
    const smp_emu_memory *memory = race->worker->run->memory;
    if (!race->globals)
        race->globals = calloc(memory->count + 1, sizeof(*race->globals));
    if (!race->globals)
        race_fail(race);
    return race->globals ? &race->globals[array - memory->arrays] : NULL;
}

/* The lanes that take a lock: the compare succeeds, or the exchange changes the word. */
static uint32_t taking(const race_access *x, const uop_memory *m) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    uint32_t takes = 0;
    if (m->kind != MEMORY_ATOMIC || !m->returns || m->is_narrow || m->width_bytes != 4 ||
        (m->act != ATOMIC_CAS && m->act != ATOMIC_EXCHANGE))
        return 0;
    EACH_LANE_OF(l, x->lanes) {
        uint32_t there;
        memcpy(&there, x->array->bytes + x->offset[l], sizeof there);
        takes |= (uint32_t)((there == a[l]) == (m->act == ATOMIC_CAS)) << l;
    }
    return takes;
}

static void see_strong(const race_access *x, const uop_memory *m) {
    uint64_t address[SMP_LANES];
    const bool waits = x->race->polls[race_instruction(x->race, x->u)] == POLL_FAR;
    x->warp->is_polling |= waits && x->race->worker->run->is_together; /* let others run */
    for (unsigned l = 0; l < SMP_LANES; l++)
        address[l] = x->array->address + x->offset[l];
    emu_race_strong(x->warp, x->lanes, address,
                    (race_strong){.reads = m->kind == MEMORY_LOAD || m->returns,
                                  .writes = m->kind != MEMORY_LOAD,
                                  .adds = m->kind == MEMORY_ATOMIC,
                                  .is_far = !m->is_narrow,
                                  .takes = taking(x, m),
                                  .waits = waits,
                                  .unlocks = m->kind == MEMORY_STORE ||
                                             (m->act == ATOMIC_EXCHANGE && !m->returns)});
}

/* To other clusters, an access of block scope is a plain one. */
static void see_grid(const race_access *x, const uop_memory *m) {
    race_access abroad = *x;
    abroad.is_strong &= !m->is_narrow;
    if (m->kind == MEMORY_ATOMIC && m->is_narrow)
        abroad.kind = MEMORY_STORE;
    if (x->race->worker->run->grid)
        race_grid_access(&abroad);
    if (x->race->worker->run->beside)
        race_beside_access(&abroad);
}

/* Whether it is a read before the array's first write; only the first cluster keeps those. */
static bool is_only_read(const race_access *x, const race_global *at) {
    return x->kind == MEMORY_LOAD && !at->cells[CELLS_WRITES] &&
           (x->is_strong || x->race->worker->block_serial > 1);
}

void emu_race_global(emu_warp *warp, const uop *u, const uop_memory *m, const smp_emu_array *array,
                     int64_t base, const uint32_t *offset, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    uint32_t moved[SMP_LANES];
    race_global *at = global_of(race, array);
    if (!at || array->address == EMU_HEAP || array->size_bytes > UINT32_MAX)
        return;
    for (unsigned l = 0; l < SMP_LANES; l++)
        moved[l] = (uint32_t)(base + (int32_t)offset[l]);
    race_access x = race_access_by(warp, u, m->kind, race->global_shift);
    x.is_strong = m->is_strong && m->kind != MEMORY_ATOMIC;
    x.width = m->width_bytes;
    x.lanes = lanes;
    x.offset = moved;
    x.array = array;
    race_place_access(&x);
    if (m->is_strong || m->kind == MEMORY_ATOMIC)
        see_strong(&x, m);
    see_grid(&x, m);
    if (is_only_read(&x, at))
        return;
    x.writes = at->cells[CELLS_WRITES];
    if (x.is_strong && x.kind == MEMORY_LOAD) {
        each_lane(&x, at, NULL);
        return;
    }
    if (x.is_strong)
        x.kind = MEMORY_ATOMIC;
    run_access(&x, at);
}

/* ---- Copies ---- */

static void see_far(const access_lanes *at, const smp_emu_array *array, const uint32_t *offset,
                    uint32_t lanes, const race_far *how) {
    emu_race *race = at->worker->race;
    race_global *global = global_of(race, array);
    if (!global || array->address == EMU_HEAP)
        return;
    race_access x = race_access_by(at->warp, at->u, how->kind, race->global_shift);
    x.width = how->width;
    x.lanes = lanes;
    x.offset = offset;
    x.array = array;
    x.flight = how->flight;
    x.owner = how->owner;
    x.is_proxy = how->is_proxy;
    race_place_access(&x);
    see_grid(&x, at->m);
    if (!is_only_read(&x, global))
        run_access(&x, global);
}

void emu_race_far(const access_lanes *at, const uint64_t *address, uint32_t lanes, race_far how) {
    uint32_t offset[SMP_LANES] = {0}, here;
    const smp_emu_array *array;
    while ((array =
                emu_next_array(at->worker->run->memory, address, how.width, &lanes, &here, offset)))
        if (array->size_bytes < INT32_MAX)
            see_far(at, array, offset, here, &how);
}
