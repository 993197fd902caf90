/* SPDX-License-Identifier: MIT */
/*
 * Which access of a race comes first. The emulator ran one of them first by chance; told is the
 * order that the code has them in, or, where a loop has both orders, that of the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "race.h"
#include "race_state.h"

/* ---- In the code ---- */

/* The instructions that may run next after number `at`; false if unknown. */
static bool successors(const emu_program *program, uint32_t at, uint32_t next[2], uint32_t *count) {
    const uop *u = &program->uops[at];
    const bool is_certain = u->guard == PREDICATE_TRUE;
    *count = 0;
    switch (u->kind) {
    case UOP_BRANCH_INDEXED:
    case UOP_CALL_ADDRESS:
    case UOP_RETURN_ADDRESS:
        return false;
    case UOP_BRANCH:
    case UOP_CALL:
        next[(*count)++] = u->target;
        if (is_certain && u->kind == UOP_BRANCH)
            return true;
        break;
    case UOP_EXIT:
    case UOP_RETURN:
    case UOP_TRAP:
        if (is_certain)
            return true;
        break;
    default:
        break;
    }
    next[(*count)++] = at + 1;
    return true;
}

/* Whether instruction `to` can run after `from`, `past_barriers` or without one between the two;
 * true where that is unknown. */
static bool leads_to(const emu_program *program, uint32_t from, uint32_t to, bool past_barriers) {
    bool *seen = calloc(program->count + 1, sizeof(*seen));
    uint32_t *rest = malloc((program->count + 1) * sizeof(*rest)), left = 0, next[2], count;
    bool is_found = !seen || !rest;
    if (!is_found)
        rest[left++] = from;
    while (left > 0 && !is_found) {
        const uint32_t at = rest[--left];
        if (!past_barriers && program->uops[at].kind == UOP_BARRIER)
            continue;
        is_found = !successors(program, at, next, &count);
        for (uint32_t i = 0; i < count && !is_found; i++) {
            is_found = next[i] == to;
            if (next[i] < program->count && !seen[next[i]]) {
                seen[next[i]] = true;
                rest[left++] = next[i];
            }
        }
    }
    free(seen);
    free(rest);
    return is_found;
}

bool race_is_apart(const emu_race *race, uint32_t a, uint32_t b) {
    const emu_program *program = race->worker->run->program;
    return !leads_to(program, a, b, true) && !leads_to(program, b, a, true);
}

bool race_is_looped(const emu_race *race, uint32_t a, uint32_t b) {
    const emu_program *program = race->worker->run->program;
    return leads_to(program, a, b, true) && leads_to(program, b, a, true);
}

bool race_meets_no_barrier(const emu_race *race, uint32_t from, uint32_t to) {
    return leads_to(race->worker->run->program, from, to, false);
}

/* Finding a line compares paths, and each race asks for many. */
const smp_source_line *race_line_of(const emu_run *run, uint32_t instruction) {
    const smp_source_line **line = &run->race_lines[instruction];
    if (!*line)
        *line = smp_emu_user_line(&run->program->function->linked[instruction]);
    return *line;
}

bool race_is_one_line(const emu_run *run, uint32_t a, uint32_t b) {
    if (a == b)
        return true;
    const smp_source_line *x = race_line_of(run, a), *y = race_line_of(run, b);
    return x && y && x->line == y->line && strcmp(x->file, y->file) == 0;
}

bool emu_race_orders_clusters(const emu_program *program) {
    return ANY(one, program->uops, program->count,
               one->kind == UOP_NOP && (one->imm == ORDER_FENCE || one->imm == ORDER_INVALIDATE));
}

/* ---- In the threads ---- */

enum { LOOKED_BACK = 1 << 14 };

/* Whether the thread ran a line between its warp's last meeting with others and event `end`. */
static bool was_at(const emu_race *race, const race_side *thread, uint32_t instruction,
                   uint32_t end) {
    uint32_t event = end, least = race->warps[thread->warp].seen;
    if (event > least && event - least > LOOKED_BACK)
        least = event - LOOKED_BACK;
    if (least + 1 < race->first_event)
        least = race->first_event - 1;
    while (event > least + 1) {
        const race_event *at = race_event_of(race, --event);
        if (at->warp == thread->warp && (at->lanes == 0 || at->lanes >> thread->lane & 1) &&
            race_is_one_line(race->worker->run, at->instruction, instruction))
            return true;
    }
    return false;
}

bool race_is_between_clusters(const emu_race *race, const race_pair *pair) {
    const uint32_t warps = race->worker->cluster_blocks * race->worker->blocks[0].warp_count;
    return pair->now.cluster != 0 || pair->before.cluster != 0 ||
           pair->now.warp / warps != pair->before.warp / warps;
}

static bool is_in_order(const emu_race *race, const race_pair *pair) {
    const emu_program *program = race->worker->run->program;
    const uint32_t now = pair->now.instruction, before = pair->before.instruction;
    const uint32_t end = pair->before_event != 0 ? pair->before_event : race->event;
    if (pair->order == RACE_END || pair->gap == GAP_PROXY || pair->gap == GAP_ENDED)
        return true;
    const bool has_been = was_at(race, &pair->now, before, race->event);
    if (race_is_between_clusters(race, pair)) /* whichever ran first says nothing */
        return pair->order == RACE_WAW ? now >= before : pair->order == RACE_WAR ? has_been : true;
    const bool is_behind = leads_to(program, before, now, true);
    if (is_behind != leads_to(program, now, before, true))
        return is_behind;
    return has_been || pair->now.warp == pair->before.warp ||
           (!was_at(race, &pair->before, now, end) &&
            (!pair->is_unwritten || pair->order != RACE_WAR));
}

race_pair race_in_order(const emu_race *race, race_pair pair) {
    const race_pair seen = pair;
    if (is_in_order(race, &pair))
        return pair;
    pair.now = seen.before;
    pair.before = seen.now;
    pair.flight = seen.own;
    pair.gap = seen.own ? GAP_WAIT : GAP_ORDER;
    pair.order = seen.order == RACE_RAW ? RACE_WAR : seen.order == RACE_WAR ? RACE_RAW : RACE_WAW;
    return pair;
}
