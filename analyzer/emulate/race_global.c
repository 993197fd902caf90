/* SPDX-License-Identifier: MIT */
/*
 * Global memory between threads that run together: of a block, a cluster, or a cooperative launch.
 * (What other blocks do is compared in block_order.c.) Of each unit the last write, the last read
 * since, and the last atomic access are kept; what an array was read before its first write is not.
 */
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "lanes.h"
#include "list.h"
#include "race.h"
#include "race_access.h"
#include "race_row.h"
#include "zeroed.h"

typedef struct race_global {
    uint32_t *writes, *reads, *atomics; /* cells; NULL: nothing yet */
} race_global;

void race_global_clear(emu_race *race) {
    const uint32_t count = race->worker->run->memory->count;
    for (uint32_t i = 0; race->globals != NULL && i < count; i++) {
        free(race->globals[i].writes);
        free(race->globals[i].reads);
        free(race->globals[i].atomics);
    }
    free(race->globals);
    race->globals = NULL;
}

/* ---- Accesses ---- */

static uint32_t *cells_of(const race_access *x, uint32_t **cells) {
    if (*cells == NULL)
        *cells = zeroed_alloc(((x->array->size_bytes >> x->shift) + 16) * sizeof(**cells));
    if (*cells == NULL)
        race_fail(x->race);
    return *cells;
}

static void look_at_unit(const race_access *x, const race_global *at, unsigned lane,
                         uint32_t unit) {
    const bool is_read = x->kind == MEMORY_LOAD;
    if (at->writes != NULL && at->writes[unit] > x->limit)
        race_look(x, at->writes[unit], is_read ? RACE_RAW : RACE_WAW, lane, unit);
    if (at->atomics != NULL && x->kind != MEMORY_ATOMIC && at->atomics[unit] > x->limit)
        race_look(x, at->atomics[unit], is_read ? RACE_RAW : RACE_WAW, lane, unit);
    if (at->reads != NULL && !is_read && at->reads[unit] > x->limit)
        race_look(x, at->reads[unit], RACE_WAR, lane, unit);
}

static void each_lane(const race_access *x, const race_global *at, uint32_t *cells) {
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t unit = x->offset[l] >> x->shift;
        for (uint32_t i = unit; i < unit + x->units; i++) {
            look_at_unit(x, at, l, i);
            cells[i] = x->kind != MEMORY_STORE && cells[i] >> CELL_EVENT == x->event
                           ? cells[i] | CELL_SEVERAL
                           : x->event << CELL_EVENT | l;
        }
    }
}

static const uint32_t *from(const uint32_t *cells, uint32_t first) {
    return cells != NULL ? cells + first : NULL;
}

static bool is_row_seen(const race_access *x, const race_global *at, uint32_t first) {
    const uint32_t count = ROW * x->units;
    return race_is_below(from(at->writes, first), count, x->limit) &&
           race_is_below(from(at->atomics, first), count, x->limit) &&
           (x->kind == MEMORY_LOAD || race_is_below(from(at->reads, first), count, x->limit));
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
    x->units = x->width >> x->shift;
    x->limit = x->race->warps[x->number].seen << CELL_EVENT | (CELL_SEVERAL | CELL_LANE);
    x->writes = cells_of(x, &at->writes);
    if (cells == NULL || x->writes == NULL || x->race->is_over || !race_begin_access(x))
        return;
    if (x->lanes == SMP_ALL_LANES && race_is_row(x->offset, x->width) &&
        is_row_seen(x, at, x->offset[0] >> x->shift))
        mark_row(x, cells + (x->offset[0] >> x->shift));
    else
        each_lane(x, at, cells);
}

void emu_race_global(emu_warp *warp, const uop *u, const uop_memory *m, const smp_emu_array *array,
                     int64_t base, const uint32_t *offset, uint32_t lanes) {
    emu_worker *worker = warp->block->worker;
    emu_race *race = worker->race;
    const smp_emu_memory *memory = worker->run->memory;
    uint32_t moved[SMP_LANES];
    if (array->address == EMU_HEAP || array->size_bytes > UINT32_MAX)
        return;
    if (race->globals == NULL)
        race->globals = calloc(memory->count + 1, sizeof(*race->globals));
    if (race->globals == NULL) {
        race_fail(race);
        return;
    }
    race_global *at = &race->globals[array - memory->arrays];
    if (m->is_strong || m->kind == MEMORY_ATOMIC) {
        uint64_t address[SMP_LANES];
        for (unsigned l = 0; l < SMP_LANES; l++)
            address[l] = array->address + (uint64_t)(base + (int32_t)offset[l]);
        emu_race_strong(warp, lanes, address,
                        (race_strong){.reads = m->kind == MEMORY_LOAD || m->returns,
                                      .writes = m->kind != MEMORY_LOAD,
                                      .is_far = !m->is_narrow});
    }
    if (m->kind == MEMORY_LOAD && at->writes == NULL)
        return;
    for (unsigned l = 0; l < SMP_LANES; l++)
        moved[l] = (uint32_t)(base + (int32_t)offset[l]);
    race_access x = {.race = race,
                     .warp = warp,
                     .u = u,
                     .kind = m->is_strong ? MEMORY_ATOMIC : m->kind,
                     .width = m->width_bytes,
                     .number = race_warp_number(warp),
                     .lanes = lanes,
                     .offset = moved,
                     .array = array,
                     .shift = race->global_shift,
                     .owner = -1};
    if (m->is_strong && m->kind == MEMORY_LOAD)
        return;
    run_access(&x, at);
}
