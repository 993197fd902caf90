/* SPDX-License-Identifier: MIT */
/*
 * For each four bytes of an array: the last write, the last atomic access and the last two reads.
 * Each mark names a record (a piece of work and an instruction) and the bytes. Workers of a launch
 * share the marks, so one may miss a mark that another is just setting.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "race_beside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lane_loops.h"
#include "list.h"

enum { UNIT_SHIFT = 2, UNIT_BYTES = 15, RECORD_SHIFT = 4 };
enum { CHUNK = 1 << 14, CHUNKS = 1 << 14 }; /* records: 28 bits */
enum { BUCKETS = 256 };

/* An instruction of a kernel, or a copy. It outlives its module. */
typedef struct beside_site {
    struct beside_site *next;
    uint64_t code_hash;
    uint32_t instruction;
    char *kernel, *demangled; /* mangled, NULL for a copy; a copy's name is `demangled` */
    bool is_atomic, has_fence;
    smp_finding_place place;
} beside_site;

typedef struct beside_record {
    uint32_t stream, number;
    const beside_site *site;
} beside_record;

typedef struct beside_array {
    struct beside_array *next;
    uint64_t address;
    uint32_t *cells[RACE_CELLS];
    uint64_t units;
} beside_array;

struct smp_beside {
    beside_array *arrays[BUCKETS];
    beside_site *sites[BUCKETS];
    beside_record *chunks[CHUNKS];
    uint32_t count;
};

/* What a launch keeps about concurrent work. */
struct emu_beside {
    smp_beside *all;
    const smp_beside_work *work;
    beside_array **arrays; /* as in the launch's memory; NULL: not used yet */
    uint32_t *records;     /* by memory instruction; 0 if there is none yet */
    uint32_t *seen;        /* by stream: the last work observed, with fences on both sides */
    bool orders;           /* its code has fences */
};

/* ---- Room ---- */

smp_beside *smp_beside_new(void) {
    smp_beside *made = calloc(1, sizeof(*made));
    if (made)
        made->count = 1; /* record 0 is none */
    return made;
}

static unsigned bucket_of(uint64_t number) {
    return (unsigned)(number * 0x9e3779b97f4a7c15ull >> 56);
}

static void free_array(beside_array *array) {
    for (unsigned c = 0; c < RACE_CELLS; c++)
        free(array->cells[c]);
    free(array);
}

void smp_beside_forget(smp_beside *beside, uint64_t address) {
    for (beside_array **at = &beside->arrays[bucket_of(address)]; *at; at = &(*at)->next)
        if ((*at)->address == address) {
            beside_array *gone = *at;
            *at = gone->next;
            free_array(gone);
            return;
        }
}

/* Returns NULL if out of memory. */
static beside_array *array_of(smp_beside *beside, const smp_emu_array *array) {
    beside_array **first = &beside->arrays[bucket_of(array->address)];
    const uint64_t units = (array->size_bytes >> UNIT_SHIFT) + 1;
    for (beside_array *at = *first; at; at = at->next)
        if (at->address == array->address && at->units == units)
            return at;
    smp_beside_forget(beside, array->address); /* the size has changed */
    beside_array *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    *made = (beside_array){.next = *first, .address = array->address, .units = units};
    *first = made;
    return made;
}

static uint32_t *cells_of(beside_array *at, race_cells which) {
    return ZEROED_ONCE(at->cells[which], at->units);
}

static beside_record *record_at(const smp_beside *beside, uint32_t record) {
    return &__atomic_load_n(&beside->chunks[record / CHUNK], __ATOMIC_ACQUIRE)[record % CHUNK];
}

/* Returns 0 if there are too many, or if out of memory. The caller holds the lock. */
static uint32_t new_record(smp_beside *beside, const smp_beside_work *work,
                           const beside_site *site) {
    if (!site || beside->count == (uint32_t)CHUNK * CHUNKS)
        return 0;
    beside_record **chunk = &beside->chunks[beside->count / CHUNK];
    if (!*chunk)
        __atomic_store_n(chunk, calloc(CHUNK, sizeof(**chunk)), __ATOMIC_RELEASE);
    if (!*chunk)
        return 0;
    *record_at(beside, beside->count) = (beside_record){work->stream, work->number, site};
    return beside->count++;
}

/* ---- Sites ---- */

static beside_site *add_site(smp_beside *beside, uint64_t code_hash, uint32_t instruction) {
    beside_site **first = &beside->sites[bucket_of(code_hash + instruction)];
    beside_site *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    *made = (beside_site){.next = *first, .code_hash = code_hash, .instruction = instruction};
    return *first = made;
}

static beside_site *find_site(const smp_beside *beside, uint64_t code_hash, uint32_t instruction) {
    beside_site *at = beside->sites[bucket_of(code_hash + instruction)];
    while (at && (at->code_hash != code_hash || at->instruction != instruction))
        at = at->next;
    return at;
}

