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
    uint32_t *writes, *reads, *atomics; /* cells; NULL: no mark yet */
    uint32_t *more;                     /* an earlier read by another thread */
} race_global;

void race_global_clear(emu_race *race) {
    const uint32_t count = race->worker->run->memory->count;
    for (uint32_t i = 0; race->globals && i < count; i++) {
        free(race->globals[i].writes);
        free(race->globals[i].reads);
        free(race->globals[i].more);
        free(race->globals[i].atomics);
    }
    free(race->globals);
    race->globals = NULL;
}

/* ---- Accesses ---- */

static uint32_t *cells_of(const race_access *x, uint32_t **cells) {
    if (!*cells)
        *cells = zeroed_alloc(((x->array->size_bytes >> x->shift) + 16) * sizeof(**cells));
    if (!*cells)
        race_fail(x->race);
    return *cells;
}

/* Reports two strong accesses of different blocks if one has only block scope. */
static void look_at_narrow(const race_access *x, uint32_t cell, unsigned lane, uint32_t unit) {
    const emu_race *race = x->race;
    const emu_program *program = race->worker->run->program;
    const uint32_t per_block = race->worker->blocks[0].warp_count;
    if (cell <= x->limit || cell >> CELL_EVENT < race->first_event)
        return;
    const race_event *event = race_event_of(race, cell >> CELL_EVENT);
    if (event->warp / per_block != x->number / per_block &&
        (program->memory[x->u->memory].is_narrow ||
         program->memory[program->uops[event->instruction].memory].is_narrow))
        race_look(x, cell, x->kind == MEMORY_LOAD ? RACE_RAW : RACE_WAW, lane, unit);
}

static void look_at_unit(const race_access *x, const race_global *at, unsigned lane,
                         uint32_t unit) {
    const bool is_read = x->kind == MEMORY_LOAD;
    if (at->writes && at->writes[unit] > x->limit)
        race_look(x, at->writes[unit], is_read ? RACE_RAW : RACE_WAW, lane, unit);
    if (at->atomics && x->kind == MEMORY_ATOMIC && x->race->has_narrow)
        look_at_narrow(x, at->atomics[unit], lane, unit);
    if (at->atomics && x->kind != MEMORY_ATOMIC && at->atomics[unit] > x->limit)
        race_look(x, at->atomics[unit], is_read ? RACE_RAW : RACE_WAW, lane, unit);
    if (at->reads && !is_read && at->reads[unit] > x->limit)
        race_look(x, at->reads[unit], RACE_WAR, lane, unit);
    if (at->more && !is_read && at->more[unit] > x->limit)
        race_look(x, at->more[unit], RACE_WAR, lane, unit);
}

/* Keeps an older read by another thread when `lane` marks the unit as read. */
static void keep_older(const race_access *x, race_global *at, unsigned lane, uint32_t unit) {
    if (race_is_older(x->race, at->reads[unit], x->number, lane) &&
        at->reads[unit] >> CELL_EVENT != x->event && cells_of(x, &at->more))
        at->more[unit] = at->reads[unit];
}

static void each_lane(const race_access *x, race_global *at, uint32_t *cells) {
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->shift;
        for (uint32_t i = unit; i < unit + x->units; i++) {
            look_at_unit(x, at, l, i);
            if (x->kind == MEMORY_LOAD)
                keep_older(x, at, l, i);
            cells[i] = x->kind != MEMORY_STORE && cells[i] >> CELL_EVENT == x->event
                           ? cells[i] | CELL_SEVERAL
                           : race_cell_of(x) | (x->owner >= 0 ? (unsigned)x->owner : l);
        }
    }
}

static const uint32_t *from(const uint32_t *cells, uint32_t first) {
    return cells ? cells + first : NULL;
}

static bool is_row_seen(const race_access *x, const race_global *at, uint32_t first) {
    const uint32_t count = ROW * x->units;
    return race_is_below(from(at->writes, first), count, x->limit) &&
           race_is_below(from(at->atomics, first), count, x->limit) &&
           (x->kind != MEMORY_LOAD ? race_is_below(from(at->reads, first), count, x->limit) &&
                                         race_is_below(from(at->more, first), count, x->limit)
                                   : race_is_below(from(at->reads, first), count,
                                                   (x->race->first_event << CELL_EVENT) - 1));
}

