/* SPDX-License-Identifier: MIT */
/*
 * Runs one cluster of blocks from start to end: warps take turns until all have exited or none can
 * continue.
 */
#include "engine.h"

#include "poison.h"
#include "race.h"

#include <stdlib.h>
#include <string.h>

/* Warp instructions in one turn of a warp; turns are short where blocks poll for one another. */
enum { TURN = 1 << 16, SHORT_TURN = 1 << 9 };
/* A loop that backs off tests an mbarrier less than once in IDLE_STEPS instructions. */
enum { IDLE_TURNS = 1 << 14, IDLE_STEPS = 32 };

static uint32_t threads_of(const smp_launch *launch) {
    return launch->block[0] * launch->block[1] * launch->block[2];
}

static bool make_block(emu_worker *worker, emu_block *block) {
    const emu_run *run = worker->run;
    uint32_t warps = (threads_of(run->launch) + SMP_LANES - 1) / SMP_LANES;
    block->worker = worker;
    block->warp_count = warps;
    block->warps = calloc(warps, sizeof(*block->warps));
    block->shared_bytes = run->shared_bytes;
    block->shared = calloc(1, run->shared_bytes + EMU_SHARED_TAIL);
    block->is_written = malloc(run->shared_bytes / 4 + EMU_SHARED_TAIL / 4);
    size_t local_bytes = (size_t)warps * SMP_LANES * run->local_bytes;
    block->local = calloc(local_bytes, 1);
    block->local_writer = calloc(local_bytes / 4, sizeof(*block->local_writer));
    if (!block->warps || !block->shared || !block->is_written || !block->local ||
        !block->local_writer)
        return false;
    for (uint32_t w = 0; w < warps; w++) {
        block->warps[w].rows = aligned_alloc(EMU_ALIGN, (size_t)ROW_COUNT * ROW_BYTES);
        if (!block->warps[w].rows)
            return false;
        memset(block->warps[w].rows, 0, (size_t)ROW_COUNT * ROW_BYTES);
        block->warps[w].files[0] = (char *)block->warps[w].rows;
        block->warps[w].files[1] = (char *)run->program->constants;
        block->warps[w].block = block;
        block->warps[w].index = w;
    }
    return true;
}

uint64_t emu_blocks_bytes(const smp_launch *launch, uint64_t blocks, uint32_t shared_bytes,
                          uint32_t local_bytes) {
    const uint64_t warps = (threads_of(launch) + SMP_LANES - 1) / SMP_LANES;
    const uint64_t of_warp = sizeof(emu_warp) + (uint64_t)ROW_COUNT * ROW_BYTES +
                             2ull * SMP_LANES * local_bytes; /* and its last writers */
    return blocks * (sizeof(emu_block) + shared_bytes + shared_bytes / 4 + warps * of_warp);
}

bool emu_cluster_make(emu_worker *worker) {
    const smp_launch *launch = worker->run->launch;
    worker->cluster_blocks = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    worker->block_count = worker->run->is_together
                              ? launch->grid[0] * launch->grid[1] * launch->grid[2]
                              : worker->cluster_blocks;
    worker->blocks = calloc(worker->block_count, sizeof(*worker->blocks));
    bool is_fine = worker->blocks;
    for (uint32_t i = 0; i < worker->block_count && is_fine; i++)
        is_fine = make_block(worker, &worker->blocks[i]);
    return is_fine;
}

static void free_warp(emu_warp *warp) {
    free(warp->rows);
    free(warp->convergence.saved);
    free(warp->poison);
}

void emu_cluster_free(emu_worker *worker) {
    for (uint32_t i = 0; i < worker->block_count && worker->blocks; i++) {
        emu_block *block = &worker->blocks[i];
        for (uint32_t w = 0; w < block->warp_count && block->warps; w++)
            free_warp(&block->warps[w]);
        free(block->warps);
        free(block->shared);
        free(block->is_written);
        free(block->local);
        free(block->local_writer);
    }
    free(worker->blocks);
    emu_poison_free(worker);
}

static void reset_warp(emu_warp *warp, uint32_t threads) {
    uint32_t first = warp->index * SMP_LANES, count = threads - first;
    warp->alive = count >= SMP_LANES ? SMP_ALL_LANES : (1u << count) - 1;
    const emu_program *program = warp->block->worker->run->program;
    memset(warp->rows, 0, (size_t)program->registers * ROW_BYTES);
    memset(warp->rows + ROW_UNIFORM * ROW, 0, (size_t)program->uniform_registers * ROW_BYTES);
    memset(warp->predicates, 0, sizeof(warp->predicates));
    warp->predicates[PREDICATE_TRUE] = warp->predicates[8 + PREDICATE_TRUE] = SMP_ALL_LANES;
    emu_convergence_reset(warp);
    emu_poison_reset(warp);
    warp->group_count = 1;
    warp->current = 0;
    warp->groups[0] = (emu_group){.mask = warp->alive, .state = GROUP_READY};
    warp->cluster_phase = 0;
    warp->phase_wait.u = NULL;
}

static void reset_block(emu_block *block, uint64_t cluster, uint32_t rank) {
    const smp_launch *launch = block->worker->run->launch;
    block->rank = rank;
    emu_block_place(launch, cluster, rank, block->at);
    block->threads = block->alive = threads_of(launch);
    memset(block->shared, 0, block->shared_bytes);
    uint32_t reserved = block->worker->run->program->function->shared_reserved_bytes / 4;
    block->unwritten = block->shared_bytes / 4 - reserved;
    block->unwritten +=
        block->shared_bytes % EMU_SHARED_TAIL != 0; /* a load may reach part of it */
    memset(block->is_written + reserved, 0,
           block->shared_bytes / 4 - reserved + EMU_SHARED_TAIL / 4);
    memset(block->is_written, 15, reserved);
    const emu_program *program = block->worker->run->program;
    memset(block->is_written + program->reserved_place / 4, 15, program->reserved_bytes / 4);
    memset(block->barriers, 0, sizeof(block->barriers));
    block->awaited = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        reset_warp(&block->warps[w], block->threads);
}

