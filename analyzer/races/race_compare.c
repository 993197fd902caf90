/* SPDX-License-Identifier: MIT */
/*
 * Compares two accesses to one place: does the earlier one happen before this one, and is a proxy
 * fence between them where the async proxy needs one?
 */
#include <stdlib.h>
#include <string.h>

#include "lane_loops.h"
#include "list.h"
#include "race_state.h"

/* Keeps the lanes' offsets if they are not first + stride x lane; false if out of memory. */
static bool keep_offsets(race_access *x, race_event *event) {
    emu_race *race = x->race;
    const unsigned first = (unsigned)__builtin_ctz(x->lanes);
    event->first = x->offset[first];
    event->stride = x->width;
    if (x->is_row)
        return true;
    if (x->lanes == SMP_ALL_LANES) {
        event->stride = x->offset[1] - x->offset[0];
        if (emu_is_even(x->offset, event->stride))
            return true;
    } else if ((x->lanes & (x->lanes - 1)) == 0) {
        event->stride = 0;
        return true;
    }
    if (!LIST_ROOM(race->offsets, race->offset_count)) {
        race_fail(race);
        return false;
    }
    memcpy(race->offsets[race->offset_count], x->offset, sizeof(*race->offsets));
    event->offsets = ++race->offset_count;
    return true;
}

bool race_begin_access(race_access *x) {
    race_event event = {.instruction = race_instruction(x->race, x->u),
                        .warp = x->number,
                        .lanes = x->lanes,
                        .rank = (uint16_t)x->rank,
                        .shift = (uint8_t)x->shift,
                        .width = (uint8_t)x->width,
                        .is_read = x->kind == MEMORY_LOAD && !x->array && !x->is_strong};
    if (!keep_offsets(x, &event))
        return false;
    x->event = race_begin_event(x->race, &event);
    return x->event != 0;
}

/* ---- Two accesses ---- */

/* Whether the lane stores the bytes that are there or, where `is_own_event`, the bytes that
 * another lane of the same request stores. */
