/* SPDX-License-Identifier: MIT */
/*
 * The shadow of shared memory: for each unit, the last writer and the readers and atomic accesses
 * since. Most accesses meet only what is ordered before all threads: one comparison then covers a
 * row of cells. Other accesses are compared cell by cell.
 */
#include <stdlib.h>
#include <string.h>

#include "lane_loops.h"
#include "list.h"
#include "race.h"
#include "race_state.h"
#include "warp.h"

/* ---- Room ---- */

static uint32_t *cells_of(emu_race *race, uint32_t **cells) {
    if (!*cells && !(*cells = zeroed_alloc(race->units * sizeof(**cells))))
        race_fail(race);
    return *cells;
}

static uint32_t *enter_set(race_access *x, race_set *set) {
    emu_race *race = x->race;
    if (!set->by_warp)
        set->by_warp = calloc(race->warp_count, sizeof(*set->by_warp));
    x->last = set->by_warp ? cells_of(race, &set->last) : NULL;
    if (!x->last) {
        race_fail(race);
        return NULL;
    }
    return cells_of(race, &set->by_warp[x->number]);
}

/* Allocates the cells that the access will mark; false if out of memory. */
static bool open_shadow(race_access *x) {
    x->writes = cells_of(x->race, &x->shadow->writes);
    if (!x->writes)
        return false;
    const bool is_atomic = race_is_mutual(x) && x->kind != MEMORY_LOAD;
    if (!is_atomic && (x->flight == 0 || x->kind == MEMORY_STORE))
        return true;
    x->own = enter_set(x, &x->shadow->sets[is_atomic ? SET_ATOMICS : SET_FLIGHTS]);
    return x->own;
}

/* ---- Comparison ---- */

static void look_at_set(const race_access *x, unsigned which, unsigned lane, uint32_t unit) {
    const race_set *set = &x->shadow->sets[which];
    const race_order order = race_order_of(x, which == SET_ATOMICS ? CELLS_ATOMICS : CELLS_READS);
    if (!set->last || set->last[unit] <= x->limit >> CELL_EVENT)
        return;
    for (uint32_t w = 0; w < x->race->warp_count; w++)
        if (set->by_warp[w] && set->by_warp[w][unit] > x->limit)
            race_compare(x, set->by_warp[w][unit], order, lane, unit);
}

static void look_at_unit(const race_access *x, unsigned lane, uint32_t unit) {
    const uint32_t cell = x->shadow->writes[unit];
    if (cell > x->limit)
        race_compare(x, cell, race_order_of(x, CELLS_WRITES), lane, unit);
    if (x->kind != MEMORY_LOAD) {
        look_at_set(x, SET_READS, lane, unit);
        look_at_set(x, SET_MORE, lane, unit);
        look_at_set(x, SET_FLIGHTS, lane, unit);
    }
    if (!race_is_mutual(x))
        look_at_set(x, SET_ATOMICS, lane, unit);
}

static void mark(const race_access *x, unsigned lane, uint32_t unit) {
    uint32_t *cell = x->own ? &x->own[unit] : &x->shadow->writes[unit];
    if (x->own && x->flight == 0 && *cell >> CELL_EVENT == x->event) {
        *cell |= CELL_SEVERAL;
        return;
    }
    *cell = race_cell_of(x) | (x->owner >= 0 ? (unsigned)x->owner : lane);
    if (x->own)
        x->last[unit] = x->flight != 0 ? UINT32_MAX : x->event;
}

/* Plain reads are marked later, by settle_reads(). */
static void each_lane(const race_access *x) {
    const bool marks = x->kind != MEMORY_LOAD || x->flight != 0;
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->shift;
        /* Memory that the system reserves has offsets below 0, which wrap around. */
        for (uint32_t i = 0; unit < x->race->units && i < x->units; i++) {
            look_at_unit(x, l, unit + i);
            if (marks)
                mark(x, l, unit + i);
        }
    }
}

/* ---- Rows ---- */

static bool is_set_seen(const race_access *x, unsigned which, uint32_t first, uint32_t count) {
    const race_set *set = &x->shadow->sets[which];
    return !set->last || race_is_below(set->last + first, count, x->limit >> CELL_EVENT);
}

