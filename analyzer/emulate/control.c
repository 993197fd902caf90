/* SPDX-License-Identifier: MIT */
/*
 * The engine: takes the instruction of the current group and runs it for the lanes whose guard is
 * true.
 */
#include <string.h>

#include "engine.h"
#include "lanes.h"
#include "linked.h"
#include "load_chains.h"
#include "race.h"
#include "system_call.h"

enum { GROUP_TURN = 8192 }; /* instructions before another group of the warp takes its turn */

static inline const uint32_t *source(emu_warp *warp, const emu_operand *operand, unsigned slot) {
    const uint32_t *rows = emu_row_of(warp, operand);
    if (operand->modifier == MODIFIER_NONE)
        return rows;
    uint32_t *changed = warp->rows + (ROW_SOURCE + OPERANDS_CHANGED_ROWS * slot) * ROW;
    emu_modify(operand, rows, changed);
    return changed;
}

LANES_CLONED static void blend(uint32_t *d, const uint32_t *from, uint32_t lanes, unsigned rows) {
    for (unsigned i = 0; i < rows; i++, d += ROW, from += ROW)
        EACH_LANE d[l] = lanes >> l & 1 ? from[l] : d[l];
}

static inline void run_lanes(emu_warp *warp, const uop *u, uint32_t exec) {
    bool is_whole = exec == SMP_ALL_LANES || u->ignores_exec;
    uint32_t *d = (uint32_t *)((char *)warp->rows + u->d);
    lane_args x;
    x.d = is_whole ? d : warp->rows + ROW_RESULT * ROW;
    x.a = source(warp, &u->a, 0);
    x.b = source(warp, &u->b, 1);
    x.c = source(warp, &u->c, 2);
    x.p = emu_predicate(warp, u->p);
    x.q = emu_predicate(warp, u->q);
    x.r = emu_predicate(warp, u->r);
    x.p_out = x.q_out = 0;
    x.exec = exec;
    x.u = u;
    x.warp = warp;
    u->fn(&x);
    if (!is_whole)
        blend(d, x.d, exec, u->d_rows);
    emu_set_predicate(warp, u->p_out, exec, x.p_out);
    emu_set_predicate(warp, u->q_out, exec, x.q_out);
}

/* ---- Branches ---- */

/* Leaves `lanes` to the group; the others fall through. */
static void divide_from(emu_warp *warp, emu_group *group, uint32_t lanes) {
    if (lanes != group->mask)
        warp->groups[warp->group_count++] =
            (emu_group){.mask = group->mask & ~lanes, .pc = group->pc + 1, .state = GROUP_READY};
    group->mask = lanes;
}

/* Sends `lanes` of the group to `target`. */
static void divide(emu_warp *warp, emu_group *group, uint32_t lanes, uint32_t target) {
    if (lanes == 0) {
        group->pc++;
        return;
    }
    divide_from(warp, group, lanes);
    group->pc = target;
}

/* The lanes call a function (1) or return from one (-1). */
LANES_CLONED static void change_depth(emu_warp *warp, uint32_t lanes, uint32_t by) {
    uint32_t *depth = warp->convergence.depth;
    EACH_LANE depth[l] += lanes >> l & 1 ? by : 0;
}

static void branch(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec) {
    uint32_t lanes = exec & emu_predicate(warp, u->p);
    if (u->imm2 == BRANCH_ANY && lanes != 0) {
        lanes = group->mask;
    } else if (u->imm2 == BRANCH_DIVIDED || u->imm2 == BRANCH_CONVERGED) {
        bool is_together = emu_is_converged(warp, group, source(warp, &u->a, 0), lanes);
        lanes = is_together == (u->imm2 == BRANCH_CONVERGED) ? group->mask : 0;
    }
    divide(warp, group, lanes, u->target);
}

/* Sends each lane to its own instruction, one target at a time. False if a target is no
 * instruction. */