LANES_CLONED static void mark_row(const race_access *x, uint32_t *cells) {
    const uint32_t cell = x->event << CELL_EVENT, shift = (uint32_t)__builtin_ctz(x->units);
    for (uint32_t i = 0; i < ROW * x->units; i++)
        cells[i] = cell | i >> shift;
}

static void run_access(race_access *x, race_global *at) {
    const memory_kind kind = x->kind;
    uint32_t *cells = cells_of(x, kind == MEMORY_LOAD    ? &at->reads
                                  : kind == MEMORY_STORE ? &at->writes
                                                         : &at->atomics);
    x->writes = cells_of(x, &at->writes);
    if (!cells || !x->writes || x->race->is_over || !race_begin_access(x))
        return;
    if (x->is_row && x->owner < 0 && is_row_seen(x, at, x->offset[0] >> x->shift))
        mark_row(x, cells + (x->offset[0] >> x->shift));
    else
        each_lane(x, at, cells);
}

/* Reports a strong load that may read the old value of a strong store. */
static void look_at_strong(const race_access *x, uint32_t cell, unsigned lane, uint32_t unit) {
    const emu_race *race = x->race;
    if (!(cell & CELL_FLIGHT) && cell >> CELL_EVENT >= race->first_event &&
        race_is_stale(x, race_event_of(race, cell >> CELL_EVENT)->instruction))
        race_look(x, cell, RACE_RAW, lane, unit);
}

/* Compares a strong load with writes. It sets no marks. */
static void look_at_writes(const race_access *x, const race_global *at) {
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->shift;
        for (uint32_t i = unit; i < unit + x->units; i++) {
            if (at->writes && at->writes[i] > x->limit)
                race_look(x, at->writes[i], RACE_RAW, l, i);
            if (at->atomics && x->race->has_narrow)
                look_at_narrow(x, at->atomics[i], l, i);
            else if (at->atomics && at->atomics[i] > x->limit)
                look_at_strong(x, at->atomics[i], l, i);
        }
    }
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
    return x->kind == MEMORY_LOAD && !at->writes &&
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
    race_access x = {.race = race,
                     .warp = warp,
                     .u = u,
                     .kind = m->kind,
                     .is_strong = m->is_strong && m->kind != MEMORY_ATOMIC,
                     .width = m->width_bytes,
                     .number = emu_warp_number(warp),
                     .lanes = lanes,
                     .offset = moved,
                     .array = array,
                     .shift = race->global_shift,
                     .owner = -1};
    x.units = x.width >> x.shift;
    x.is_row = lanes == SMP_ALL_LANES && race_is_even(moved, x.width);
    x.limit = race->warps[x.number].seen << CELL_EVENT | (CELL_SEVERAL | CELL_LANE);
    if (m->is_strong || m->kind == MEMORY_ATOMIC)
        see_strong(&x, m);
    see_grid(&x, m);
    if (is_only_read(&x, at))
        return;
    x.writes = at->writes;
    if (x.is_strong && x.kind == MEMORY_LOAD) {
        look_at_writes(&x, at);
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
    race_access x = {.race = race,
                     .warp = at->warp,
                     .u = at->u,
                     .kind = how->kind,
                     .width = how->width,
                     .number = emu_warp_number(at->warp),
                     .lanes = lanes,
                     .offset = offset,
                     .array = array,
                     .shift = race->global_shift,
                     .flight = how->flight,
                     .owner = how->owner,
                     .is_proxy = how->is_proxy};
    x.units = x.width >> x.shift;
    x.is_row = lanes == SMP_ALL_LANES && race_is_even(offset, x.width);
    if (!x.is_proxy)
        x.limit = race->warps[x.number].seen << CELL_EVENT | (CELL_SEVERAL | CELL_LANE);
    see_grid(&x, at->m);
    if (!is_only_read(&x, global))
        run_access(&x, global);
}

void emu_race_far(const access_lanes *at, const uint64_t *address, uint32_t lanes, race_far how) {
    const smp_emu_memory *memory = at->worker->run->memory;
    while (lanes != 0) {
        uint32_t offset[SMP_LANES] = {0};
        const smp_emu_array *array = smp_emu_memory_find(memory, address[__builtin_ctz(lanes)]);
        const uint32_t here = emu_lanes_inside(array, address, how.width, lanes, offset);
        if (here != 0 && array->size_bytes < INT32_MAX)
            see_far(at, array, offset, here, &how);
        lanes &= here != 0 ? ~here : 0;
    }
}
