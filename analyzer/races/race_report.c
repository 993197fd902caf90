/* SPDX-License-Identifier: MIT */
/*
 * Turns races into findings, one for each pair of source lines: both accesses, an example of two
 * threads, and what would order them.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "race.h"
#include "race_state.h"

#define SAY_MISSING(out, ...) (void)snprintf((out)->missing, sizeof(out)->missing, __VA_ARGS__)

static bool is_note(const race_pair *pair) {
    return pair->is_same_value || pair->is_note;
}

/* Whether the finding is of these two lines, in whichever order they ran. */
static bool is_one_pair(const emu_run *run, const smp_finding *at, uint32_t a, uint32_t b) {
    return (race_is_one_line(run, at->instruction, a) &&
            race_is_one_line(run, at->other_instruction, b)) ||
           (race_is_one_line(run, at->instruction, b) &&
            race_is_one_line(run, at->other_instruction, a));
}

static smp_finding *add(smp_emulation *out) {
    if (out->finding_count == SMP_FINDINGS_MAX) {
        out->findings_lost++;
        return NULL;
    }
    smp_finding *made = &out->findings[out->finding_count++];
    *made = (smp_finding){.kind = SMP_FINDING_RACE};
    return made;
}

static smp_finding *find(const emu_race *race, const race_pair *pair) {
    smp_emulation *out = race->worker->run->out;
    EACH(smp_finding, at, out->findings, out->finding_count)
        if (at->kind == SMP_FINDING_RACE && !at->other_place && !at->is_beside &&
            at->is_note == is_note(pair) &&
            is_one_pair(race->worker->run, at, pair->now.instruction, pair->before.instruction))
            return at;
    smp_finding *made = add(out);
    if (made)
        made->is_note = is_note(pair);
    return made;
}

/* ---- Words ---- */

static void place(const emu_race *race, const race_side *side, uint32_t block[3],
                  uint32_t thread[3]) {
    const smp_launch *launch = race->worker->run->launch;
    const uint32_t per_block = race->worker->blocks[0].warp_count, rank = side->warp / per_block;
    uint32_t number = side->warp % per_block * SMP_LANES + side->lane;
    if (side->cluster == 0)
        memcpy(block, race->worker->blocks[rank].at, 3 * sizeof(*block));
    else
        emu_block_place(launch, side->cluster - 1, rank, block);
    for (unsigned i = 0; i < 3; i++) {
        thread[i] = number % launch->block[i];
        number /= launch->block[i];
    }
}

static void name_block(const uint32_t block[3], char out[48]) {
    (void)snprintf(out, 48, " of block (%u,%u,%u)", block[0], block[1], block[2]);
}

static void say_message(const race_pair *pair, smp_finding *out) {
    static const char *const ends[] = {[GAP_ORDER] = "nothing orders the two",
                                       [GAP_WAIT] = "that may still be under way",
                                       [GAP_PROXY] = "no proxy fence is between them",
                                       [GAP_BEHIND] =
                                           "the proxy fence between them is not the writer's",
                                       [GAP_LOOSE] = "only the hardware orders the two",
                                       [GAP_BLIND] = "nothing orders the two",
                                       [GAP_ENDED] = "only the end of the other thread orders "
                                                     "the two",
                                       [GAP_STALE] = "both are volatile or atomic, but nothing "
                                                     "orders them, so it may read the old value"};
    if (pair->order == RACE_END) {
        (void)snprintf(out->message, sizeof out->message,
                       "thread (%u,%u,%u) accesses shared memory of block (%u,%u,%u) of its "
                       "cluster, which may have ended",
                       out->thread[0], out->thread[1], out->thread[2], out->other_block[0],
                       out->other_block[1], out->other_block[2]);
        return;
    }
    static const char *const orders[] = {
        [RACE_RAW] = "reads", [RACE_WAR] = "writes", [RACE_WAW] = "writes"};
    static const char *const names[] = {[RACE_RAW] = "wrote (read after write)",
                                        [RACE_WAR] = "read (write after read)",
                                        [RACE_WAW] = "wrote (write after write)"};
    char own[48] = "", other[48] = "";
    if (memcmp(out->block, out->other_block, sizeof out->block) != 0) {
        name_block(out->block, own);
        name_block(out->other_block, other);
    }
    (void)snprintf(out->message, sizeof out->message,
                   "thread (%u,%u,%u)%s %s byte %llu of %.60s, which thread (%u,%u,%u)%s %s%s%s; "
                   "%s",
                   out->thread[0], out->thread[1], out->thread[2], own, orders[pair->order],
                   (unsigned long long)pair->address,
                   pair->array ? pair->array->name : "shared memory", out->other_thread[0],
                   out->other_thread[1], out->other_thread[2], other, names[pair->order],
                   pair->is_atomic ? ", one of them atomically" : "",
                   pair->is_same_value ? ", the same value" : "", ends[pair->gap]);
}