static bool branch_each(const emu_program *program, emu_warp *warp, const uop *u, emu_group *group,
                        uint32_t exec, const uint32_t index[ROW]) {
    uint32_t rest = exec;
    divide_from(warp, group, exec);
    while (rest != 0) {
        const unsigned first = (unsigned)__builtin_ctz(rest);
        const uint32_t lanes = LANES_ALIKE(l, rest, index[l]);
        if (index[first] >= program->count) {
            emu_found(warp, u, first, SMP_FINDING_OUT_OF_BOUNDS,
                      "a jump to an address without code");
            return false;
        }
        rest &= ~lanes;
        if (rest == 0) {
            group->mask = lanes;
            group->pc = index[first];
        } else {
            warp->groups[warp->group_count++] =
                (emu_group){.mask = lanes, .pc = index[first], .state = GROUP_READY};
        }
    }
    return true;
}

/* Branches to the place in a register. */
static void branch_indexed(const emu_program *program, emu_warp *warp, const uop *u,
                           emu_group *group, uint32_t exec) {
    const uint32_t *at = emu_row_of(warp, &u->a);
    uint32_t index[ROW];
    for (unsigned l = 0; l < ROW; l++)
        index[l] = (at[l] + u->imm) % 16 != 0 ? UINT32_MAX : (at[l] + u->imm) / 16;
    if (u->kind == UOP_RETURN || u->imm2 == INDEXED_CALL)
        change_depth(warp, exec, u->kind == UOP_RETURN ? UINT32_MAX : 1);
    (void)branch_each(program, warp, u, group, exec, index);
}

/* Branches to the address in a register pair: code or, for calls, a function of the driver. */
static bool branch_address(const emu_program *program, emu_warp *warp, const uop *u,
                           emu_group *group, uint32_t exec) {
    const uint32_t *at = emu_row_of(warp, &u->a);
    const uint32_t behind = u->kind == UOP_RETURN_ADDRESS ? u->imm : 0;
    uint32_t index[ROW];
    for (unsigned l = 0; l < ROW; l++)
        index[l] = emu_code_index(program->function, lanes_pair(at, l) + behind);
    const uint32_t inside = LANES_WHERE(index[l] != UINT32_MAX);
    if (u->kind == UOP_CALL_ADDRESS && (inside & exec) == 0) {
        group->pc++;
        return emu_system_call(warp, u, exec);
    }
    change_depth(warp, exec, u->kind == UOP_CALL_ADDRESS ? 1 : UINT32_MAX);
    return branch_each(program, warp, u, group, exec, index);
}

/* Exits `lanes`; false if there are none. */
static bool leave(emu_warp *warp, const uop *u, emu_group *group, uint32_t lanes) {
    group->mask &= ~lanes;
    group->pc++;
    if (lanes == 0)
        return false;
    warp->alive &= ~lanes;
    warp->block->alive -= (uint32_t)__builtin_popcount(lanes);
    if (group->mask == 0)
        emu_group_remove(warp, (uint32_t)(group - warp->groups));
    if (warp->block->alive == 0 && warp->block->worker->race)
        emu_race_block_ends(warp, u, lanes);
    emu_barrier_check(warp->block);
    emu_cluster_check(warp->block->worker);
    return true;
}

/* ---- Barriers ---- */

/* R receives the number of votes; the predicate says whether all or any voted true. */
static void barrier_result(emu_warp *warp, const uop *u, uint32_t exec) {
    uint32_t *d = (uint32_t *)((char *)warp->rows + u->d);
    EACH_LANE_OF(l, exec)
        d[l] = warp->barrier_votes;
    bool all = warp->barrier_votes == warp->barrier_result;
    bool holds = warp->barrier_kind == 1 ? all : warp->barrier_votes != 0;
    emu_set_predicate(warp, u->p_out, exec, holds ? SMP_ALL_LANES : 0);
}

/* The cluster's barrier has opened since the group arrived. */
static bool pass_cluster(emu_warp *warp, emu_group *group, uint32_t exec) {
    if (warp->block->worker->race)
        emu_race_cluster_wait(warp, exec);
    group->pc++;
    return true;
}

/* ---- One instruction that is no computation; false: the group waits or is gone ---- */

