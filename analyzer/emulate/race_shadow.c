/* SPDX-License-Identifier: MIT */
/*
 * The shadow of shared memory: who wrote each unit last, and who read it or changed it atomically
 * since. Most accesses meet only what all threads have seen: then a row of cells is compared with
 * one number. The rest is looked at cell by cell.
 */
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "list.h"
#include "memory.h"
#include "race.h"
#include "race_state.h"
#include "zeroed.h"

typedef struct race_access {
    emu_race *race;
    emu_warp *warp;
    const uop *u;
    memory_kind kind; /* what it is like: MEMORY_LOAD, _STORE or _ATOMIC */
    uint32_t width;
    uint32_t number; /* of the warp in the cluster */
    uint32_t event, lanes, units;
    const uint32_t *offset; /* as programs see it */
    uint32_t rank;          /* of the block whose memory it is */
    race_shadow *shadow;
    uint32_t *own;   /* the warp's cells of the set that it enters; of a store NULL */
    uint32_t *last;  /* of that set */
    uint32_t limit;  /* cells up to this one are seen by all lanes */
    uint32_t flight; /* its number; 0: it is over with its instruction */
    int owner;       /* the lane whose all of it is; -1: each its own */
    bool is_proxy;   /* the async proxy's */
} race_access;

/* ---- Room ---- */

static uint32_t *cells_of(emu_race *race, uint32_t **cells) {
    if (*cells == NULL && (*cells = zeroed_alloc(race->units * sizeof(**cells))) == NULL)
        race_fail(race);
    return *cells;
}

static uint32_t *enter_set(race_access *x, race_set *set) {
    emu_race *race = x->race;
    if (set->by_warp == NULL)
        set->by_warp = calloc(race->warp_count, sizeof(*set->by_warp));
    x->last = set->by_warp != NULL ? cells_of(race, &set->last) : NULL;
    if (x->last == NULL) {
        race_fail(race);
        return NULL;
    }
    return cells_of(race, &set->by_warp[x->number]);
}

/* Where the access leaves its marks; false: out of memory. */
static bool open_shadow(race_access *x) {
    if (cells_of(x->race, &x->shadow->writes) == NULL)
        return false;
    if (x->kind != MEMORY_ATOMIC && x->flight == 0)
        return true;
    if (x->kind != MEMORY_STORE)
        x->own =
            enter_set(x, &x->shadow->sets[x->kind == MEMORY_ATOMIC ? SET_ATOMICS : SET_FLIGHTS]);
    return x->kind == MEMORY_STORE || x->own != NULL;
}

/* Its offsets are kept where they are not even. */
static bool keep_offsets(race_access *x, race_event *event) {
    emu_race *race = x->race;
    const unsigned first = (unsigned)__builtin_ctz(x->lanes);
    const uint32_t stride = x->lanes == SMP_ALL_LANES ? x->offset[1] - x->offset[0] : 0;
    uint32_t differs = 0;
    EACH_LANE_OF(l, x->lanes)
        differs |= x->offset[l] ^ (x->offset[first] + (l - first) * stride);
    event->first = x->offset[first] - first * stride;
    event->stride = stride;
    if (differs == 0)
        return true;
    if (!LIST_ROOM(race->offsets, race->offset_count)) {
        race_fail(race);
        return false;
    }
    EACH_LANE_OF(l, x->lanes)
        race->offsets[race->offset_count][l] = x->offset[l];
    event->offsets = ++race->offset_count;
    return true;
}

static bool begin_event(race_access *x) {
    race_event event = {.instruction = race_instruction(x->race, x->u),
                        .warp = x->number,
                        .lanes = x->lanes,
                        .rank = (uint16_t)x->rank,
                        .width = (uint8_t)x->width,
                        .is_read = x->kind == MEMORY_LOAD};
    if (!keep_offsets(x, &event))
        return false;
    x->event = race_begin_event(x->race, &event);
    return x->event != 0;
}

/* ---- Two accesses ---- */