static const beside_site *site_of(const emu_run *run, uint32_t instruction) {
    const smp_function *f = run->program->function;
    smp_beside *beside = run->beside->all;
    beside_site *site = find_site(beside, f->code_hash, instruction);
    if (site || !(site = add_site(beside, f->code_hash, instruction)))
        return site;
    site->kernel = strdup(f->name);
    site->demangled = strdup(smp_function_full_name(f));
    site->has_fence = run->beside->orders;
    const uop_memory *m = emu_memory_of(run->program, &run->program->uops[instruction]);
    site->is_atomic = m->kind == MEMORY_ATOMIC || m->is_strong;
    const bool is_known = smp_emu_place(f, instruction, &site->place);
    site->place.has_thread = false;
    return is_known && site->kernel && site->demangled ? site : NULL;
}

static const beside_site *site_of_copy(smp_beside *beside, const char *name) {
    uint64_t hash = 0;
    for (const char *c = name; *c != '\0'; c++)
        hash = hash * 31 + (unsigned char)*c;
    beside_site *site = find_site(beside, hash, UINT32_MAX);
    if (!site && (site = add_site(beside, hash, UINT32_MAX)))
        site->demangled = strdup(name);
    return site;
}

/* ---- A launch ---- */

bool race_beside_begin(emu_run *run) {
    const smp_beside_work *work = run->launch->work;
    if (!run->launch->run.races || !run->launch->beside)
        return true;
    struct emu_beside *made = run->beside = calloc(1, sizeof(*made));
    if (!made)
        return false;
    made->all = run->launch->beside;
    made->work = work;
    made->orders = emu_race_orders_clusters(run->program);
    made->arrays = calloc(run->memory->count + 1, sizeof(*made->arrays));
    made->records = calloc(run->program->memory_count + 1, sizeof(*made->records));
    made->seen = calloc(work->streams + 1, sizeof(*made->seen));
    return made->arrays && made->records && made->seen;
}

void race_beside_end(emu_run *run) {
    struct emu_beside *beside = run->beside;
    if (!beside)
        return;
    free(beside->arrays);
    free(beside->records);
    free(beside->seen);
    free(beside);
    run->beside = NULL;
}

/* Finds the array's marks and the instruction's record; false if out of memory. */
static bool open_access(const race_access *x, beside_array **at, uint32_t *record) {
    const emu_run *run = x->race->worker->run;
    const size_t index = (size_t)(x->array - run->memory->arrays);
    beside_array **place = &run->beside->arrays[index];
    uint32_t *own = &run->beside->records[x->u->memory];
    *at = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    *record = __atomic_load_n(own, __ATOMIC_ACQUIRE);
    if (*at && *record != 0)
        return true;
    pthread_mutex_lock(run->lock);
    if (!*place)
        __atomic_store_n(place, array_of(run->beside->all, x->array), __ATOMIC_RELEASE);
    if (*own == 0)
        __atomic_store_n(own,
                         new_record(run->beside->all, run->beside->work,
                                    site_of(run, race_instruction(x->race, x->u))),
                         __ATOMIC_RELEASE);
    *at = *place;
    *record = *own;
    pthread_mutex_unlock(run->lock);
    return *at && *record != 0;
}

void race_beside_wait(emu_race *race, const emu_warp *warp, uint32_t lanes) {
    race_knowledge waited = {{race_view_new(race->warp_count, 0)}};
    if (!waited.of[KNOWS_ALL] || !race_view_add_phase(&waited.of[KNOWS_ALL], RACE_LAUNCHES, 1))
        race_fail(race);
    else
        race_acquire(race, warp, lanes, &waited);
    race_knowledge_drop(&waited);
}

/* ---- Comparison ---- */

static bool is_in_front(const smp_beside_work *work, const uint32_t *before,
                        const beside_record *other) {
    return (other->stream == work->stream && other->number == work->number) ||
           (other->stream < work->streams && before[other->stream] >= other->number);
}

/* Whether the lane, or a thread ordered before it, has waited for the launch in front. */
static bool has_waited(const race_access *x, unsigned lane) {
    const race_view *view = x->race->warps[x->number].lanes[lane].of[KNOWS_ALL];
    return view->phases && view->phases[RACE_LAUNCHES] != 0;
}

static bool is_before(const race_access *x, const beside_record *other, unsigned lane) {
    const struct emu_beside *beside = x->race->worker->run->beside;
    const smp_beside_work *work = beside->work;
    const uint32_t *early = work->early && !has_waited(x, lane) ? work->early : work->before;
    return is_in_front(work, early, other) ||
           (other->stream < work->streams && beside->seen[other->stream] >= other->number);
}