static bool stores_same(const race_access *x, unsigned lane, uint32_t unit, unsigned other_lane,
                        bool is_own_event) {
    const uint32_t *a = emu_row_of(x->warp, &x->u->a);
    const uint32_t reserved = x->race->worker->run->program->function->shared_reserved_bytes;
    const uint8_t *bytes =
        x->array ? x->array->bytes : x->race->worker->blocks[x->rank].shared + reserved;
    const uint32_t bytes_of_unit = 1u << x->shift, at = unit << x->shift;
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

bool race_stores_same(const race_access *x, unsigned lane, uint32_t unit) {
    return stores_same(x, lane, unit, lane, false);
}

bool race_is_stale(const race_access *x, uint32_t instruction) {
    const uop_memory *m = race_memory_at(x->race, instruction);
    return x->is_strong && x->kind == MEMORY_LOAD && m->is_strong && m->kind == MEMORY_STORE &&
           x->race->polls[race_instruction(x->race, x->u)] == POLL_NONE;
}

/* A cell that a lane's access meets at a unit. */
typedef struct meeting {
    const race_access *x;
    uint32_t cell, unit;
    unsigned lane; /* whose offset it is; the thread is x->owner, if there is one */
    race_order order;
} meeting;

/* Whether two warps store equal values by chance. A warp's lanes often store a sum of theirs. */
static bool is_chance(const race_access *x, const race_side *before) {
    const uint32_t now = race_instruction(x->race, x->u);
    const bool of_blocks = !race_is_in_block(x->race, x->number, before->warp);
    return x->number != before->warp &&
           (race_is_value_chance(x->race, now, of_blocks) ||
            race_is_value_chance(x->race, before->instruction, of_blocks));
}

static void tell(const meeting *m, unsigned thread, race_side before, race_gap gap,
                 const race_flight *flight, bool is_own_event) {
    const race_access *x = m->x;
    race_pair pair = {.order = m->order,
                      .gap = gap,
                      .now = {race_instruction(x->race, x->u), x->number, thread, 0},
                      .before = before,
                      .before_event = flight ? 0 : m->cell >> CELL_EVENT,
                      .flight = flight,
                      .own = x->flight != 0 ? race_flight_of(x->race, x->flight) : NULL,
                      .is_unwritten =
                          x->writes && x->writes[m->unit] >> CELL_EVENT <= x->race->begin,
                      .address = (uint64_t)m->unit << x->shift,
                      .array = x->array,
                      .rank = x->rank};
    pair.is_atomic = x->kind == MEMORY_ATOMIC ||
                     race_memory_at(x->race, before.instruction)->kind == MEMORY_ATOMIC;
    pair.is_uneven =
        x->lanes != x->warp->alive ||
        (!flight && race_event_of(x->race, m->cell >> CELL_EVENT)->lanes != x->warp->alive);
    pair.is_note = gap == GAP_LOOSE || gap == GAP_BEHIND || gap >= GAP_ENDED;
    pair.is_same_value = m->order == RACE_WAW && !flight && !pair.is_atomic &&
                         race_memory_at(x->race, pair.now.instruction)->kind == MEMORY_STORE &&
                         stores_same(x, m->lane, m->unit, before.lane, is_own_event) &&
                         !is_chance(x, &before);
    race_report(x->race, &pair);
}

static void look_at_flight(const meeting *m, unsigned thread, const race_knowledge *knows) {
    const race_access *x = m->x;
    const race_flight *flight = race_flight_of(x->race, (m->cell & ~CELL_FLIGHT) >> CELL_EVENT);
    const uint32_t owner = m->cell & CELL_LANE;
    if (!flight)
        return;
    const race_side before = {flight->instruction, flight->warp, owner, 0};
    if (!race_flight_is_over(flight, knows->of[KNOWS_ALL], x->number, thread, owner))
        tell(m, thread, before, flight->pending >> owner & 1 ? GAP_WAIT : GAP_ORDER, flight, false);
    else if (x->is_proxy && m->order == RACE_RAW && flight->kind == FLIGHT_COPY &&
             !race_flight_is_over(flight, knows->of[KNOWS_FENCED], UINT32_MAX, 0, owner))
        tell(m, thread, before, GAP_PROXY, flight, false);
}

/* Whether lane `other` of the event accessed the unit. */
static bool was_there(const emu_race *race, const race_event *event, unsigned other,
                      uint32_t unit) {
    const uint32_t first = race_offset_of(race, event, other) >> event->shift;
    return event->lanes >> other & 1 && unit - first < (uint32_t)event->width >> event->shift;
}

/* Whether the instruction is an unconditional collective, which converges the lanes. */
static bool is_collective(const emu_program *program, uint32_t instruction) {
    static const char *const names[] = {"SHFL", "VOTE", "MATCH", "REDUX", "LDSM", "STSM",
                                        "HMMA", "IMMA", "DMMA",  "BMMA",  "QMMA"};
    const char *opcode = program->function->linked[instruction].opcode;
    return program->uops[instruction].guard == PREDICATE_TRUE &&
           ANY(one, names, sizeof(names) / sizeof(*names),
               strncmp(opcode, *one, strlen(*one)) == 0);
}

bool race_find_collectives(emu_race *race) {
    const emu_program *program = race->worker->run->program;
    race->collectives = malloc((program->count + 1) * sizeof(*race->collectives));
    uint32_t count = 0;
    for (uint32_t i = 0; race->collectives && i <= program->count; i++) {
        race->collectives[i] = count;
        count += i < program->count && is_collective(program, i);
    }
    return race->collectives;
}

/* Whether a collective stands between two instructions. */
static bool is_collective_between(const race_access *x, uint32_t first, uint32_t last) {
    return first < last && x->race->collectives[last] > x->race->collectives[first + 1];
}

static bool sees(const race_view *view, uint32_t warp, uint32_t lane, uint32_t number) {
    return view && race_view_of(view, warp, lane) >= number;
}

/* Whether only the hardware orders the two. In shared memory: one warp's requests run in order and
 * its lanes converged in between, or this thread saw a value that the other stored later. In global
 * memory: this thread saw what the other released, and has no fence after that. */
static bool is_loose(const race_access *x, const race_knowledge *knows, const race_event *event,
                     uint32_t number, unsigned other) {
    if (x->is_proxy)
        return false;
    if (x->array)
        return sees(knows->of[KNOWS_OBSERVED], event->warp, other, number) ||
               sees(knows->of[KNOWS_OBSERVED_FAR], event->warp, other, number);
    if (event->warp == x->number)
        return x->warp->group_count == 1 &&
               is_collective_between(x, event->instruction, race_instruction(x->race, x->u));
    return sees(knows->of[KNOWS_LOOSE], event->warp, other, number);
}

/* Whether the event's thread has ended, and this thread passed a barrier since that counts ended
 * threads as arrived. */
static bool has_ended(const race_access *x, const race_event *event, uint32_t number,
                      unsigned other) {
    const emu_block *block = x->warp->block;
    const uint32_t rank = (uint32_t)(block - x->race->worker->blocks);
    const uint32_t of_block = x->race->blocks[rank].met, of_warp = x->race->warps[x->number].met;
    return event->warp / block->warp_count == rank &&
           (block->warps[event->warp % block->warp_count].alive >> other & 1) == 0 &&
           (number <= of_block || (event->warp == x->number && number <= of_warp));
}

/* Whether it initialises an mbarrier; fence.mbarrier_init leaves nothing in machine code. */
static bool sets_up(const race_access *x, uint32_t instruction) {
    const uop_memory *m = race_memory_at(x->race, instruction);
    return m->kind == MEMORY_SYNC && m->act == SYNC_EXCHANGE;
}

/* Whether a thread reads what it stored itself when other lanes stored to the same unit. If their
 * values differ, the stores are reported. */
static bool reads_own(const meeting *m, const race_event *event, unsigned thread) {
    return m->order == RACE_RAW && was_there(m->x->race, event, thread, m->unit);
}

void race_compare(const race_access *x, uint32_t cell, race_order order, unsigned lane,
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
    const bool is_set_up = sets_up(x, event->instruction);
    const bool is_stale = x->array && race_is_stale(x, event->instruction);
    for (unsigned other = cell & CELL_LANE; other < SMP_LANES; other++) {
        const race_side before = {event->instruction, event->warp, other, 0};
        const bool is_self =
            event->warp == x->number && (other == thread || reads_own(&m, event, thread));
        const bool is_there = !is_several || was_there(x->race, event, other, unit);
        const bool is_seen = is_self ||
                             race_view_of(knows->of[KNOWS_ALL], event->warp, other) >= number ||
                             (is_set_up && sees(knows->of[KNOWS_RAN], event->warp, other, number));
        const bool is_fenced =
            !is_proxy || race_view_of(knows->of[KNOWS_FENCED], event->warp, other) >= number;
        const bool is_own =
            !is_proxy || race_view_of(knows->of[KNOWS_FENCED_OWN], event->warp, other) >= number;
        if (is_there && (!is_seen || !is_fenced || !is_own)) {
            const race_gap gap = is_seen && is_fenced                       ? GAP_BEHIND
                                 : is_seen                                  ? GAP_PROXY
                                 : has_ended(x, event, number, other)       ? GAP_ENDED
                                 : is_loose(x, knows, event, number, other) ? GAP_LOOSE
                                 : sees(knows->of[KNOWS_WAITED_FAR], event->warp, other, number)
                                     ? GAP_BLIND
                                 : is_stale ? GAP_STALE
                                            : GAP_ORDER;
            tell(&m, thread, before, gap, NULL, number == x->event);
            return;
        }
        if (!is_several)
            return;
    }
}
