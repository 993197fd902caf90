/* SPDX-License-Identifier: MIT */
/*
 * Instructions that only order. A fence extends what a lane knows to other blocks or to the async
 * proxy. Loops that poll shared memory order like volatile loads, which machine code does not tell
 * from plain ones.
 */
#include <stdlib.h>

#include "lane_loops.h"
#include "race.h"
#include "race_beside.h"
#include "race_state.h"

/* ---- Fences ---- */

/* A proxy fence: the async proxy may now access what happened before it. */
static void fence_proxy(emu_race *race, emu_warp *warp, uint32_t lanes) {
    race_knowledge all = {0}, fenced = {0};
    const uint32_t number = emu_warp_number(warp);
    if (!race->uses[KNOWS_FENCED])
        return;
    if (race_is_whole(race, warp, lanes)) {
        race_publish(race, warp, lanes, &all);
        fenced.of[KNOWS_FENCED] = all.of[KNOWS_ALL];
        fenced.of[KNOWS_FENCED_OWN] = race_view_new(race->warp_count, race->begin);
        if (!fenced.of[KNOWS_FENCED_OWN] ||
            !race_view_add(&fenced.of[KNOWS_FENCED_OWN], number, lanes, true, race->event))
            race_fail(race);
        race_acquire(race, warp, lanes, &fenced);
        race_view_drop(fenced.of[KNOWS_FENCED_OWN]);
        race_knowledge_drop(&all);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        race_knowledge *own = &race->warps[number].lanes[__builtin_ctz(lanes)];
        if (!race_view_join(&own->of[KNOWS_FENCED], own->of[KNOWS_ALL]) ||
            !race_view_add(&own->of[KNOWS_FENCED], number, lanes & (0u - lanes), false,
                           race->event) ||
            !race_view_add(&own->of[KNOWS_FENCED_OWN], number, lanes & (0u - lanes), false,
                           race->event))
            race_fail(race);
    }
}

/* A fence acquires what the lanes have observed. */
static void take_observed(emu_race *race, emu_warp *warp, uint32_t lanes, unsigned kind) {
    race_warp *own = &race->warps[emu_warp_number(warp)];
    for (uint32_t here; lanes != 0; lanes &= ~here) {
        race_view *const first = own->lanes[__builtin_ctz(lanes)].of[kind];
        here = LANES_ALIKE(l, lanes, own->lanes[l].of[kind]);
        if (!first)
            continue;
        const race_knowledge taken = {{race_view_keep(first)}};
        race_acquire(race, warp, here, &taken);
        EACH_LANE_OF(l, here) {
            race_view_drop(own->lanes[l].of[kind]);
            own->lanes[l].of[kind] = NULL;
        }
        race_view_drop(first);
    }
}

/* Each lane will release what happened before its fence, and nothing of its neighbours'. */
static void release(emu_race *race, emu_warp *warp, uint32_t lanes, bool is_far) {
    const uint32_t number = emu_warp_number(warp);
    race->warps[number].published = race->event;
    EACH_LANE_OF(l, lanes) {
        race_view **views = race->warps[number].lanes[l].of;
        race_view *all = race_view_keep(views[KNOWS_ALL]);
        if (!race_view_add(&all, number, 1u << l, false, race->event))
            race_fail(race);
        for (unsigned k = KNOWS_RELEASED; k <= (is_far ? KNOWS_RELEASED_FAR : KNOWS_RELEASED);
             k++) {
            race_view_drop(views[k]);
            views[k] = race->uses[k] ? race_view_keep(all) : NULL;
        }
        race_view_drop(all);
    }
}

/* ---- Masks of __syncwarp(), in code of 8.x ---- */

enum { MASK_DISTANCE = 12, MASK_CALLED = 4 };

/* Whether the instruction writes rows of the operand. */
static bool overlaps(const uop *u, const emu_operand *rows) {
    const int32_t first = rows->offset & ~1, size = (int32_t)ROW_BYTES;
    return rows->rows != 0 && (rows->offset & 1) == 0 && u->d_rows != 0 &&
           u->d < first + (int32_t)rows->rows * size && first < u->d + (int32_t)u->d_rows * size;
}

static bool is_written(const uop *from, const uop *end, const emu_operand *rows) {
    return ANY(u, from, end + 1 - from, overlaps(u, rows));
}

/* The operand that holds the lanes' masks; NULL if all converged lanes take part. Code for 8.x
 * calls a function to wait, which converged lanes skip; NOP follows both paths, and the function's
 * WARPSYNC reads the masks. */