/* Whether the thread waited for the phase before the one that the copy completes. */
static bool has_waited_early(const emu_race *race, const race_pair *pair) {
    const race_flight *flight = pair->flight;
    const race_view *view = race->warps[pair->now.warp].lanes[pair->now.lane].of[KNOWS_ALL];
    return flight->kind == FLIGHT_LOAD && flight->mbarrier != 0 && flight->phase > 0 &&
           view->phases && view->phases[flight->mbarrier - 1] == flight->phase;
}

/* Whether the later thread waited for its own copies of the group; this one is another thread's. */
static bool has_waited_for_own(const emu_race *race, const race_pair *pair) {
    const race_flight *copy = pair->flight;
    if (copy->kind != FLIGHT_COPY || copy->mbarrier != 0)
        return false;
    EACH(const race_flight, own, race->flights, race->flight_count)
        if (own->kind == FLIGHT_COPY && own->warp == pair->now.warp && own->group == copy->group &&
            own->instruction == copy->instruction && own->lanes >> pair->now.lane & 1)
            return (own->pending >> pair->now.lane & 1) == 0;
    return false;
}

/* Says what the earlier access may still be doing, and what would wait for it. */
static void say_wait(const emu_race *race, const race_pair *pair, const char *where,
                     smp_finding *out) {
    static const char *const waits[] = {
        [FLIGHT_COPY] = "a wait for the copy; its thread's cp.async.wait_group, and a barrier for "
                        "other threads,",
        [FLIGHT_LOAD] = "a wait for the copy; one for the phase of its mbarrier",
        [FLIGHT_STORE] = "a wait for the copy to read; its thread's "
                         "cp.async.bulk.wait_group.read, and a barrier for other threads,",
        [FLIGHT_WRITE] = "a wait for the copy to write; its thread's "
                         "cp.async.bulk.wait_group (not .read), and a barrier for other threads,",
        [FLIGHT_MATRIX] = "a wait for wgmma; wgmma.wait_group, and a barrier for other warps,"};
    if (has_waited_early(race, pair))
        SAY_MISSING(
            out,
            "a wait for the phase of the mbarrier that the copy ends, later than the one waited "
            "for; check parity, expect_tx without its bytes, an arrival before the read");
    else if (has_waited_for_own(race, pair))
        SAY_MISSING(out,
                    "a barrier after cp.async.wait_group, which waits for a thread's own copies "
                    "only; __syncthreads() %s would order them",
                    where);
    else
        SAY_MISSING(out, "%s %s would order them", waits[pair->flight->kind], where);
}

/* For pairs that the hardware orders and the memory model does not. */
static void say_loose(const race_pair *pair, const char *where, smp_finding *out) {
    if (pair->array)
        SAY_MISSING(out,
                    "a fence after the flag, ticket or lock is observed; __threadfence() or an "
                    "acquire would order them (L1 may hold an old line)");
    else if (pair->now.warp == pair->before.warp)
        SAY_MISSING(out,
                    "a barrier of the warp, because convergence does not order memory; "
                    "__syncwarp() %s would order them",
                    where);
    else
        SAY_MISSING(out,
                    "fences for the flag; __threadfence_block() before it is set and after its "
                    "loop, or a release and an acquire, would order them");
}