/* What the lane stores there is what is there, or what another lane of the request stores. */
static bool stores_same(const race_access *x, unsigned lane, uint32_t unit, unsigned other_lane,
                        bool is_own_event) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    const uint8_t *bytes = (x->warp->block->worker->blocks + x->rank)->shared +
                           x->race->worker->run->program->function->shared_reserved_bytes;
    const uint32_t bytes_of_unit = 1u << x->race->unit_shift, at = unit << x->race->unit_shift;
    for (uint32_t i = 0; i < bytes_of_unit; i++) {
        const uint32_t k = at + i - x->offset[lane];
        const uint8_t mine = (uint8_t)(a[k / 4 * ROW + lane] >> k % 4 * 8);
        const uint32_t j = at + i - x->offset[other_lane];
        uint8_t other = bytes[at + i];
        if (is_own_event)
            other = (uint8_t)(a[j / 4 * ROW + other_lane] >> j % 4 * 8);
        if (mine != other)
            return false;
    }
    return true;
}

static memory_kind kind_at(const race_access *x, uint32_t instruction) {
    const emu_program *program = x->race->worker->run->program;
    return program->memory[program->uops[instruction].memory].kind;
}

/* One cell, met by a lane at a unit. */
typedef struct meeting {
    const race_access *x;
    uint32_t cell, unit;
    unsigned lane; /* whose offset; its thread is x->owner's, where there is one */
    race_order order;
} meeting;

static void tell(const meeting *m, unsigned thread, race_side before, race_gap gap,
                 const race_flight *flight, bool is_own_event) {
    const race_access *x = m->x;
    race_pair pair = {.order = m->order,
                      .gap = gap,
                      .now = {race_instruction(x->race, x->u), x->number, thread},
                      .before = before,
                      .flight = flight,
                      .own = x->flight != 0 ? race_flight_of(x->race, x->flight) : NULL,
                      .is_unwritten = x->shadow->writes[m->unit] >> CELL_EVENT <= x->race->begin,
                      .address = m->unit << x->race->unit_shift,
                      .rank = x->rank};
    pair.is_atomic = x->kind == MEMORY_ATOMIC || kind_at(x, before.instruction) == MEMORY_ATOMIC;
    pair.is_same_value = m->order == RACE_WAW && flight == NULL && !pair.is_atomic &&
                         kind_at(x, pair.now.instruction) == MEMORY_STORE &&
                         stores_same(x, m->lane, m->unit, before.lane, is_own_event);
    race_report(x->race, &pair);
}

static void look_at_flight(const meeting *m, unsigned thread, const race_knowledge *knows) {
    const race_access *x = m->x;
    const race_flight *flight = race_flight_of(x->race, (m->cell & ~CELL_FLIGHT) >> CELL_EVENT);
    const uint32_t owner = m->cell & CELL_LANE;
    if (flight == NULL)
        return;
    const race_side before = {flight->instruction, flight->warp, owner};
    if (!race_flight_is_over(flight, knows->of[KNOWS_ALL], x->number, thread, owner))
        tell(m, thread, before, flight->pending >> owner & 1 ? GAP_WAIT : GAP_ORDER, flight, false);
    else if (x->is_proxy && m->order == RACE_RAW && flight->kind == FLIGHT_COPY &&
             !race_flight_is_over(flight, knows->of[KNOWS_FENCED], UINT32_MAX, 0, owner))
        tell(m, thread, before, GAP_PROXY, flight, false);
}

/* Lane `other` of the event was at the unit. */
static bool was_there(const emu_race *race, const race_event *event, unsigned other,
                      uint32_t unit) {
    const uint32_t first = race_offset_of(race, event, other) >> race->unit_shift;
    return event->lanes >> other & 1 && unit - first < (uint32_t)event->width >> race->unit_shift;
}

/* Is it before this one? */
static void look(const race_access *x, uint32_t cell, race_order order, unsigned lane,
                 uint32_t unit) {
    const meeting m = {x, cell, unit, lane, order};
    const unsigned thread = x->owner >= 0 ? (unsigned)x->owner : lane;
    const race_knowledge *knows = &x->race->warps[x->number].lanes[thread];
    const bool is_proxy = x->is_proxy && order == RACE_RAW;
    if (cell & CELL_FLIGHT) {
        look_at_flight(&m, thread, knows);
        return;
    }
    const uint32_t number = cell >> CELL_EVENT;
    if (number < x->race->first_event || (!is_proxy && number <= knows->of[KNOWS_ALL]->base))
        return;
    const race_event *event = race_event_of(x->race, number);
    const bool is_several = (cell & CELL_SEVERAL) != 0;
    for (unsigned other = cell & CELL_LANE; other < SMP_LANES; other++) {
        const race_side before = {event->instruction, event->warp, other};
        const bool is_self = event->warp == x->number && other == thread;
        const bool is_there = !is_several || was_there(x->race, event, other, unit);
        const bool is_seen =
            is_self || race_view_of(knows->of[KNOWS_ALL], event->warp, other) >= number;
        const bool is_fenced =
            !is_proxy || race_view_of(knows->of[KNOWS_FENCED], event->warp, other) >= number;
        if (is_there && (!is_seen || !is_fenced)) {
            tell(&m, thread, before, is_seen ? GAP_PROXY : GAP_ORDER, NULL, number == x->event);
            return;
        }
        if (!is_several)
            return;
    }
}