/* Whether everything in the row's cells is ordered before all lanes. */
static bool is_row_seen(const race_access *x, uint32_t first, uint32_t count) {
    return race_is_below(x->shadow->writes + first, count, x->limit) &&
           (x->kind == MEMORY_LOAD ||
            (is_set_seen(x, SET_READS, first, count) && is_set_seen(x, SET_MORE, first, count) &&
             is_set_seen(x, SET_FLIGHTS, first, count))) &&
           (race_is_mutual(x) || is_set_seen(x, SET_ATOMICS, first, count));
}

LANES_CLONED static void mark_row(const race_access *x, uint32_t first) {
    uint32_t *cells = (x->own ? x->own : x->shadow->writes) + first;
    const uint32_t cell = race_cell_of(x), shift = (uint32_t)__builtin_ctz(x->units);
    const uint32_t count = x->units * ROW;
    if (shift == 0)
        EACH_LANE cells[l] = cell | l;
    else
        for (uint32_t i = 0; i < count; i++)
            cells[i] = cell | i >> shift;
    for (uint32_t i = 0; x->own && i < count; i++)
        x->last[first + i] = x->event;
}

/* ---- Reads ---- */

/* Keeps an older read by another thread in SET_MORE when `lane` marks the unit as read. */
static bool keep_older(race_access *x, const uint32_t *own, unsigned lane, uint32_t unit) {
    if (!race_is_older(x->race, own[unit], x->number, lane))
        return true;
    race_access older = *x;
    older.own = enter_set(&older, &x->shadow->sets[SET_MORE]);
    if (!older.own)
        return false;
    older.own[unit] = own[unit];
    older.last[unit] = x->event;
    return true;
}

/* Only a write that follows without a barrier of all threads needs the marks of a read, so they are
 * set when the next write comes. */
static bool mark_read(race_access *x, const race_event *event) {
    bool is_fine = true;
    x->shadow = &x->race->blocks[event->rank].shadow;
    x->number = event->warp;
    x->units = ((uint32_t)event->width + (1u << x->shift) - 1) >> x->shift;
    x->own = enter_set(x, &x->shadow->sets[SET_READS]);
    if (!x->own)
        return false;
    for (uint32_t rest = event->lanes; rest != 0; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        const uint32_t unit = race_offset_of(x->race, event, l) >> x->shift;
        for (uint32_t i = 0; unit < x->race->units && i < x->units; i++) {
            is_fine = keep_older(x, x->own, l, unit + i) && is_fine;
            mark(x, l, unit + i);
        }
    }
    return is_fine;
}

static void settle_reads(emu_race *race, uint32_t end) {
    bool is_fine = true;
    for (; race->settled < end && is_fine; race->settled++) {
        const race_event *event = race_event_of(race, race->settled + 1);
        race_access x = {.race = race,
                         .shift = race->unit_shift,
                         .kind = MEMORY_LOAD,
                         .event = race->settled + 1,
                         .owner = -1};
        if (event->is_read)
            is_fine = mark_read(&x, event);
    }
}

static bool is_unwritten_since(const race_access *x) {
    return x->race->blocks[x->rank].written <= x->limit >> CELL_EVENT;
}

static void run_access(race_access *x) {
    const uint32_t first = x->offset[0] >> x->shift;
    const bool is_read = x->kind == MEMORY_LOAD && x->flight == 0;
    race_place_access(x);
    if (x->race->is_over || (x->flight == 0 && !race_begin_access(x)))
        return;
    if (x->event != 0 && x->warp->block != &x->race->worker->blocks[x->rank])
        race_visit(x->race, x->rank, x->event);
    if (is_read && is_unwritten_since(x))
        return;
    if (!open_shadow(x))
        return;
    if (x->kind != MEMORY_LOAD)
        settle_reads(x->race, x->flight != 0 ? x->race->event : x->event - 1);
    if (x->is_row && x->owner < 0 && (!x->own || x->flight == 0) &&
        first + x->units * ROW <= x->race->units && is_row_seen(x, first, x->units * ROW)) {
        if (!is_read)
            mark_row(x, first);
    } else {
        each_lane(x);
    }
    if (!is_read)
        x->race->blocks[x->rank].written = x->flight != 0 ? UINT32_MAX : x->event;
}

static race_access begin_access(emu_warp *warp, const uop *u, memory_kind kind) {
    return race_access_by(warp, u, kind, warp->block->worker->race->unit_shift);
}