/* Whether all flags, tickets and locks of the program have block scope. */
static bool is_all_narrow(const emu_program *program) {
    bool has_narrow = false;
    for (uint32_t i = 0; i < program->memory_count; i++)
        has_narrow |= program->memory[i].is_narrow;
    return has_narrow && !emu_race_orders_clusters(program);
}

static const char *between_blocks(const emu_race *race, const race_pair *pair) {
    if (race_memory_at(race, pair->now.instruction)->is_narrow ||
        race_memory_at(race, pair->before.instruction)->is_narrow ||
        race->warps[pair->now.warp].is_narrow || is_all_narrow(race->worker->run->program))
        return "a wider scope than a block's; .gpu, thread_scope_device, atomicAdd() or "
               "__threadfence() would reach other blocks";
    return "an order of the blocks; a second launch, grid.sync(), or a flag or ticket set after a "
           "__threadfence() and seen before another would order them";
}

/* Whether both are of the kernel's own lines, in this order, though the compiler exchanged them. */
static bool is_exchanged(const emu_race *race, uint32_t first, uint32_t last) {
    const smp_instruction *linked = race->worker->run->program->function->linked;
    return linked[first].frame_count == 1 && linked[last].frame_count == 1 &&
           strcmp(linked[first].frames->file, linked[last].frames->file) == 0 &&
           linked[last].frames->line < linked[first].frames->line;
}

/* Names the line that lacks a barrier before it: that of the later access or, if only a loop leads
 * from one to the other without a barrier, that of the earlier one, or both. */
static void say_places(const emu_race *race, const race_pair *pair, char *where, size_t size) {
    const uint32_t a = pair->now.instruction, b = pair->before.instruction, first = a < b ? a : b,
                   last = a < b ? b : a;
    const bool forward = race_meets_no_barrier(race, first, last),
               back = race_meets_no_barrier(race, last, first);
    const smp_source_line *begin = race_line_of(race->worker->run, first),
                          *end = race_line_of(race->worker->run, last);
    if (!begin || !end)
        return;
    if (forward && back && begin->line != end->line)
        (void)snprintf(where, size, "before line %u and, in their loop, before line %u", end->line,
                       begin->line);
    else
        (void)snprintf(where, size, "before line %u",
                       back ? (forward ? end : begin)->line
                            : (is_exchanged(race, first, last) ? begin : end)->line);
}

/* Whether some warps arrive at a barrier without waiting. */
static bool has_arrivals(const emu_program *program) {
    return ANY(one, program->uops, program->count,
               one->kind == UOP_BARRIER && (one->imm2 & 1) == 0);
}

/* Whether the two belong to different roles, which __syncthreads() cannot order. */
static bool is_of_roles(const emu_race *race, const race_pair *pair) {
    return pair->now.warp != pair->before.warp &&
           (race->mbarrier_count > 0 || has_arrivals(race->worker->run->program)) &&
           race_is_apart(race, pair->now.instruction, pair->before.instruction);
}

static void say_roles(const emu_race *race, const race_pair *pair, const char *where,
                      smp_finding *out) {
    static const char *const waits[] = {[FLIGHT_COPY] = " and its cp.async.wait_group",
                                        [FLIGHT_LOAD] = "",
                                        [FLIGHT_STORE] = " and its cp.async.bulk.wait_group.read",
                                        [FLIGHT_WRITE] = " and its cp.async.bulk.wait_group",
                                        [FLIGHT_MATRIX] = " and its wgmma.wait_group"};
    const smp_source_line *before = race_line_of(race->worker->run, pair->before.instruction);
    SAY_MISSING(out, "%s; an arrival after line %u%s, and a wait for it %s, would order them",
                race->mbarrier_count > 0 ? "an mbarrier" : "a named barrier",
                before ? before->line : 0, pair->flight ? waits[pair->flight->kind] : "", where);
}