static void look_at_set(const race_access *x, unsigned which, unsigned lane, uint32_t unit) {
    const race_set *set = &x->shadow->sets[which];
    const race_order order = which != SET_ATOMICS     ? RACE_WAR
                             : x->kind == MEMORY_LOAD ? RACE_RAW
                                                      : RACE_WAW;
    if (set->last == NULL || set->last[unit] <= x->limit >> CELL_EVENT)
        return;
    for (uint32_t w = 0; w < x->race->warp_count; w++)
        if (set->by_warp[w] != NULL && set->by_warp[w][unit] > x->limit)
            look(x, set->by_warp[w][unit], order, lane, unit);
}

static void look_at_unit(const race_access *x, unsigned lane, uint32_t unit) {
    const uint32_t cell = x->shadow->writes[unit];
    if (cell > x->limit)
        look(x, cell, x->kind == MEMORY_LOAD ? RACE_RAW : RACE_WAW, lane, unit);
    if (x->kind != MEMORY_LOAD) {
        look_at_set(x, SET_READS, lane, unit);
        look_at_set(x, SET_FLIGHTS, lane, unit);
    }
    if (x->kind != MEMORY_ATOMIC)
        look_at_set(x, SET_ATOMICS, lane, unit);
}

/* Its cells, but for the lane. */
static uint32_t cell_of(const race_access *x) {
    return x->flight != 0 ? CELL_FLIGHT | x->flight << CELL_EVENT : x->event << CELL_EVENT;
}

static void mark(const race_access *x, unsigned lane, uint32_t unit) {
    uint32_t *cell = x->own != NULL ? &x->own[unit] : &x->shadow->writes[unit];
    if (x->own != NULL && x->flight == 0 && *cell >> CELL_EVENT == x->event) {
        *cell |= CELL_SEVERAL;
        return;
    }
    *cell = cell_of(x) | (x->owner >= 0 ? (unsigned)x->owner : lane);
    if (x->own != NULL)
        x->last[unit] = x->flight != 0 ? UINT32_MAX : x->event;
}

/* Plain reads are marked later, if at all. */
static void each_lane(const race_access *x) {
    const bool marks = x->kind != MEMORY_LOAD || x->flight != 0;
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->race->unit_shift;
        /* What is reserved for the system is before the first. */
        for (uint32_t i = 0; unit < x->race->units && i < x->units; i++) {
            look_at_unit(x, l, unit + i);
            if (marks)
                mark(x, l, unit + i);
        }
    }
}

/* ---- Rows ---- */

/* All lanes, one after the other. */
LANES_CLONED static bool is_row(const uint32_t *offset, uint32_t width) {
    uint32_t differs = 0;
    for (unsigned l = 0; l < ROW; l++)
        differs |= offset[l] ^ (offset[0] + l * width);
    return differs == 0;
}

LANES_CLONED static bool is_below(const uint32_t *cells, uint32_t count, uint32_t limit) {
    uint32_t above = 0;
    for (uint32_t i = 0; i < count; i++)
        above |= cells[i] > limit ? 1 : 0;
    return above == 0;
}

static bool is_set_seen(const race_access *x, unsigned which, uint32_t first, uint32_t count) {
    const race_set *set = &x->shadow->sets[which];
    return set->last == NULL || is_below(set->last + first, count, x->limit >> CELL_EVENT);
}