/* Fills in the event of a load whose cells need no comparison; false if they need one. */
static bool begin_reads(emu_warp *warp, race_event *out, uint32_t stride) {
    const emu_block *block = warp->block;
    const emu_race *race = block->worker->race;
    const uint32_t rank = (uint32_t)(block - block->worker->blocks);
    *out = (race_event){.shift = (uint8_t)race->unit_shift,
                        .warp = rank * block->warp_count + warp->index,
                        .lanes = SMP_ALL_LANES,
                        .stride = stride,
                        .rank = (uint16_t)rank,
                        .is_read = true};
    return race->blocks[rank].written <= race->warps[out->warp].seen;
}

bool emu_race_read(emu_warp *warp, const uop *u, uint32_t width, uint32_t first, uint32_t stride) {
    emu_race *race = warp->block->worker->race;
    race_event event;
    if (!begin_reads(warp, &event, stride) ||
        (race->has_polls && race->polls[race_instruction(race, u)]))
        return false;
    event.instruction = race_instruction(race, u);
    event.first = first;
    event.width = (uint8_t)width;
    race_begin_event(race, &event);
    return true;
}

bool emu_race_reads(emu_warp *warp, const uop *u, const uop *end, uint32_t first, uint32_t stride) {
    emu_race *race = warp->block->worker->race;
    const uop_memory *memory = race->worker->run->program->memory;
    const uint32_t count = (uint32_t)(end - u), place = race->event + 1 - race->first_event;
    race_event event;
    if (race->has_polls || race->is_over || place + count > race->event_room ||
        !begin_reads(warp, &event, stride))
        return false;
    event.instruction = race_instruction(race, u);
    for (race_event *at = &race->events[place]; u < end; u++, at++) {
        event.width = memory[u->memory].width_bytes;
        event.first = first + (uint32_t)u->series_distance;
        *at = event;
        event.instruction++;
    }
    race->event += count;
    race->warps[event.warp].touched = SMP_ALL_LANES;
    return true;
}

/* Applies the release and acquire of the access; true if it polls and needs no further check. */
static bool see_strong(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                       const uint32_t *offset, uint32_t rank) {
    const emu_race *race = warp->block->worker->race;
    const bool is_poll = race->has_polls && race->polls[race_instruction(race, u)] == POLL_VALUE,
               reads = is_poll || m->kind == MEMORY_ATOMIC || m->kind == MEMORY_LOAD;
    uint64_t address[SMP_LANES];
    if (!m->is_strong && m->kind != MEMORY_ATOMIC && !is_poll &&
        (m->kind != MEMORY_STORE || !race->has_polls))
        return false;
    for (unsigned l = 0; l < SMP_LANES; l++)
        address[l] = PLACE_SHARED + ((uint64_t)rank << SMP_BLOCK_SHIFT) + offset[l];
    emu_race_strong(warp, lanes, address,
                    (race_strong){.reads = reads,
                                  .writes = m->kind != MEMORY_LOAD,
                                  .adds = m->kind == MEMORY_ATOMIC,
                                  .is_far = m->is_strong && !m->is_narrow});
    return is_poll;
}

/* Handles a load that tests the phase of an mbarrier; true if it is one. */
static bool see_phase(race_access *x) {
    if (!x->race->has_polls || x->flight != 0 ||
        x->race->polls[race_instruction(x->race, x->u)] != POLL_PHASE)
        return false;
    x->kind = MEMORY_ATOMIC;
    run_access(x);
    race_mbarrier_read(x->race, x->warp, x->rank, x->lanes, x->offset);
    return true;
}

void emu_race_shared(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                     const uint32_t *offset) {
    race_access x = begin_access(warp, u, m->kind);
    x.width = m->width_bytes;
    x.lanes = lanes;
    x.offset = offset;
    x.rank = (uint32_t)(warp->block - warp->block->worker->blocks);
    x.shadow = &x.race->blocks[x.rank].shadow;
    if (see_phase(&x) || ((x.race->has_polls || m->kind == MEMORY_ATOMIC) &&
                          see_strong(warp, u, m, lanes, offset, x.rank)))
        return;
    run_access(&x);
}