static const emu_operand *masks_of(const emu_program *program, const uop *nop) {
    const uop *call = nop - 1;
    while (call > program->uops && nop - call < MASK_DISTANCE && call->kind != UOP_CALL &&
           call->kind != UOP_MEMORY && call->kind < UOP_BRANCH)
        call--;
    if (call <= program->uops || call->kind != UOP_CALL)
        return NULL;
    for (uint32_t i = call->target; i < program->count && i < call->target + MASK_CALLED; i++) {
        const uop *sync = &program->uops[i];
        if (sync->kind == UOP_WARPSYNC && sync->imm == WARPSYNC_PLAIN)
            return is_written(call, nop, &sync->a) ? NULL : &sync->a;
    }
    return NULL;
}

static void join_by_masks(emu_warp *warp, const uint32_t *masks, uint32_t lanes) {
    for (uint32_t with; lanes != 0; lanes &= ~with) {
        with = LANES_ALIKE(l, lanes, masks[l]);
        emu_race_join_lanes(warp, with);
    }
}

static void order_lanes(emu_warp *warp, const uop *u, uint32_t lanes) {
    const emu_program *program = warp->block->worker->run->program;
    const emu_operand *masks = program->cc >= 80 && program->cc < 90 ? masks_of(program, u) : NULL;
    if (masks)
        join_by_masks(warp, emu_row_of(warp, masks), lanes);
    else
        emu_race_join_lanes(warp, lanes);
}

void emu_race_order(emu_warp *warp, const uop *u, uint32_t lanes) {
    emu_race *race = warp->block->worker->race;
    const emu_order order = (emu_order)u->imm;
    switch (order) {
    case ORDER_LANES:
        order_lanes(warp, u, lanes);
        break;
    case ORDER_FENCE:
    case ORDER_FENCE_BLOCK:
    case ORDER_INVALIDATE:
        take_observed(race, warp, lanes, KNOWS_OBSERVED);
        if (order != ORDER_FENCE_BLOCK) {
            take_observed(race, warp, lanes, KNOWS_OBSERVED_FAR);
            take_observed(race, warp, lanes, KNOWS_WAITED_FAR);
        }
        race_fence_lock(race, emu_warp_number(warp), lanes);
        race_flight_written(race, emu_warp_number(warp), lanes);
        if (order != ORDER_INVALIDATE)
            release(race, warp, lanes, order == ORDER_FENCE);
        break;
    case ORDER_PROXY:
        fence_proxy(race, warp, lanes);
        break;
    case ORDER_COPIES_COMMIT:
    case ORDER_COPIES_WAIT:
    case ORDER_STORES_COMMIT:
    case ORDER_MATRIX_WAIT:
        emu_race_groups(warp, u, lanes);
        break;
    case ORDER_LAUNCH_WAIT:
        if (race->worker->run->beside)
            race_beside_wait(race, warp, lanes);
        break;
    case ORDER_LAUNCH_NEXT:
        race->worker->run->out->lets_next_begin = true;
        break;
    default:
        break;
    }
}

/* ---- Loops that poll ---- */

enum { POLL_LENGTH = 32 };

/* Whether nothing in the loop changes memory or waits at a barrier. */
static bool is_idle(const emu_program *program, const uop *from, const uop *end) {
    for (const uop *u = from; u < end; u++) {
        const uop_memory *m = emu_memory_of(program, u);
        if ((m && m->kind != MEMORY_LOAD && m->kind != MEMORY_ATOMIC &&
             m->kind != MEMORY_CONSTANT) ||
            (u->kind > UOP_BRANCH && u->kind != UOP_YIELD))
            return false;
    }
    return true;
}

enum { ANY_PREDICATE = -1 };

/* Whether the loaded value, perhaps after a step or two, decides this predicate before `end`. */
static bool decides(const uop *load, const uop *end, int predicate) {
    const uop *from = load;
    for (const uop *u = load + 1; u < end; u++) {
        if (!overlaps(from, &u->a) && !overlaps(from, &u->b) && !overlaps(from, &u->c))
            continue;
        if (u->p_out % 8 != PREDICATE_TRUE &&
            (predicate == ANY_PREDICATE || u->p_out % 8 == predicate))
            return true;
        from = u->d_rows != 0 ? u : from;
    }
    return false;
}