/* All of a row is seen by all lanes. */
static bool is_row_seen(const race_access *x, uint32_t first, uint32_t count) {
    return is_below(x->shadow->writes + first, count, x->limit) &&
           (x->kind == MEMORY_LOAD || (is_set_seen(x, SET_READS, first, count) &&
                                       is_set_seen(x, SET_FLIGHTS, first, count))) &&
           (x->kind == MEMORY_ATOMIC || is_set_seen(x, SET_ATOMICS, first, count));
}

LANES_CLONED static void mark_row(const race_access *x, uint32_t first) {
    uint32_t *cells = (x->own != NULL ? x->own : x->shadow->writes) + first;
    const uint32_t cell = cell_of(x), shift = (uint32_t)__builtin_ctz(x->units);
    const uint32_t count = x->units * ROW;
    if (shift == 0)
        EACH_LANE cells[l] = cell | l;
    else
        for (uint32_t i = 0; i < count; i++)
            cells[i] = cell | i >> shift;
    for (uint32_t i = 0; x->own != NULL && i < count; i++)
        x->last[first + i] = x->event;
}

/* ---- Reads ---- */

/* A read's marks are only for what is written behind it without a barrier of all between: it gets
 * them when something is written. */
static bool mark_read(race_access *x, const race_event *event) {
    uint32_t offset[SMP_LANES];
    x->shadow = &x->race->blocks[event->rank].shadow;
    x->number = event->warp;
    x->units = ((uint32_t)event->width + (1u << x->race->unit_shift) - 1) >> x->race->unit_shift;
    x->own = enter_set(x, &x->shadow->sets[SET_READS]);
    if (x->own == NULL)
        return false;
    const uint32_t first = event->first >> x->race->unit_shift;
    if (event->lanes == SMP_ALL_LANES && event->offsets == 0 && event->stride == event->width &&
        first + x->units * ROW <= x->race->units) {
        mark_row(x, first);
        return true;
    }
    for (uint32_t rest = event->lanes; rest != 0; rest &= rest - 1) {
        const unsigned l = (unsigned)__builtin_ctz(rest);
        offset[l] = race_offset_of(x->race, event, l) >> x->race->unit_shift;
        for (uint32_t i = 0; offset[l] < x->race->units && i < x->units; i++)
            mark(x, l, offset[l] + i);
    }
    return true;
}

static void settle_reads(emu_race *race, uint32_t end) {
    bool is_fine = true;
    for (; race->settled < end && is_fine; race->settled++) {
        const race_event *event = race_event_of(race, race->settled + 1);
        race_access x = {
            .race = race, .kind = MEMORY_LOAD, .event = race->settled + 1, .owner = -1};
        if (event->is_read)
            is_fine = mark_read(&x, event);
    }
}

static bool is_unwritten_since(const race_access *x) {
    return x->race->blocks[x->rank].written <= x->limit >> CELL_EVENT;
}

static void run_access(race_access *x) {
    const uint32_t first = x->offset[0] >> x->race->unit_shift;
    const bool is_read = x->kind == MEMORY_LOAD && x->flight == 0;
    x->units = (x->width + (1u << x->race->unit_shift) - 1) >> x->race->unit_shift;
    x->limit = x->race->warps[x->number].seen << CELL_EVENT | (CELL_SEVERAL | CELL_LANE);
    if (x->is_proxy)
        x->limit = 0;
    if (x->race->is_over || (x->flight == 0 && !begin_event(x)))
        return;
    if (x->event != 0 && x->warp->block != &x->race->worker->blocks[x->rank])
        race_visit(x->race, x->rank, x->event);
    if (is_read && is_unwritten_since(x))
        return;
    if (!open_shadow(x))
        return;
    if (x->kind != MEMORY_LOAD)
        settle_reads(x->race, x->flight != 0 ? x->race->event : x->event - 1);
    if (x->lanes == SMP_ALL_LANES && x->owner < 0 && (x->own == NULL || x->flight == 0) &&
        is_row(x->offset, x->width) && first + x->units * ROW <= x->race->units &&
        is_row_seen(x, first, x->units * ROW)) {
        if (!is_read)
            mark_row(x, first);
    } else {
        each_lane(x);
    }
    if (!is_read)
        x->race->blocks[x->rank].written = x->flight != 0 ? UINT32_MAX : x->event;
}

static race_access begin_access(emu_warp *warp, const uop *u, memory_kind kind) {
    return (race_access){.race = warp->block->worker->race,
                         .warp = warp,
                         .u = u,
                         .kind = kind,
                         .number = race_warp_number(warp),
                         .owner = -1};
}

