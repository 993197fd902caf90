/* SPDX-License-Identifier: MIT */
/*
 * Global memory between clusters of an ordinary launch. A worker runs its clusters one after the
 * other, but they count as concurrent: only what a cluster observed of another orders the two. Each
 * unit of an array keeps its last write, its last atomic access and two reads, each with a cluster
 * and a record of the access. Workers share the cells, so one may miss a mark that another is just
 * setting. A program that can order clusters runs on one worker.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lane_loops.h"
#include "list.h"
#include "race.h"
#include "race_state.h"

/* Bit positions in a cell: cluster plus 1, record, lane. */
enum { CELL_CLUSTER = 32, CELL_RECORD = 5 };
enum { CHUNK = 1 << 14, CHUNKS = 1 << 13 }; /* records: 27 bits */

typedef struct grid_array {
    uint64_t *cells[RACE_CELLS]; /* NULL: no mark yet; MORE: reads by another cluster */
} grid_array;

/* An access of a warp. Later ones of the same instruction share it until the warp publishes. */
typedef struct grid_record {
    uint32_t instruction, warp, event;
} grid_record;

struct race_grid {
    grid_array *arrays;
    grid_record *chunks[CHUNKS];
    uint32_t record_count;
    bool orders; /* the program has fences that order clusters */
};

struct race_record_of {
    uint32_t cluster, record; /* plus 1 each */
    uint32_t event;
};

/* ---- Room ---- */

bool emu_race_grid_make(emu_run *run) {
    if (!run->launch->run.races)
        return true;
    run->race_lines = calloc(run->program->count + 1, sizeof(const smp_source_line *));
    if (!run->race_lines)
        return false;
    if (run->cluster_count <= 1 || run->cluster_count >= UINT32_MAX - 1)
        return true;
    run->grid = calloc(1, sizeof(*run->grid));
    if (!run->grid)
        return false;
    run->grid->orders = emu_race_orders_clusters(run->program);
    run->grid->arrays = calloc(run->memory->count + 1, sizeof(*run->grid->arrays));
    return run->grid->arrays;
}

void emu_race_grid_free(emu_run *run) {
    struct race_grid *grid = run->grid;
    free(run->race_lines);
    run->race_lines = NULL;
    if (!grid)
        return;
    for (uint32_t i = 0; grid->arrays && i < run->memory->count; i++)
        for (unsigned c = 0; c < RACE_CELLS; c++)
            free(grid->arrays[i].cells[c]);
    for (uint32_t i = 0; i < CHUNKS; i++)
        free(grid->chunks[i]);
    free(grid->arrays);
    free(grid);
    run->grid = NULL;
}

bool race_grid_begin(emu_race *race) {
    const emu_run *run = race->worker->run;
    if (!run->grid)
        return true;
    if (!race->records)
        race->records =
            calloc((size_t)run->program->memory_count * race->warp_count, sizeof(*race->records));
    if (run->grid->orders)
        race_places_end(race);
    race->cluster = race->worker->cluster + 1;
    return race->records;
}

static uint64_t *cells_of(const race_access *x, grid_array *at, race_cells which) {
    uint64_t *cells = ZEROED_ONCE(at->cells[which], (x->array->size_bytes >> x->shift) + 16);
    if (!cells)
        race_fail(x->race);
    return cells;
}

/* ---- Records ---- */

static grid_record *record_at(const struct race_grid *grid, uint32_t record) {
    return &__atomic_load_n(&grid->chunks[record / CHUNK], __ATOMIC_ACQUIRE)[record % CHUNK];
}

