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
#include "race.h"
#include "race_state.h"
#include "zeroed.h"

typedef struct race_access {
    emu_race *race;
    emu_warp *warp;
    const uop *u;
    const uop_memory *m;
    uint32_t number; /* of the warp in the cluster */
    uint32_t event, lanes, units;
    const uint32_t *offset;
    uint32_t rank; /* of the block whose memory it is */
    race_shadow *shadow;
    uint32_t *own; /* the warp's cells of the set that it enters; of a store NULL */
    uint32_t *last;
    uint32_t limit; /* cells up to this one are seen by all lanes */
    bool is_several;
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
    static const uint8_t set_of[] = {[MEMORY_LOAD] = SET_READS, [MEMORY_ATOMIC] = SET_ATOMICS};
    const memory_kind kind = x->m->kind;
    if (cells_of(x->race, &x->shadow->writes) == NULL)
        return false;
    if (kind != MEMORY_LOAD && kind != MEMORY_ATOMIC)
        return true;
    x->own = enter_set(x, &x->shadow->sets[set_of[kind]]);
    return x->own != NULL;
}

/* A new event; false: no more can be kept, or out of memory. */
static bool begin_event(race_access *x) {
    emu_race *race = x->race;
    const uint32_t index = race->event + 1 - race->first_event;
    if (race->is_over || race->event + 1 >= RACE_EVENTS_MOST) {
        race->is_over = true;
        return false;
    }
    if (!LIST_ROOM(race->events, index)) {
        race_fail(race);
        return false;
    }
    x->event = ++race->event;
    race->events[index] =
        (race_event){.instruction = (uint32_t)(x->u - race->worker->run->program->uops),
                     .warp = x->number,
                     .lanes = x->lanes,
                     .group = x->warp->groups[x->warp->current].mask,
                     .width = x->m->width_bytes};
    return true;
}

/* Lanes share a place: which lane was where is kept. */
static void keep_offsets(race_access *x) {
    emu_race *race = x->race;
    uint32_t differs = 0;
    EACH_LANE_OF(l, x->lanes)
        differs |= x->offset[l] ^ x->offset[__builtin_ctz(x->lanes)];
    if (differs == 0)
        return;
    if (!LIST_ROOM(race->offsets, race->offset_count)) {
        race_fail(race);
        return;
    }
    memcpy(race->offsets[race->offset_count], x->offset, sizeof(*race->offsets));
    race_event_of(race, x->event)->offsets = ++race->offset_count;
}

/* ---- Two accesses ---- */

/* Words that the lane stores are those that are there. */
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
        const uint8_t other =
            is_own_event ? (uint8_t)(a[j / 4 * ROW + other_lane] >> j % 4 * 8) : bytes[at + i];
        if (mine != other)
            return false;
    }
    return true;
}

static void tell(const race_access *x, race_order order, unsigned lane, uint32_t unit,
                 const race_event *before, unsigned other, bool is_own_event) {
    race_pair pair = {
        .order = order,
        .now = {(uint32_t)(x->u - x->race->worker->run->program->uops), x->number, lane},
        .before = {before->instruction, before->warp, other},
        .address = unit << x->race->unit_shift,
        .rank = x->rank};
    const emu_program *program = x->race->worker->run->program;
    const memory_kind kind = program->memory[program->uops[before->instruction].memory].kind;
    pair.is_atomic = x->m->kind == MEMORY_ATOMIC || kind == MEMORY_ATOMIC;
    pair.is_same_value = order == RACE_WAW && x->m->kind == MEMORY_STORE && !pair.is_atomic &&
                         stores_same(x, lane, unit, other, is_own_event);
    race_report(x->race, &pair);
}

/* Lane `other` of the event was at the unit. */
static bool was_there(const emu_race *race, const race_event *event, unsigned other,
                      uint32_t unit) {
    if ((event->lanes >> other & 1) == 0)
        return false;
    if (event->offsets == 0)
        return true;
    const uint32_t first = race->offsets[event->offsets - 1][other] >> race->unit_shift;
    const uint32_t count = event->width >> race->unit_shift;
    return unit - first < count;
}

/* The cell of another access at this unit: is it before this one? */
static void look(const race_access *x, uint32_t cell, race_order order, unsigned lane,
                 uint32_t unit) {
    const uint32_t number = cell >> CELL_EVENT;
    const race_view *view = x->race->warps[x->number].view[lane];
    if (number <= view->base)
        return;
    const race_event *event = race_event_of(x->race, number);
    const bool is_several = (cell & CELL_SEVERAL) != 0;
    for (unsigned other = cell & CELL_LANE; other < SMP_LANES; other++) {
        const bool is_self = event->warp == x->number && other == lane;
        if (!is_self && (!is_several || was_there(x->race, event, other, unit)) &&
            race_view_of(view, event->warp, other) < number) {
            tell(x, order, lane, unit, event, other, number == x->event);
            return;
        }
        if (!is_several)
            return;
    }
}

static void look_at_set(const race_access *x, const race_set *set, unsigned lane, uint32_t unit) {
    if (set->last == NULL || set->last[unit] <= x->limit >> CELL_EVENT)
        return;
    for (uint32_t w = 0; w < x->race->warp_count; w++)
        if (set->by_warp[w] != NULL)
            look(x, set->by_warp[w][unit],
                 set == &x->shadow->sets[SET_READS] ? RACE_WAR
                 : x->m->kind == MEMORY_LOAD        ? RACE_RAW
                                                    : RACE_WAW,
                 lane, unit);
}