bool emu_race_read(emu_warp *warp, const uop *u, uint32_t width, uint32_t first, uint32_t stride) {
    const emu_block *block = warp->block;
    emu_race *race = block->worker->race;
    const uint32_t number = race_warp_number(warp);
    const uint32_t rank = (uint32_t)(block - block->worker->blocks);
    if (race->blocks[rank].written > race->warps[number].seen)
        return false;
    const race_event event = {.instruction = race_instruction(race, u),
                              .warp = number,
                              .lanes = SMP_ALL_LANES,
                              .first = first,
                              .stride = stride,
                              .rank = (uint16_t)rank,
                              .width = (uint8_t)width,
                              .is_read = true};
    race_begin_event(race, &event);
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
    run_access(&x);
}

/* Block by block. */
static void run_by_block(race_access *x, const access_lanes *at, uint32_t lanes) {
    const uint32_t first = (uint32_t)(emu_cluster_of(x->warp->block) - at->worker->blocks);
    while (lanes != 0) {
        const uint64_t rank = at->address[__builtin_ctz(lanes)] >> SMP_BLOCK_SHIFT;
        uint32_t offset[SMP_LANES], here = 0;
        for (unsigned l = 0; l < SMP_LANES; l++) {
            offset[l] = ((uint32_t)at->address[l] & ((1u << SMP_BLOCK_SHIFT) - 1)) - at->reserved;
            here |= (uint32_t)(lanes >> l & 1 && at->address[l] >> SMP_BLOCK_SHIFT == rank) << l;
        }
        race_access part = *x;
        part.lanes = here;
        part.offset = offset;
        part.rank = first + (uint32_t)rank;
        part.shadow = &x->race->blocks[part.rank].shadow;
        run_access(&part);
        lanes &= ~here;
    }
}

void emu_race_access(const access_lanes *at, uint32_t lanes, memory_kind kind) {
    race_access x = begin_access(at->warp, at->u, kind);
    x.width = at->width;
    run_by_block(&x, at, lanes);
}

/* ---- What goes on behind its instruction ---- */

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

void emu_race_copy(const access_lanes *at, uint32_t lanes) {
    emu_race *race = at->worker->race;
    const uint32_t number = race_warp_number(at->warp);
    const uint32_t *group = race->warps[number].copies;
    while (lanes != 0) {
        const unsigned first = (unsigned)__builtin_ctz(lanes);
        uint32_t here = 0;
        EACH_LANE_OF(l, lanes)
            here |= (uint32_t)(group[l] == group[first]) << l;
        const race_flight like = {.instruction = race_instruction(race, at->u),
                                  .warp = number,
                                  .kind = FLIGHT_COPY,
                                  .lanes = here,
                                  .group = group[first]};
        run_flight(at, here, race_flight_begin(race, &like), -1, true);
        lanes &= ~here;
    }
}

uint32_t emu_race_begin_bulk(const access_lanes *at, unsigned lane, bool writes) {
    emu_race *race = at->worker->race;
    const uint32_t number = race_warp_number(at->warp);
    const race_flight like = {.instruction = race_instruction(race, at->u),
                              .warp = number,
                              .kind = writes ? FLIGHT_LOAD : FLIGHT_STORE,
                              .lanes = 1u << lane,
                              .group = race->warps[number].stores[lane]};
    return race_flight_begin(race, &like);
}

void emu_race_bulk(const access_lanes *at, uint32_t chunks, uint32_t flight, bool writes) {
    const race_flight *of = race_flight_of(at->worker->race, flight);
    if (flight != 0 && of != NULL)
        run_flight(at, chunks, flight, __builtin_ctz(of->lanes), writes);
}

uint32_t emu_race_begin_matrix(const access_lanes *at) {
    emu_race *race = at->worker->race;
    const uint32_t number = race_warp_number(at->warp);
    race_warp *own = &race->warps[number];
    const race_flight like = {.instruction = race_instruction(race, at->u),
                              .warp = number,
                              .kind = FLIGHT_MATRIX,
                              .lanes = SMP_ALL_LANES,
                              .group = own->matrices};
    own->matrices += (at->m->flags & WARPGROUP_COMMITS) != 0;
    return race_flight_begin(race, &like);
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
