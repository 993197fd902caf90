/* SPDX-License-Identifier: MIT */
/*
 * Barriers: the sixteen numbered ones of a block, one for each warpgroup (WARPGROUP.WAIT, which
 * cuBLASLt's products need), and one for each cluster. Exited threads are not waited for.
 */
#include "engine.h"
#include "race.h"

static uint32_t popcount(uint32_t mask) {
    return (uint32_t)__builtin_popcount(mask);
}

/* Releases the block's groups in this state; `id` is the number of the block's barrier, 0 for other
 * states. */
static void release(emu_block *block, group_state state, uint32_t id) {
    const emu_barrier *barrier = &block->barriers[id];
    EACH(emu_warp, warp, block->warps, block->warp_count) {
        uint32_t released = 0;
        EACH(emu_group, group, warp->groups, warp->group_count) {
            if (group->state != state || (state == GROUP_BARRIER && group->reg != id))
                continue;
            group->state = GROUP_READY;
            group->pc++;
            released |= group->mask;
            if (state == GROUP_BARRIER) {
                warp->barrier_votes = barrier->votes;
                warp->barrier_result = barrier->arrived;
            }
        }
        emu_group_merge(warp, released);
    }
}

/* The line of the user's code that waits at `group`'s instruction; 0 if unknown. */
static unsigned line_of(const emu_program *program, const emu_group *group) {
    const smp_source_line *line = smp_emu_user_line(&program->function->linked[group->pc]);
    return line ? line->line : 0;
}

/* Two groups of a barrier at different instructions; `warp` is that of `later`. */
static void say_split(emu_warp *warp, const emu_group *first, const emu_group *later,
                      bool is_of_warp) {
    const emu_program *program = warp->block->worker->run->program;
    const uop *u = &program->uops[later->pc];
    const unsigned lane = (unsigned)__builtin_ctz(later->mask);
    if (is_of_warp)
        emu_found(warp, u, lane, SMP_FINDING_BARRIER,
                  "%u threads of a warp wait here, and %u others of it at the barrier of line %u: "
                  "all threads must reach the same one",
                  popcount(later->mask), popcount(first->mask), line_of(program, first));
    else
        emu_noted(warp, u, lane, SMP_FINDING_BARRIER,
                  "a warp waits here, and another of its block at the barrier of line %u: CUDA "
                  "asks that all threads of a block reach the same __syncthreads()",
                  line_of(program, first));
}

/* Finds threads that wait at different instructions: lanes of a warp, which bar.sync does not
 * allow (barrier.sync does: its code has the number in a register), and warps at a barrier of the
 * whole block, which hardware counts together, but CUDA does not promise to. */
static void find_split(emu_block *block, uint32_t id) {
    const emu_program *program = block->worker->run->program;
    const emu_group *of_block = NULL;
    for (uint32_t w = 0; w < block->warp_count && id < BLOCK_BARRIERS; w++) {
        emu_warp *warp = &block->warps[w];
        const emu_group *of_warp = NULL;
        EACH(const emu_group, group, warp->groups, warp->group_count) {
            if (group->state != GROUP_BARRIER || group->reg != id ||
                program->uops[group->pc].imm2 & 4)
                continue;
            of_warp = of_warp ? of_warp : group;
            of_block = of_block ? of_block : group;
            const emu_group *first = of_warp->pc != group->pc ? of_warp : of_block;
            if (first->pc == group->pc || (first != of_warp && block->barriers[id].expected != 0))
                continue;
            if (first == of_warp && first->pc > group->pc)
                say_split(warp, group, first, true);
            else
                say_split(warp, first, group, first == of_warp);
            return;
        }
    }
}

void emu_barrier_check(emu_block *block) {
    for (uint32_t ids = block->awaited; ids != 0; ids &= ids - 1) {
        const uint32_t id = (uint32_t)__builtin_ctz(ids);
        const emu_barrier *barrier = &block->barriers[id];
        uint32_t expected = barrier->expected != 0 ? barrier->expected : block->alive;
        if (barrier->arrived < expected)
            continue;
        find_split(block, id);
        if (block->worker->race)
            emu_race_open(block, id);
        release(block, GROUP_BARRIER, id);
        block->barriers[id] = (emu_barrier){0, 0, 0};
        block->awaited &= ~(1u << id);
    }
}

/* Counts the live threads of the warp's warpgroup. */
static uint32_t threads_of_warpgroup(const emu_warp *warp) {
    const emu_block *block = warp->block;
    uint32_t count = 0;
    for (uint32_t w = warp->index / 4 * 4; w < block->warp_count && w / 4 == warp->index / 4; w++)
        count += block->warps[w].alive != 0 ? SMP_LANES : 0;
    return count;
}

/* Finds the barrier and its thread count; false after a finding that says why there is none. */
static bool find_barrier(emu_warp *warp, const uop *u, unsigned lane, uint32_t *id,
                         uint32_t *count) {
    if (u->imm2 & BARRIER_OF_WARPGROUP) {
        *id = BLOCK_BARRIERS + warp->index / 4;
        *count = threads_of_warpgroup(warp);
        return true;
    }
    *id = emu_row_of(warp, &u->a)[lane];
    *count = emu_row_of(warp, &u->b)[lane];
    if (u->imm2 & 4) {
        *id &= 0xffff;
        *count >>= 16;
    }
    if (*id >= BLOCK_BARRIERS)
        emu_found(warp, u, lane, SMP_FINDING_BARRIER, "barrier %u: a block has %d", *id,
                  BLOCK_BARRIERS);
    return *id < BLOCK_BARRIERS;
}

void emu_barrier_arrive(emu_warp *warp, const uop *u, emu_group *group, uint32_t exec) {
    uint32_t id, count;
    if (!find_barrier(warp, u, (unsigned)__builtin_ctz(exec), &id, &count))
        return;
    emu_barrier *barrier = &warp->block->barriers[id];
    /* An explicit count is in whole warps, so exited lanes count too. */
    barrier->arrived += count != 0 && exec == warp->alive ? SMP_LANES : popcount(exec);
    barrier->expected = count;
    warp->block->awaited |= (uint32_t)(barrier->arrived != 0) << id;
    if (u->imm2 & 2)
        barrier->votes += popcount(exec & emu_predicate(warp, u->p));
    if (u->imm2 & 1) {
        group->state = GROUP_BARRIER;
        group->reg = (uint8_t)id;
    } else {
        group->pc++;
        if (warp->block->worker->race)
            emu_race_arrive(warp, id, exec);
    }
    emu_barrier_check(warp->block);
}

void emu_cluster_check(emu_worker *worker) {
    uint32_t alive = 0;
    if (worker->cluster_arrived == 0)
        return;
    for (uint32_t b = 0; b < worker->block_count; b++)
        alive += worker->blocks[b].alive;
    if (worker->cluster_arrived < alive)
        return;
    worker->cluster_arrived = 0;
    worker->cluster_phase++;
    if (worker->race)
        emu_race_cluster_open(worker);
    for (uint32_t b = 0; b < worker->block_count; b++) {
        if (worker->race)
            emu_race_cluster_release(&worker->blocks[b]);
        release(&worker->blocks[b], GROUP_CLUSTER, 0);
    }
}

void emu_cluster_arrive(emu_warp *warp, uint32_t exec) {
    emu_worker *worker = warp->block->worker;
    warp->cluster_phase = worker->cluster_phase;
    worker->cluster_arrived += popcount(exec);
    if (worker->race)
        emu_race_cluster_arrive(warp, exec);
    emu_cluster_check(worker);
}