static void look_at_unit(const race_access *x, unsigned lane, uint32_t unit) {
    const race_set *sets = x->shadow->sets;
    const uint32_t cell = x->shadow->writes[unit];
    if (cell > x->limit)
        look(x, cell, x->m->kind == MEMORY_LOAD ? RACE_RAW : RACE_WAW, lane, unit);
    if (x->m->kind != MEMORY_LOAD)
        look_at_set(x, &sets[SET_READS], lane, unit);
    if (x->m->kind != MEMORY_ATOMIC)
        look_at_set(x, &sets[SET_ATOMICS], lane, unit);
}

static void mark(race_access *x, unsigned lane, uint32_t unit) {
    uint32_t *cell = x->own != NULL ? &x->own[unit] : &x->shadow->writes[unit];
    if (x->own != NULL && *cell >> CELL_EVENT == x->event) {
        *cell |= CELL_SEVERAL;
        x->is_several = true;
        return;
    }
    *cell = x->event << CELL_EVENT | lane;
    if (x->own != NULL)
        x->last[unit] = x->event;
}

static void each_lane(race_access *x) {
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->race->unit_shift;
        /* What is reserved for the system is before the first. */
        for (uint32_t i = 0; unit < x->race->units && i < x->units; i++) {
            look_at_unit(x, l, unit + i);
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

/* All of a row is seen by all lanes. */
static bool is_row_seen(const race_access *x, uint32_t first, uint32_t count) {
    const race_set *reads = &x->shadow->sets[SET_READS], *atomics = &x->shadow->sets[SET_ATOMICS];
    const uint32_t event = x->limit >> CELL_EVENT;
    const memory_kind kind = x->m->kind;
    return is_below(x->shadow->writes + first, count, x->limit) &&
           (kind == MEMORY_LOAD || reads->last == NULL ||
            is_below(reads->last + first, count, event)) &&
           (kind == MEMORY_ATOMIC || atomics->last == NULL ||
            is_below(atomics->last + first, count, event));
}

LANES_CLONED static void mark_row(const race_access *x, uint32_t first) {
    uint32_t *cells = (x->own != NULL ? x->own : x->shadow->writes) + first;
    const uint32_t cell = x->event << CELL_EVENT, shift = (uint32_t)__builtin_ctz(x->units);
    const uint32_t count = x->units * ROW;
    if (shift == 0)
        EACH_LANE cells[l] = cell | l;
    else
        for (uint32_t i = 0; i < count; i++)
            cells[i] = cell | i >> shift;
    for (uint32_t i = 0; x->own != NULL && i < count; i++)
        x->last[first + i] = x->event;
}

static void run_access(race_access *x) {
    const uint32_t first = x->offset[0] >> x->race->unit_shift;
    x->units = (x->m->width_bytes + (1u << x->race->unit_shift) - 1) >> x->race->unit_shift;
    x->limit = x->race->warps[x->number].seen << CELL_EVENT | (CELL_SEVERAL | CELL_LANE);
    if (!open_shadow(x) || !begin_event(x))
        return;
    if (x->lanes == SMP_ALL_LANES && is_row(x->offset, x->m->width_bytes) &&
        first + x->units * ROW <= x->race->units && is_row_seen(x, first, x->units * ROW))
        mark_row(x, first);
    else
        each_lane(x);
    if (x->is_several)
        keep_offsets(x);
}

void emu_race_shared(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                     const uint32_t *offset) {
    emu_block *block = warp->block;
    emu_race *race = block->worker->race;
    race_access x = {.race = race,
                     .warp = warp,
                     .u = u,
                     .m = m,
                     .number = race_warp_number(warp),
                     .lanes = lanes,
                     .offset = offset,
                     .rank = (uint32_t)(block - block->worker->blocks)};
    x.shadow = &race->blocks[x.rank].shadow;
    run_access(&x);
}

/* Block by block. */
void emu_race_cluster(emu_warp *warp, const uop *u, const uop_memory *m, uint32_t lanes,
                      const uint64_t *address) {
    emu_worker *worker = warp->block->worker;
    const emu_program *program = worker->run->program;
    const uint32_t reserved = program->function->shared_reserved_bytes;
    const uint32_t first_block = (uint32_t)(emu_cluster_of(warp->block) - worker->blocks);
    while (lanes != 0) {
        const uint64_t rank = address[__builtin_ctz(lanes)] >> SMP_BLOCK_SHIFT;
        uint32_t offset[SMP_LANES], here = 0;
        for (unsigned l = 0; l < SMP_LANES; l++) {
            offset[l] = ((uint32_t)address[l] & ((1u << SMP_BLOCK_SHIFT) - 1)) - reserved;
            here |= (uint32_t)(lanes >> l & 1 && address[l] >> SMP_BLOCK_SHIFT == rank) << l;
        }
        race_access x = {.race = worker->race,
                         .warp = warp,
                         .u = u,
                         .m = m,
                         .number = race_warp_number(warp),
                         .lanes = here,
                         .offset = offset,
                         .rank = first_block + (uint32_t)rank};
        x.shadow = &worker->race->blocks[x.rank].shadow;
        run_access(&x);
        lanes &= ~here;
    }
}