/* Splits an access to the memory of several blocks into one for each block. */
static void run_by_block(race_access *x, const access_lanes *at, uint32_t lanes) {
    const uint32_t first = (uint32_t)(emu_cluster_of(x->warp->block) - at->worker->blocks);
    while (lanes != 0) {
        const uint64_t rank = at->address[__builtin_ctz(lanes)] >> SMP_BLOCK_SHIFT;
        const uint32_t here = LANES_ALIKE(l, lanes, at->address[l] >> SMP_BLOCK_SHIFT);
        uint32_t offset[SMP_LANES];
        EACH_LANE offset[l] = emu_shared_offset(at, at->address[l]);
        race_access part = *x;
        part.lanes = here;
        part.offset = offset;
        part.rank = first + (uint32_t)rank;
        part.shadow = &x->race->blocks[part.rank].shadow;
        lanes &= ~here;
        if (see_phase(&part))
            continue;
        if (x->flight == 0 && at->m->kind <= MEMORY_ATOMIC &&
            see_strong(x->warp, x->u, at->m, here, offset, part.rank))
            continue;
        run_access(&part);
    }
}

void emu_race_access(const access_lanes *at, uint32_t lanes, memory_kind kind) {
    race_access x = begin_access(at->warp, at->u, kind);
    x.is_strong = at->m->is_strong && kind != MEMORY_ATOMIC;
    x.width = at->width;
    run_by_block(&x, at, lanes);
}

/* ---- Asynchronous accesses ---- */

static void run_flight(const access_lanes *at, uint32_t lanes, uint32_t flight, int owner,
                       bool writes) {
    race_access x = begin_access(at->warp, at->u, writes ? MEMORY_STORE : MEMORY_LOAD);
    if (flight == 0)
        return;
    x.width = at->width;
    x.flight = flight;
    x.owner = owner;
    x.is_proxy = race_flight_of(x.race, flight)->kind != FLIGHT_COPY;
    run_by_block(&x, at, lanes);
}

/* Begins a flight of this instruction; 0 if out of memory. */
static uint32_t begin_flight(const access_lanes *at, race_flight_kind kind, uint32_t lanes,
                             uint32_t group) {
    const race_flight like = {.instruction = race_instruction(at->worker->race, at->u),
                              .warp = emu_warp_number(at->warp),
                              .kind = kind,
                              .lanes = lanes,
                              .group = group};
    return race_flight_begin(at->worker->race, &like);
}

static race_warp *warp_of(const access_lanes *at) {
    return &at->worker->race->warps[emu_warp_number(at->warp)];
}

void emu_race_copy(const access_lanes *at, uint32_t lanes) {
    const uint32_t *group = warp_of(at)->copies;
    while (lanes != 0) {
        const uint32_t here = LANES_ALIKE(l, lanes, group[l]);
        run_flight(at, here, begin_flight(at, FLIGHT_COPY, here, group[__builtin_ctz(lanes)]), -1,
                   true);
        lanes &= ~here;
    }
}

uint32_t emu_race_begin_bulk(const access_lanes *at, unsigned lane, bool writes) {
    return begin_flight(at, writes ? FLIGHT_LOAD : FLIGHT_STORE, 1u << lane,
                        warp_of(at)->stores[lane]);
}

uint32_t emu_race_begin_write(const access_lanes *at, unsigned lane) {
    return begin_flight(at, FLIGHT_WRITE, 1u << lane, warp_of(at)->stores[lane]);
}

void emu_race_bulk(const access_lanes *at, uint32_t chunks, uint32_t flight, bool writes) {
    const race_flight *of = race_flight_of(at->worker->race, flight);
    if (flight != 0 && of)
        run_flight(at, chunks, flight, __builtin_ctz(of->lanes), writes);
}

uint32_t emu_race_begin_matrix(const access_lanes *at) {
    race_warp *own = warp_of(at);
    const uint32_t flight = begin_flight(at, FLIGHT_MATRIX, SMP_ALL_LANES, own->matrices);
    own->matrices += (at->m->flags & MATRIX_COMMITS) != 0;
    return flight;
}

void emu_race_matrix(const access_lanes *at, uint32_t flight, uint32_t offset, uint32_t bytes) {
    race_access x = begin_access(at->warp, at->u, MEMORY_LOAD);
    if (flight == 0)
        return;
    x.width = bytes;
    x.flight = flight;
    x.owner = 0;
    x.is_proxy = true;
    x.lanes = 1;
    x.offset = &offset;
    x.rank = (uint32_t)(at->warp->block - at->worker->blocks);
    x.shadow = &x.race->blocks[x.rank].shadow;
    run_access(&x);
}