/* Returns UINT32_MAX if there are too many records, or if out of memory. */
static uint32_t new_record(emu_race *race, const grid_record *like) {
    emu_run *run = race->worker->run;
    struct race_grid *grid = run->grid;
    uint32_t made = UINT32_MAX;
    pthread_mutex_lock(run->lock);
    grid_record **chunk =
        grid->record_count < CHUNK * CHUNKS ? &grid->chunks[grid->record_count / CHUNK] : NULL;
    if (chunk && !*chunk)
        __atomic_store_n(chunk, calloc(CHUNK, sizeof(**chunk)), __ATOMIC_RELEASE);
    if (chunk && *chunk) {
        made = grid->record_count++;
        *record_at(grid, made) = *like;
    }
    pthread_mutex_unlock(run->lock);
    if (!chunk)
        race->is_over = true;
    else if (made == UINT32_MAX)
        race_fail(race);
    return made;
}

/* The cell for this access without its lane; 0 if no more records fit. */
static uint64_t cell_of(const race_access *x) {
    emu_race *race = x->race;
    const struct race_grid *grid = race->worker->run->grid;
    struct race_record_of *last =
        &race->records[(size_t)x->u->memory * race->warp_count + x->number];
    if (last->cluster != race->cluster ||
        (grid->orders && last->event <= race->warps[x->number].published)) {
        const grid_record like = {race_instruction(race, x->u), x->number, race->event + 1};
        const uint32_t made = new_record(race, &like);
        if (made == UINT32_MAX)
            return 0;
        *last = (struct race_record_of){race->cluster, made, like.event};
    }
    return (uint64_t)race->cluster << CELL_CLUSTER | (uint64_t)last->record << CELL_RECORD;
}

/* ---- Two clusters ---- */

static void tell(const race_access *x, const grid_record *record, uint64_t cell, race_order order,
                 unsigned lane, uint32_t unit, race_gap gap) {
    const emu_program *program = x->race->worker->run->program;
    const uint32_t instruction = race_instruction(x->race, x->u);
    race_pair pair = {.order = order,
                      .gap = gap,
                      .is_note = gap == GAP_LOOSE || gap == GAP_STALE,
                      .now = {instruction, x->number, lane, 0},
                      .before = {record->instruction, record->warp, (uint32_t)cell & 31,
                                 (uint32_t)(cell >> CELL_CLUSTER)},
                      .is_atomic =
                          program->memory[x->u->memory].kind == MEMORY_ATOMIC ||
                          race_memory_at(x->race, record->instruction)->kind == MEMORY_ATOMIC,
                      .array = x->array,
                      .address = (uint64_t)unit << x->shift,
                      .rank = x->rank};
    pair.is_same_value = order == RACE_WAW && !pair.is_atomic &&
                         program->memory[x->u->memory].kind == MEMORY_STORE &&
                         race_stores_same(x, lane, unit) &&
                         !race_is_value_chance(x->race, instruction, true) &&
                         !race_is_value_chance(x->race, record->instruction, true);
    race_report(x->race, &pair);
}

static void look(const race_access *x, const grid_array *at, race_cells which, unsigned lane,
                 uint32_t unit) {
    const uint64_t cell = at->cells[which] ? at->cells[which][unit] : 0;
    const uint32_t cluster = (uint32_t)(cell >> CELL_CLUSTER);
    if (cluster == 0 || cluster == x->race->cluster)
        return;
    const struct race_grid *grid = x->race->worker->run->grid;
    const grid_record *record = record_at(grid, (uint32_t)cell >> CELL_RECORD);
    const bool is_stale = which == CELLS_ATOMICS && race_is_stale(x, record->instruction);
    if (which == CELLS_ATOMICS && x->is_strong && !is_stale)
        return;
    race_view *const *knows = x->race->warps[x->number].lanes[lane].of;
    bool sees[RACE_KNOWS] = {false};
    for (unsigned k = 0; grid->orders && k < RACE_KNOWS; k++)
        sees[k] = knows[k] && race_view_sees(knows[k], cluster, record->warp, (uint32_t)cell & 31,
                                             record->event);
    if (!sees[KNOWS_ALL])
        tell(x, record, cell, race_order_of(x, which), lane, unit,
             sees[KNOWS_WAITED_FAR]     ? GAP_BLIND
             : sees[KNOWS_OBSERVED_FAR] ? GAP_LOOSE
             : is_stale                 ? GAP_STALE
                                        : GAP_ORDER);
}