/* Whether one line both reads and writes, so that no barrier in front of it orders the two. */
static bool is_in_one_line(const emu_race *race, const race_pair *pair) {
    const smp_source_line *now = race_line_of(race->worker->run, pair->now.instruction),
                          *before = race_line_of(race->worker->run, pair->before.instruction);
    return pair->order != RACE_WAW && now && before && now->line == before->line &&
           strcmp(now->file, before->file) == 0;
}

static smp_race_reach reach_of(const emu_race *race, const race_pair *pair, bool is_looped) {
    return race_is_between_clusters(race, pair)  ? SMP_IN_GRID
           : pair->now.warp != pair->before.warp ? SMP_IN_CLUSTER
           : is_looped && pair->is_uneven        ? SMP_IN_TURNS
                                                 : SMP_IN_WARP;
}

/* Whether a thread reads and writes one place by the two, as "n[i] += 1" does: in "n[i] += n[i -
 * 1]" an atomic addition would not order the read of the other place. */
static bool is_update_of_one(const emu_race *race, const race_pair *pair) {
    const memory_address *a = &race_memory_at(race, pair->now.instruction)->at,
                         *b = &race_memory_at(race, pair->before.instruction)->at;
    return emu_is_one_operand(&a->base, &b->base) && emu_is_one_operand(&a->uniform, &b->uniform) &&
           a->scale == b->scale && a->offset_bytes == b->offset_bytes;
}

static void say_update(const emu_race *race, const race_pair *pair, uint32_t line,
                       smp_finding *out) {
    char turns[64] = "";
    if (out->is_looped && reach_of(race, pair, true) != SMP_IN_TURNS)
        (void)snprintf(turns, sizeof turns, ", or %s in each turn of the loop,",
                       pair->now.warp == pair->before.warp ? "__syncwarp()"
                       : race_is_in_block(race, pair->now.warp, pair->before.warp)
                           ? "__syncthreads()"
                           : "cluster.sync()");
    SAY_MISSING(out, "an atomic update; atomicAdd() or its like in line %u%s would order them",
                line, turns);
}

static void say_missing(const emu_race *race, const race_pair *pair, smp_finding *out) {
    const smp_source_line *line = race_line_of(race->worker->run, pair->now.instruction),
                          *before = race_line_of(race->worker->run, pair->before.instruction);
    const char *what = "a barrier of the cluster; cluster.sync()";
    char where[72] = "before the later one";
    if (line)
        (void)snprintf(where, sizeof where, "before line %u", line->line);
    if (pair->order == RACE_END) {
        SAY_MISSING(
            out, "a barrier of the cluster; cluster.sync() before the kernel ends would keep the "
                 "block");
    } else if (pair->array && (pair->gap == GAP_LOOSE || pair->gap == GAP_BLIND)) {
        say_loose(pair, where, out);
    } else if (race_is_between_clusters(race, pair)) {
        SAY_MISSING(out, "%s", between_blocks(race, pair));
    } else if (pair->gap == GAP_ENDED) {
        SAY_MISSING(out, "a barrier that the other thread reaches before it ends; the hardware "
                         "counts ended threads as arrived, but CUDA does not promise this order");
    } else if (pair->gap == GAP_WAIT) {
        say_wait(race, pair, where, out);
    } else if (pair->gap == GAP_LOOSE) {
        say_loose(pair, where, out);
    } else if (pair->gap == GAP_PROXY || pair->gap == GAP_BEHIND) {
        SAY_MISSING(out,
                    "a proxy fence; the writer's fence.proxy.async.%s between line %u and the "
                    "barrier would order them",
                    pair->array ? "global" : "shared::cta", before ? before->line : 0);
    } else if (pair->now.instruction == pair->before.instruction &&
               (pair->now.warp == pair->before.warp || !out->is_looped)) {
        SAY_MISSING(out,
                    "one writer; several %s store to one place: let one of them store, or use "
                    "an atomic operation",
                    pair->now.warp == pair->before.warp ? "lanes" : "threads");
    } else if (line && is_in_one_line(race, pair) && is_update_of_one(race, pair)) {
        say_update(race, pair, line->line, out);
    } else if (reach_of(race, pair, out->is_looped) == SMP_IN_TURNS) {
        SAY_MISSING(out,
                    "a barrier of the warp in each turn of the loop; __syncwarp() where all its "
                    "lanes arrive would order them, else an atomic operation or one writer");
    } else if (is_of_roles(race, pair)) {
        say_roles(race, pair, where, out);
    } else {
        if (pair->own && pair->own->kind == FLIGHT_MATRIX)
            what =
                "a barrier of the four warps after a proxy fence; fence.proxy.async and a barrier";
        else if (pair->now.warp == pair->before.warp)
            what = "a barrier of the warp; __syncwarp()";
        else if (race_is_in_block(race, pair->now.warp, pair->before.warp)) {
            what = "a barrier; __syncthreads()";
            say_places(race, pair, where, sizeof where);
        }
        const bool is_update = is_in_one_line(race, pair);
        if (is_update)
            (void)snprintf(where, sizeof where, "between the two accesses of line %u", line->line);
        SAY_MISSING(out, "%s %s would order them", what, where);
    }
}