static void tell(const race_access *x, const beside_record *other, race_order order, unsigned lane,
                 uint32_t unit) {
    const struct emu_beside *beside = x->race->worker->run->beside;
    const bool is_early =
        beside->work->early && is_in_front(beside->work, beside->work->before, other);
    const race_launch_pair pair = {.order = order,
                                   .now = {race_instruction(x->race, x->u), x->number, lane, 0},
                                   .array = x->array,
                                   .address = (uint64_t)unit << UNIT_SHIFT,
                                   .is_atomic = other->site->is_atomic || x->kind == MEMORY_ATOMIC,
                                   .is_early = is_early,
                                   .place = other->site->kernel ? &other->site->place : NULL,
                                   .name = other->site->demangled};
    race_report_launch(x->race, &pair);
}

/* A value stored after a fence was observed: earlier work is ordered before what follows a fence.
 */
static void observe(const race_access *x, const beside_record *other) {
    const struct emu_beside *beside = x->race->worker->run->beside;
    uint32_t *seen = other->stream < beside->work->streams ? &beside->seen[other->stream] : NULL;
    if (seen && beside->orders && other->site->has_fence && *seen < other->number)
        *seen = other->number;
}

static void look(const race_access *x, const uint32_t *cells, race_cells which, unsigned lane,
                 uint32_t unit, uint32_t bytes) {
    const uint32_t cell = cells ? cells[unit] : 0;
    if (cell >> RECORD_SHIFT == 0 || (cell & bytes) == 0)
        return;
    const beside_record *other = record_at(x->race->worker->run->beside->all, cell >> RECORD_SHIFT);
    if (is_before(x, other, lane))
        return;
    if (which == CELLS_ATOMICS && race_is_mutual(x))
        observe(x, other);
    else
        tell(x, other, race_order_of(x, which), lane, unit);
}

static void enter(const race_access *x, beside_array *at, uint32_t record, unsigned lane,
                  uint32_t unit, uint32_t bytes) {
    const bool is_read = x->kind == MEMORY_LOAD;
    uint32_t *cells = cells_of(at, race_cells_of(x));
    if (cells && is_read && cells[unit] != 0 && cells[unit] >> RECORD_SHIFT != record &&
        !is_before(x, record_at(x->race->worker->run->beside->all, cells[unit] >> RECORD_SHIFT),
                   lane))
        cells = cells_of(at, CELLS_MORE);
    if (!cells)
        race_fail(x->race);
    else
        cells[unit] = record << RECORD_SHIFT | bytes |
                      (cells[unit] >> RECORD_SHIFT == record ? cells[unit] & UNIT_BYTES : 0);
}

static void each_unit(const race_access *x, beside_array *at, uint32_t record, unsigned lane) {
    const bool is_read = x->kind == MEMORY_LOAD;
    const uint32_t first = x->offset[lane] >> UNIT_SHIFT,
                   last = (x->offset[lane] + x->width - 1) >> UNIT_SHIFT;
    const uint32_t bytes =
        x->width >= 4 ? UNIT_BYTES : ((1u << x->width) - 1) << (x->offset[lane] & 3);
    for (uint32_t unit = first; unit <= last; unit++) {
        for (race_cells c = 0; c < (is_read ? CELLS_READS : RACE_CELLS); c++)
            look(x, at->cells[c], c, lane, unit, bytes);
        if (!is_read || !x->is_strong)
            enter(x, at, record, lane, unit, bytes);
    }
}

void race_beside_access(const race_access *x) {
    beside_array *at;
    uint32_t record;
    if (!open_access(x, &at, &record))
        return;
    EACH_LANE_OF(l, x->lanes)
        each_unit(x, at, record, l);
}

/* ---- A copy ---- */

bool smp_beside_copy(smp_beside *beside, const smp_beside_work *work, const smp_emu_array *array,
                     uint64_t offset, uint64_t bytes, bool writes, smp_beside_race *out) {
    beside_array *at = array_of(beside, array);
    const uint32_t record = new_record(beside, work, site_of_copy(beside, work->name));
    uint32_t *own = at && record != 0 ? cells_of(at, writes ? CELLS_WRITES : CELLS_READS) : NULL;
    bool races = false;
    for (uint64_t unit = offset >> UNIT_SHIFT; own && unit << UNIT_SHIFT < offset + bytes; unit++) {
        for (race_cells c = 0; c < (writes ? RACE_CELLS : CELLS_READS) && !races; c++) {
            const uint32_t cell = at->cells[c] ? at->cells[c][unit] : 0;
            const beside_record *other = record_at(beside, cell >> RECORD_SHIFT);
            if (cell == 0 || !other->site->kernel || is_in_front(work, work->before, other))
                continue;
            *out = (smp_beside_race){other->site->kernel, &other->site->place, array,
                                     c < CELLS_READS, unit << UNIT_SHIFT};
            races = true;
        }
        own[unit] = record << RECORD_SHIFT | UNIT_BYTES;
    }
    return races;
}