/* Whether to compare with such cells. */
static bool is_compared(const race_access *x, race_cells which) {
    const bool is_read = x->kind == MEMORY_LOAD,
               is_mutual = x->kind == MEMORY_ATOMIC || (x->is_strong && !is_read);
    return which == CELLS_WRITES || (which == CELLS_ATOMICS ? !is_mutual : !is_read);
}

static void enter(const race_access *x, grid_array *at, uint64_t *cells, uint64_t cell,
                  uint32_t unit) {
    const uint32_t cluster = (uint32_t)(cells[unit] >> CELL_CLUSTER);
    if (x->kind == MEMORY_LOAD && cluster != 0 && cluster != x->race->cluster)
        cells = cells_of(x, at, CELLS_MORE);
    if (cells)
        cells[unit] = cell;
}

static void each_lane(const race_access *x, grid_array *at, uint64_t *own, uint64_t cell) {
    EACH_LANE_OF(l, x->lanes) {
        const uint32_t first = x->offset[l] >> x->shift;
        for (uint32_t unit = first; unit < first + x->units; unit++) {
            for (race_cells c = 0; c < RACE_CELLS; c++)
                if (is_compared(x, c))
                    look(x, at, c, l, unit);
            if (own)
                enter(x, at, own, cell | l, unit);
        }
    }
}

/* ---- Rows ---- */

LANES_CLONED static bool is_row_own(const uint64_t *cells, uint32_t count, uint32_t cluster) {
    uint32_t foreign = 0;
    for (uint32_t i = 0; cells && i < count; i++) {
        const uint32_t at = (uint32_t)(cells[i] >> CELL_CLUSTER);
        foreign |= at != 0 && at != cluster ? 1 : 0;
    }
    return foreign == 0;
}

LANES_CLONED static void mark_row(uint64_t *cells, uint32_t units, uint64_t cell) {
    const uint32_t shift = (uint32_t)__builtin_ctz(units);
    for (uint32_t i = 0; cells && i < ROW * units; i++)
        cells[i] = cell | i >> shift;
}

static bool is_row_quiet(const race_access *x, const grid_array *at, uint32_t first) {
    bool is_quiet = true;
    for (race_cells c = 0; c < RACE_CELLS && is_quiet; c++)
        if (is_compared(x, c) && at->cells[c])
            is_quiet = is_row_own(at->cells[c] + first, ROW * x->units, x->race->cluster);
    return is_quiet;
}

/* Arrays that no cluster has written after this many clusters count as read-only. */
enum { CLUSTERS_THAT_READ = 4 };

static bool is_only_read(const race_access *x, const grid_array *at) {
    return x->kind == MEMORY_LOAD && !at->cells[CELLS_WRITES] && !at->cells[CELLS_ATOMICS] &&
           (x->is_strong || x->race->worker->block_serial > CLUSTERS_THAT_READ);
}

void race_grid_access(race_access *x) {
    struct race_grid *grid = x->race->worker->run->grid;
    grid_array *at = &grid->arrays[x->array - x->race->worker->run->memory->arrays];
    if (is_only_read(x, at) || x->race->is_over)
        return;
    const bool is_poll = x->kind == MEMORY_LOAD && x->is_strong;
    const uint64_t cell = is_poll ? 0 : cell_of(x);
    uint64_t *own = cell == 0 ? NULL : cells_of(x, at, race_cells_of(x));
    const uint32_t first = x->offset[0] >> x->shift;
    if (!is_poll && !own)
        return;
    if (!x->is_row || !is_row_quiet(x, at, first)) {
        each_lane(x, at, own, cell);
        return;
    }
    if (x->kind == MEMORY_LOAD && own && !is_row_own(own + first, ROW * x->units, x->race->cluster))
        own = cells_of(x, at, CELLS_MORE);
    if (own)
        mark_row(own + first, x->units, cell);
}