/* Whether `u` loads until a value appears. A weak load must read the same place each time. */
static bool is_poll(const emu_program *program, const uop *from, const uop *end, const uop *u) {
    const uop_memory *m = emu_memory_of(program, u);
    if (!m || m->kind > MEMORY_ATOMIC || !decides(u, end, end->guard % 8))
        return false;
    return m->is_strong || m->kind == MEMORY_ATOMIC ||
           (!is_written(from, end, &m->at.base) && !is_written(from, end, &m->at.uniform));
}

/* The branch at `i` if it ends an idle loop; NULL otherwise. */
static const uop *loop_end(const emu_program *program, uint32_t i) {
    const uop *end = &program->uops[i];
    return end->kind == UOP_BRANCH && end->target <= i && i - end->target <= POLL_LENGTH &&
                   is_idle(program, &program->uops[end->target], end)
               ? end
               : NULL;
}

/* ---- Barriers in shared memory, before 9.0 ---- */

enum { TEST_LENGTH = 16 };

static bool is_phase_bit(const emu_program *program, const emu_operand *operand) {
    return operand->rows == 1 && (operand->offset & 1) != 0 &&
           *(const uint32_t *)((const uint8_t *)program->constants + (operand->offset & ~1)) ==
               PHASE_BIT;
}

/* Whether the load is mbarrier.test_wait: it reads the upper word and compares its phase bit. */
static bool tests_phase(const emu_program *program, const uop *load) {
    const uop *end = &program->uops[program->count];
    for (const uop *u = load + 1; u < end && u - load < TEST_LENGTH; u++) {
        if (overlaps(load, &u->a) && is_phase_bit(program, &u->b))
            return u->p_out % 8 != PREDICATE_TRUE;
        if (u->kind > UOP_BRANCH || is_written(u, u, &(emu_operand){.offset = load->d, .rows = 1}))
            return false;
    }
    return false;
}

static void find_phase_tests(emu_race *race) {
    const emu_program *program = race->worker->run->program;
    bool arrives = false;
    for (uint32_t i = 0; i < program->memory_count && program->cc < 90; i++)
        arrives |= program->memory[i].kind == MEMORY_SYNC;
    for (uint32_t i = 0; i < program->count && arrives; i++) {
        const uop *u = &program->uops[i];
        const uop_memory *m = emu_memory_of(program, u);
        if (!m || m->kind != MEMORY_LOAD || m->space != SPACE_SHARED || m->width_bytes != 4 ||
            !tests_phase(program, u))
            continue;
        race->polls[i] = POLL_PHASE;
        race->has_polls = true;
    }
}

/* Whether it waits in a loop, for a value in shared memory or for what other blocks write. */
static race_poll poll_of(const emu_program *program, const uop *from, const uop *end,
                         const uop *u) {
    const uop_memory *m = emu_memory_of(program, u);
    if (!is_poll(program, from, end, u))
        return POLL_NONE;
    return m->space != SPACE_SHARED && (m->is_strong || m->kind == MEMORY_ATOMIC) ? POLL_FAR
           : m->space == SPACE_SHARED && !m->is_strong && m->kind == MEMORY_LOAD  ? POLL_VALUE
                                                                                  : POLL_NONE;
}

/* Stores what the instructions of loops wait for, unless `polls` is NULL; returns whether any does
 * so. */
static bool find_in_loops(const emu_program *program, uint8_t *polls, race_poll which) {
    bool is_found = false;
    for (uint32_t i = 0; i < program->count; i++) {
        const uop *end = loop_end(program, i), *from = end ? &program->uops[end->target] : end;
        for (const uop *u = from; u < end; u++) {
            const race_poll poll = poll_of(program, from, end, u);
            is_found |= poll == which;
            if (polls && poll != POLL_NONE)
                polls[u - program->uops] = (uint8_t)poll;
        }
    }
    return is_found;
}

bool race_find_polls(emu_race *race) {
    const emu_program *program = race->worker->run->program;
    race->polls = calloc(program->count + 1, 1);
    for (uint32_t i = 0; race->polls && i < program->count; i++) {
        const uop *u = &program->uops[i];
        const uop_memory *m = emu_memory_of(program, u);
        const uint32_t rest = program->count - i;
        if (m && m->is_strong && m->space != SPACE_SHARED &&
            decides(u, u + (rest < POLL_LENGTH ? rest : POLL_LENGTH), ANY_PREDICATE))
            race->polls[i] = POLL_TEST;
    }
    race->has_polls = race->polls && find_in_loops(program, race->polls, POLL_VALUE);
    if (race->polls)
        find_phase_tests(race);
    return race->polls;
}

bool emu_race_waits_for_clusters(const emu_program *program) {
    return find_in_loops(program, NULL, POLL_FAR);
}