/* The group that a message names: the first group of the first warp that has one or, if `is_ready`,
 * the first group that could run. NULL if there is none. */
static const emu_group *first_group(emu_worker *worker, bool is_ready, emu_warp **out) {
    for (uint32_t b = 0; b < worker->block_count; b++)
        for (uint32_t w = 0; w < worker->blocks[b].warp_count; w++) {
            emu_warp *warp = *out = &worker->blocks[b].warps[w];
            const emu_group *group = &warp->groups[is_ready ? warp->current : 0];
            if (warp->group_count != 0 && (!is_ready || group->state == GROUP_READY))
                return group;
        }
    return NULL;
}

static void report_stuck(emu_worker *worker) {
    emu_warp *warp;
    const emu_group *group = first_group(worker, false, &warp);
    if (!group)
        return;
    const emu_block *block = warp->block;
    const emu_barrier *barrier = &block->barriers[group->reg];
    const unsigned lane = (unsigned)__builtin_ctz(group->mask);
    const uop *u = &worker->run->program->uops[group->pc];
    if (group->state == GROUP_BARRIER)
        emu_found(warp, u, lane, SMP_FINDING_BARRIER,
                  "%u of %u threads wait at a barrier that the others never reach",
                  barrier->arrived, barrier->expected ? barrier->expected : block->alive);
    else
        emu_found(warp, u, lane, SMP_FINDING_BARRIER,
                  "threads wait for others of their %s that never arrive",
                  group->state == GROUP_CLUSTER ? "cluster" : "warp");
}

static void report_limit(emu_worker *worker) {
    emu_warp *warp;
    const emu_group *group = first_group(worker, true, &warp);
    if (group)
        emu_found(warp, &worker->run->program->uops[group->pc],
                  (unsigned)__builtin_ctz(group->mask), SMP_FINDING_LIMIT,
                  "still running after %llu warp instructions of one block (--limit)",
                  (unsigned long long)worker->run->limit);
}

/* Reports warps that wait for the phase of an mbarrier while no other warp does anything. */
static void report_phase(emu_worker *worker) {
    for (uint32_t b = 0; b < worker->block_count; b++)
        for (uint32_t w = 0; w < worker->blocks[b].warp_count; w++)
            if (worker->blocks[b].warps[w].phase_wait.u && !worker->is_stopped)
                emu_phase_never_ends(&worker->blocks[b].warps[w]);
}

/* True if the turn only tested whether a phase has completed, or slept until the next test. */
static bool is_idle(emu_warp *warp, uint64_t steps) {
    if (!warp->is_polling || steps > IDLE_STEPS)
        warp->phase_wait.u = NULL;
    return warp->phase_wait.u;
}

static bool run_turns(emu_worker *worker, bool *is_alive) {
    const uint64_t turn = worker->run->is_together ? SHORT_TURN : TURN;
    bool any = false, idle = true;
    *is_alive = false;
    EACH(emu_block, block, worker->blocks, worker->block_count) {
        for (uint32_t w = 0; w < block->warp_count && !worker->is_stopped; w++) {
            const uint64_t before = worker->steps;
            if (block->warps[w].group_count == 0 || !emu_warp_run(&block->warps[w], turn))
                continue;
            any = true;
            idle = is_idle(&block->warps[w], worker->steps - before) && idle;
        }
        *is_alive |= block->alive > 0;
    }
    worker->idle_turns = any && idle ? worker->idle_turns + 1 : 0;
    return any;
}

void emu_tell(const emu_worker *worker) {
    const emu_run *run = worker->run;
    const uint64_t begun = __atomic_load_n(&run->next_cluster, __ATOMIC_RELAXED);
    run->launch->told(
        run->launch->user,
        &(smp_emulation_step){.clusters = begun < run->cluster_count ? begun : run->cluster_count,
                              .cluster_count = run->cluster_count,
                              .steps = worker->steps,
                              .limit = run->limit * worker->block_count});
}

void emu_cluster_run(emu_worker *worker, uint64_t index) {
    bool is_alive = true;
    worker->steps = 0;
    worker->idle_turns = 0;
    worker->block_serial++;
    worker->written_serial++;
    worker->cluster = (uint32_t)index;
    worker->has_met = worker->run->is_together;
    worker->cluster_arrived = 0;
    worker->cluster_phase = 1;
    for (uint32_t b = 0; b < worker->block_count; b++)
        reset_block(&worker->blocks[b], index + b / worker->cluster_blocks,
                    b % worker->cluster_blocks);
    if (worker->race)
        emu_race_begin(worker);
    while (is_alive && !worker->is_stopped &&
           !__atomic_load_n(&worker->run->is_stopped, __ATOMIC_RELAXED) &&
           !emu_is_asked_to_stop(worker->run)) {
        bool any = run_turns(worker, &is_alive);
        if (worker->starts_others)
            worker->run->start_others(worker);
        if (worker->tells)
            emu_tell(worker);
        if (is_alive && !any && !worker->is_stopped)
            report_stuck(worker);
        else if (is_alive && worker->idle_turns > IDLE_TURNS)
            report_phase(worker);
        else if (is_alive && worker->steps > worker->run->limit * worker->block_count)
            report_limit(worker);
    }
    if (worker->race)
        emu_race_end(worker);
}