static bool run_control(const emu_program *program, emu_warp *warp, const uop *u, emu_group *group,
                        uint32_t exec) {
    switch (u->kind) {
    case UOP_BRANCH:
        branch(warp, u, group, exec);
        return true;
    case UOP_CALL:
        change_depth(warp, exec, 1);
        divide(warp, group, exec, u->target);
        return true;
    case UOP_CALL_ADDRESS:
    case UOP_RETURN_ADDRESS:
        if (exec != 0)
            return branch_address(program, warp, u, group, exec);
        group->pc++;
        return true;
    case UOP_BRANCH_INDEXED:
    case UOP_RETURN:
        if (exec == 0)
            group->pc++;
        else
            branch_indexed(program, warp, u, group, exec);
        return true;
    case UOP_EXIT:
        return !leave(warp, u, group, exec & emu_predicate(warp, u->p));
    case UOP_BSYNC:
        emu_bsync(warp, u, group, exec);
        return group->state == GROUP_READY;
    case UOP_WARPSYNC:
        emu_warpsync(warp, u, group, emu_row_of(warp, &u->a), exec);
        return group->state == GROUP_READY;
    case UOP_COLLECTIVE_END:
        return branch_each(program, warp, u, group, group->mask, warp->collective_next);
    case UOP_BARRIER:
        if (exec == 0) {
            group->pc++;
            return true;
        }
        warp->barrier_kind = (uint8_t)(u->imm2 >> 8);
        emu_barrier_arrive(warp, u, group, exec);
        return false;
    case UOP_CLUSTER_WAIT:
        if (warp->block->worker->cluster_phase != warp->cluster_phase) {
            return pass_cluster(warp, group, exec);
        }
        group->state = GROUP_CLUSTER;
        return false;
    case UOP_YIELD:
        group->pc++;
        warp->is_polling = true;
        return false;
    default:
        if (exec != 0)
            emu_found(warp, u, (unsigned)__builtin_ctz(exec), SMP_FINDING_TRAP,
                      "the kernel stops itself (trap, assert, or code that must not be reached)");
        group->pc++;
        return false;
    }
}

/* Runs an instruction that changes the warp's state. */
static void run_simple(emu_warp *warp, const uop *u, uint32_t exec) {
    switch (u->kind) {
    case UOP_BSSY:
        emu_convergence_begin(warp, u->imm, exec, exec);
        break;
    case UOP_BREAK:
        emu_convergence_break(warp, u->imm, exec & emu_predicate(warp, u->p));
        break;
    case UOP_BMOV_TO_BARRIER:
    case UOP_BMOV_BETWEEN:
    case UOP_BMOV_TO_REGISTER:
        emu_convergence_move(warp, u, exec);
        break;
    case UOP_BARRIER_RESULT:
        barrier_result(warp, u, exec);
        break;
    case UOP_CLUSTER_ARRIVE:
        emu_cluster_arrive(warp, exec);
        break;
    case UOP_UNKNOWN:
        emu_poison_step(warp, u, exec, exec);
        break;
    case UOP_NOP:
        if (warp->block->worker->race && u->imm != ORDER_NONE)
            emu_race_order(warp, u, exec);
        break;
    default:
        break;
    }
}

/* Runs one instruction; false if the group waits or has exited. */
static bool run_one(const emu_program *program, emu_warp *warp, const uop *u, emu_group *group,
                    uint32_t exec) {
    if (u->kind >= UOP_BRANCH)
        return run_control(program, warp, u, group, exec);
    group->pc++;
    if (exec == 0)
        return true;
    if (u->kind == UOP_MEMORY)
        emu_memory(warp, u, exec);
    else if (u->kind == UOP_LANES)
        run_lanes(warp, u, exec);
    else
        run_simple(warp, u, exec);
    return !warp->is_polling;
}

static inline void run_memory(emu_warp *warp, const uop *u, uint32_t exec) {
    emu_memory(warp, u, exec);
    if (u->series != 0 && u->series_place == 0)
        emu_chain_ran(warp, u);
}

/* Runs straight-line operations until the group should wait; returns how many. Adds the active
 * lanes of each to *threads. */