static void fill(const emu_race *race, const race_pair *pair, smp_finding *out) {
    out->instruction = pair->now.instruction;
    out->other_instruction = pair->before.instruction;
    out->has_other = true;
    out->is_looped = race_is_looped(race, pair->now.instruction, pair->before.instruction);
    out->reach = pair->gap == GAP_ORDER ? reach_of(race, pair, out->is_looped) : SMP_IN_GRID;
    out->has_address = pair->order != RACE_END;
    out->is_shared = out->has_address && !pair->array;
    out->address = pair->address + (pair->array ? pair->array->address : 0);
    if (pair->array)
        (void)snprintf(out->array, sizeof out->array, "%.95s", pair->array->name);
    place(race, &pair->now, out->block, out->thread);
    place(race, &pair->before, out->other_block, out->other_thread);
    say_message(pair, out);
    say_missing(race, pair, out);
}

/* ---- Findings ---- */

/* Replaces an example by one of threads farther apart: __syncwarp() does not order warps, nor turns
 * that not all lanes make, nor __syncthreads() blocks. */
static void improve(const emu_race *race, const race_pair *pair, smp_finding *finding) {
    if (finding->reach == SMP_IN_GRID || reach_of(race, pair, finding->is_looped) <= finding->reach)
        return;
    const race_pair told = race_in_order(race, *pair);
    fill(race, &told, finding);
}

static smp_finding *find_pair(emu_race *race, const race_pair *pair) {
    smp_emulation *out = race->worker->run->out;
    race_known *known =
        &race->known[(pair->now.instruction * 31 + pair->before.instruction) % RACE_KNOWN];
    if (known->finding != 0 && known->now == pair->now.instruction &&
        known->before == pair->before.instruction && known->is_note == is_note(pair)) {
        improve(race, pair, &out->findings[known->finding - 1]);
        return &out->findings[known->finding - 1];
    }
    const race_pair told = race_in_order(race, *pair);
    smp_finding *finding = find(race, &told);
    if (!finding)
        return NULL;
    *known = (race_known){pair->now.instruction, pair->before.instruction,
                          (uint32_t)(finding - out->findings) + 1, is_note(pair)};
    if (finding->count == 0)
        fill(race, &told, finding);
    else
        improve(race, pair, finding);
    return finding;
}

void race_report(emu_race *race, const race_pair *pair) {
    emu_run *run = race->worker->run;
    pthread_mutex_lock(run->lock);
    smp_finding *finding = find_pair(race, pair);
    if (finding)
        finding->count++;
    pthread_mutex_unlock(run->lock);
}

/* ---- With other work ---- */

static smp_finding *find_launch(smp_emulation *out, const race_launch_pair *pair) {
    EACH(smp_finding, at, out->findings, out->finding_count)
        if (at->is_beside && at->instruction == pair->now.instruction &&
            at->other_place == pair->place)
            return at;
    smp_finding *made = add(out);
    if (made)
        made->is_beside = true;
    return made;
}