static uint32_t run_straight(emu_warp *warp, const uop *first, uint32_t mask, uint64_t *threads) {
    const uop *u = first, *end = first + first->straight;
    const uint64_t lanes = lanes_popcount(mask);
    bool goes_on = true;
    emu_judge *judge = &warp->block->worker->judge;
    judge->stretch++;
    for (uint32_t count; u < end && goes_on; u += count) {
        uint32_t exec = mask;
        count = u->run_length;
        if (u->guard != PREDICATE_TRUE) {
            exec &= emu_predicate(warp, u->guard);
            *threads -= lanes - lanes_popcount(exec);
            if (exec == 0)
                continue;
        }
        if (u->run) {
            u->run(warp, u, u + count, u->ignores_exec ? SMP_ALL_LANES : exec);
        } else if (u->kind == UOP_LANES) {
            run_lanes(warp, u, exec);
        } else if (u->series != 0 && emu_chain_is_known(judge, u)) {
            emu_chain_load(warp, u, u + count, judge->series[u->series - 1].request);
        } else {
            count = 1;
            run_memory(warp, u, exec);
            goes_on = !warp->is_polling && !warp->block->worker->is_stopped && !warp->tracks_poison;
        }
    }
    if (!goes_on && u < end)
        emu_chain_cut(judge, u);
    *threads += lanes * (uint64_t)(u - first);
    return (uint32_t)(u - first);
}

/* Runs the current group until it waits, exits, or its turn is over; returns the number of
 * instructions. A turn ends only at a branch, a call or a barrier: uniform registers belong to the
 * warp, and ptxas relies on their values within a basic block, also in divergent code. */
static uint64_t run_group(emu_warp *warp, uint64_t turn) {
    emu_worker *worker = warp->block->worker;
    const emu_program *program = worker->run->program;
    uint64_t steps = 0, threads = 0;
    bool goes_on = true, is_between = true;
    while (!worker->is_stopped && (!is_between || (goes_on && steps < turn))) {
        emu_group *group = &warp->groups[warp->current];
        const uop *u = &program->uops[group->pc];
        if (u->straight > 0 && !warp->tracks_poison) {
            worker->reached[group->pc] |= REACHED_STRAIGHT;
            uint32_t count = run_straight(warp, u, group->mask, &threads);
            steps += count;
            group->pc += count;
            goes_on = !warp->is_polling;
            is_between = false;
            continue;
        }
        uint32_t exec = group->mask & emu_predicate(warp, u->guard);
        steps++;
        worker->reached[group->pc] |= REACHED_ONE;
        if (warp->tracks_poison && u->kind != UOP_UNKNOWN &&
            !emu_poison_step(warp, u, group->mask, exec))
            break;
        threads += lanes_popcount(exec);
        goes_on = run_one(program, warp, u, group, exec) && !warp->is_polling;
        is_between = u->kind >= UOP_BRANCH;
    }
    worker->thread_instructions += threads;
    worker->warp_instructions += steps;
    worker->steps += steps;
    return steps;
}

/* Chooses the next ready group after the current one; false if there is none. */
static bool choose_group(emu_warp *warp) {
    uint32_t index = warp->current;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        index = index + 1 < warp->group_count ? index + 1 : 0;
        if (warp->groups[index].state == GROUP_READY) {
            warp->current = index;
            return true;
        }
    }
    return false;
}

bool emu_warp_run(emu_warp *warp, uint64_t turn) {
    bool any = false;
    warp->is_polling = false;
    while (turn > 0 && !warp->block->worker->is_stopped && warp->group_count > 0) {
        if (!choose_group(warp) && !emu_warp_wake(warp) && !emu_convergence_release(warp))
            break;
        if (warp->groups[warp->current].state != GROUP_READY)
            continue;
        uint64_t most = warp->group_count > 1 && turn > GROUP_TURN ? GROUP_TURN : turn;
        uint64_t steps = run_group(warp, most);
        turn -= steps < turn ? steps : turn;
        any = true;
        if (warp->is_polling)
            break;
    }
    return any;
}