static void say_launch(const emu_race *race, const race_launch_pair *pair, smp_finding *out) {
    static const char *const did[] = {[RACE_RAW] = "writes (read after write)",
                                      [RACE_WAR] = "reads (write after read)",
                                      [RACE_WAW] = "writes (write after write)"};
    const smp_source_line *line = race_line_of(race->worker->run, pair->now.instruction);
    (void)snprintf(out->message, sizeof out->message,
                   "thread (%u,%u,%u) %s byte %llu of %.40s, which %s%.60s %s%s; nothing orders "
                   "the two",
                   out->thread[0], out->thread[1], out->thread[2],
                   pair->order == RACE_RAW ? "reads" : "writes", (unsigned long long)pair->address,
                   pair->array->name, pair->place ? "the launch of " : "", pair->name,
                   did[pair->order], pair->is_atomic ? ", one of them atomically" : "");
    if (pair->is_early)
        SAY_MISSING(out,
                    "a wait for the launch before; cudaGridDependencySynchronize() "
                    "(griddepcontrol.wait) before line %u would order them",
                    line ? line->line : 0);
    else
        SAY_MISSING(out,
                    "an order of the two streams; cudaStreamWaitEvent() for an event after the "
                    "first, one stream for both, or a wait of the host, would order them");
}

void race_report_launch(emu_race *race, const race_launch_pair *pair) {
    emu_run *run = race->worker->run;
    pthread_mutex_lock(run->lock);
    smp_finding *finding = find_launch(run->out, pair);
    if (finding && finding->count++ == 0) {
        finding->instruction = finding->other_instruction = pair->now.instruction;
        finding->other_place = pair->place;
        finding->has_other = pair->place;
        finding->has_address = true;
        finding->address = pair->address + pair->array->address;
        (void)snprintf(finding->array, sizeof finding->array, "%.95s", pair->array->name);
        place(race, &pair->now, finding->block, finding->thread);
        say_launch(race, pair, finding);
    }
    pthread_mutex_unlock(run->lock);
}

/* ---- At the end ---- */

static bool is_side_of_race(const emu_run *run, uint32_t instruction) {
    return ANY(at, run->out->findings, run->out->finding_count,
               at->kind == SMP_FINDING_RACE &&
                   (race_is_one_line(run, at->instruction, instruction) ||
                    race_is_one_line(run, at->other_instruction, instruction)));
}

/* Whether an error has the same two lines as the note. */
static bool is_note_on_error(const emu_run *run, const smp_finding *note) {
    for (uint32_t i = 0; note->is_note && i < run->out->finding_count; i++) {
        const smp_finding *at = &run->out->findings[i];
        if (at->kind == SMP_FINDING_RACE && !at->is_note && !at->is_beside &&
            is_one_pair(run, at, note->instruction, note->other_instruction))
            return true;
    }
    return false;
}

/* Whether a thread of the worker's blocks read the bytes, which none of the blocks has written. */
static bool is_unwritten(const emu_worker *worker, const smp_finding *at) {
    const uint64_t byte = at->address + worker->run->program->function->shared_reserved_bytes;
    bool is_there = false, is_written = false;
    EACH(const emu_block, block, worker->blocks, worker->block_count) {
        is_there |= memcmp(at->block, block->at, sizeof at->block) == 0;
        is_written |=
            byte >= block->shared_bytes || (block->is_written[byte / 4] >> byte % 4 & 1) != 0;
    }
    return is_there && !is_written;
}

void emu_race_end(emu_worker *worker) {
    emu_run *run = worker->run;
    pthread_mutex_lock(run->lock);
    EACH(smp_finding, at, run->out->findings, run->out->finding_count)
        if (at->kind == SMP_FINDING_UNINITIALISED && at->is_shared)
            at->is_never_written |= is_unwritten(worker, at);
    pthread_mutex_unlock(run->lock);
}

void emu_race_settle(emu_run *run) {
    DROP_IF(at, run->out->findings, run->out->finding_count, is_note_on_error(run, at));
    DROP_IF(at, run->out->findings, run->out->finding_count,
            at->kind == SMP_FINDING_UNINITIALISED && at->is_shared && !at->ends &&
                !at->is_never_written && is_side_of_race(run, at->instruction));
}
