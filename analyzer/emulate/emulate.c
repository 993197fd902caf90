/* SPDX-License-Identifier: MIT */
/*
 * A launch: checked against the chip's limits, its clusters distributed to CPU threads, its sites
 * added to a profile.
 */
#define _GNU_SOURCE /* pthread_timedjoin_np */
#include "emulate.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "block_order.h"
#include "engine.h"
#include "judge.h"
#include "load_chains.h"
#include "memory_opcode.h"
#include "race.h"
#include "race_beside.h"
#include "seconds.h"
#include "system_call.h"

enum { THREADS_MOST = 1024 }; /* in a block */
enum { WORKERS_MAX = 256, STACK_BYTES = 2048 };
/* Multiprocessors of the largest chip times 32 blocks. */
enum { COOPERATIVE_MOST = 160 * 32 };
#define DEFAULT_LIMIT 1000000000ull
#define DEFAULT_LAUNCH_LIMIT 100000000000ull

static uint64_t product(const uint32_t v[3]) {
    return (uint64_t)v[0] * v[1] * v[2];
}

static smp_status refuse(smp_error *error, const char *format, uint64_t is, uint64_t most) {
    return smp_error_set(error, SMP_E_RANGE, -1, format, (unsigned long long)is,
                         (unsigned long long)most);
}

smp_status smp_emulate_shape_check(const uint32_t grid[3], const uint32_t block[3],
                                   smp_error *error) {
    static const uint32_t block_most[3] = {1024, 1024, 64},
                          grid_most[3] = {0x7fffffff, 65535, 65535};
    for (unsigned i = 0; i < 3; i++) {
        if (block[i] == 0 || grid[i] == 0)
            return smp_error_set(error, SMP_E_RANGE, -1, "a launch needs at least one thread");
        if (block[i] > block_most[i])
            return refuse(error, "a block of %llu threads along one axis: at most %llu", block[i],
                          block_most[i]);
        if (grid[i] > grid_most[i])
            return refuse(error, "a grid of %llu blocks along one axis: at most %llu", grid[i],
                          grid_most[i]);
    }
    return product(block) > THREADS_MOST ? refuse(error, "a block of %llu threads: at most %llu",
                                                  product(block), THREADS_MOST)
                                         : SMP_OK;
}

static smp_status check_shape(const smp_launch *launch, smp_error *error) {
    if (smp_emulate_shape_check(launch->grid, launch->block, error))
        return error->status;
    for (unsigned i = 0; i < 3; i++) {
        if (launch->cluster[i] == 0)
            return smp_error_set(error, SMP_E_RANGE, -1, "a launch needs at least one thread");
        if (launch->grid[i] % launch->cluster[i] != 0)
            return refuse(error, "a grid of %llu blocks is not a multiple of its clusters of %llu",
                          launch->grid[i], launch->cluster[i]);
    }
    return launch->is_cooperative && product(launch->cluster) > 1
               ? smp_error_set(error, SMP_E_RANGE, -1,
                               "a cooperative launch of clusters is not supported")
               : SMP_OK;
}

/* Checks the cluster of a kernel that states its own or its largest one. */
static smp_status check_cluster(const smp_function *f, const smp_launch *launch, smp_error *error) {
    if (f->is_launched_by_cluster)
        return smp_error_set(error, SMP_E_RANGE, -1,
                             "%.100s: a launch that counts clusters (__block_size__ with a "
                             "cluster) is not supported",
                             f->name);
    for (unsigned i = 0; i < 3; i++)
        if (f->cluster[i] != 0 && launch->cluster[i] != f->cluster[i])
            return refuse(error, "a cluster of %llu blocks along one axis: the kernel has %llu",
                          launch->cluster[i], f->cluster[i]);
    if (f->max_cluster_blocks != 0 && product(launch->cluster) > f->max_cluster_blocks)
        return refuse(error, "a cluster of %llu blocks: the kernel is compiled for at most %llu",
                      product(launch->cluster), f->max_cluster_blocks);
    return SMP_OK;
}

/* Local memory of a thread: a stack for the deepest calls, within the limit. */
static uint64_t local_bytes_of(const smp_function *function, const smp_launch *launch) {
    uint64_t bytes = (launch->run.stack_bytes > 0 ? launch->run.stack_bytes : STACK_BYTES) + 511;
    for (uint32_t i = 0; i < function->part_count; i++)
        bytes += function->parts[i].function->local_bytes;
    bytes = bytes / 512 * 512;
    return bytes < SMP_LOCAL_MOST ? bytes : SMP_LOCAL_MOST;
}

static smp_status check_launch(const smp_function *f, const smp_launch *launch, smp_error *error) {
    smp_status status = check_cluster(f, launch, error);
    if (status == SMP_OK)
        status = check_shape(launch, error);
    if (status != SMP_OK)
        return status;
    const uint64_t threads = product(launch->block), warps = (threads + 31) / 32;
    const uint64_t bound = product(f->max_threads);
    const struct {
        uint64_t is, most;
        const char *format;
    } limits[] = {
        {launch->is_cooperative ? product(launch->grid) : 0, COOPERATIVE_MOST,
         "a cooperative launch of %llu blocks: no chip holds more than %llu"},
        {product(launch->cluster), SMP_CLUSTER_BLOCKS_MAX,
         "a cluster of %llu blocks: at most %llu"},
        {threads, bound != 0 ? bound : threads,
         "a block of %llu threads: the kernel is compiled for at most %llu"},
        {(uint64_t)f->shared_bytes + launch->dynamic_shared_bytes,
         1024ull * launch->arch->shared_block_kib,
         "%llu bytes of shared memory: a block can have %llu"},
        {warps * ((f->registers * 32ull + 255) / 256 * 256), REGISTERS_OF_SM,
         "a block that needs %llu registers: there are %llu"},
        {f->local_bytes, SMP_LOCAL_MOST, "%llu bytes of local memory: a thread can have %llu"},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        if (limits[i].is > limits[i].most)
            return refuse(error, limits[i].format, limits[i].is, limits[i].most);
    if (!f->linked)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "%.100s is not disassembled", f->name);
    return SMP_OK;
}

/* Handles sites that have no figures or cost the same at any address: bulk copies and the like, and
 * copy lanes that read nothing. */
static void set_other(emu_site *site, const uop_memory *m, unsigned slot, const smp_arch *arch,
                      const smp_instruction *instruction) {
    const bool is_fill = m->kind == MEMORY_COPY && slot == SLOT_FILL;
    const char *why = smp_opcode_not_modelled(instruction->opcode, instruction->operands);
    smp_fixed_cost fixed;
    if (m->kind < MEMORY_TEXTURE && m->kind != MEMORY_CONSTANT && !is_fill)
        return;
    site->is_async = m->kind == MEMORY_ASYNC_STORE && arch->bulk_source;
    if (site->is_async)
        return;
    site->op = SMP_OP_COUNT;
    site->width_bytes = 0;
    site->is_other = true;
    if (!is_fill &&
        smp_opcode_fixed_cost(arch, instruction->opcode, instruction->operands, &fixed)) {
        site->space = SMP_SPACE_SHARED;
        return;
    }
    site->why_not = is_fill ? "a copy that only writes zeros: no rule"
                    : why   ? why
                            : "asynchronous or bulk access: no rule";
}

static bool make_sites(const emu_program *program, emu_judge *judge) {
    judge->site_count = program->memory_count * SLOTS;
    size_t bytes = ((size_t)judge->site_count + 1) * sizeof(*judge->sites);
    judge->sites = aligned_alloc(EMU_ALIGN, bytes);
    if (judge->sites)
        memset(judge->sites, 0, bytes);
    for (uint32_t i = 0; i < program->count && judge->sites; i++) {
        const uop *u = &program->uops[i];
        if (u->memory < 0)
            continue;
        const uop_memory *m = &program->memory[u->memory];
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            emu_site *site = &judge->sites[m->sites + slot];
            site->instruction = i;
            site->space = m->kind == MEMORY_COPY ? SMP_SPACE_COPY
                          : slot == SLOT_SHARED  ? SMP_SPACE_SHARED
                          : slot == SLOT_CLUSTER ? SMP_SPACE_CLUSTER
                                                 : SMP_SPACE_GLOBAL;
            site->op = smp_opcode_op(program->function->linked[i].opcode, site->space);
            site->is_local = slot == SLOT_LOCAL;
            site->width_bytes = m->width_bytes;
            set_other(site, m, slot, judge->arch, &program->function->linked[i]);
        }
    }
    return judge->sites;
}

/* ---- Workers ---- */

/* Called in the worker's own thread, so that its memory is near that core and shares no cache line
 * with another worker's. */
static bool start(emu_worker *worker) {
    const emu_run *run = worker->run;
    worker->judge = (emu_judge){
        .arch = run->launch->arch, .results = run->results, .lock = run->lock, .trace = run->trace};
    worker->last_array = calloc(run->program->count + 1, sizeof(*worker->last_array));
    worker->order_told = calloc(run->program->count + 1, 1);
    worker->reached = calloc(run->program->count + 1, 1);
    return worker->last_array && worker->order_told && worker->reached &&
           make_sites(run->program, &worker->judge) &&
           emu_chain_make(&worker->judge, run->program) && emu_cluster_make(worker) &&
           emu_race_make(worker);
}

/* Checks the limit of the whole launch: a grid may have more blocks than anybody waits for. */
static void check_total(emu_worker *worker) {
    emu_run *run = worker->run;
    const uint64_t total = __atomic_add_fetch(&run->steps, worker->steps, __ATOMIC_RELAXED),
                   begun = __atomic_load_n(&run->next_cluster, __ATOMIC_RELAXED);
    if (total <= run->launch_limit || begun >= run->cluster_count || worker->is_stopped)
        return;
    emu_found(&worker->blocks[0].warps[0], &run->program->uops[0], 0, SMP_FINDING_LIMIT,
              "more than %llu warp instructions of the launch (--limit N:M), in %llu of its %llu "
              "blocks or clusters",
              (unsigned long long)run->launch_limit, (unsigned long long)begun,
              (unsigned long long)run->cluster_count);
}

static void *work(void *user) {
    emu_worker *worker = user;
    emu_run *run = worker->run;
    if (!start(worker)) {
        worker->judge.is_out_of_memory = true;
        return NULL;
    }
    for (;;) {
        uint64_t cluster = __atomic_fetch_add(&run->next_cluster, 1, __ATOMIC_RELAXED);
        bool is_over = cluster >= run->cluster_count ||
                       __atomic_load_n(&run->is_stopped, __ATOMIC_RELAXED) ||
                       emu_is_asked_to_stop(run);
        if (is_over || worker->is_stopped || worker->judge.is_out_of_memory ||
            (run->trace && run->trace->status != SMP_OK))
            break;
        emu_cluster_run(worker, run->launch->only ? run->launch->only[cluster] : cluster);
        check_total(worker);
    }
    emu_judge_flush(&worker->judge);
    return NULL;
}

/* Most launches of a program with many launches end before another thread would have started. */
enum { ALONE = 1 << 14 /* warp instructions */ };

static void start_others(emu_worker *first) {
    emu_run *run = first->run;
    pthread_t *threads = run->threads;
    if (first->warp_instructions < ALONE ||
        __atomic_load_n(&run->next_cluster, __ATOMIC_RELAXED) >= run->cluster_count)
        return;
    first->starts_others = false;
    for (uint32_t i = 1; i < run->worker_count; i++, run->started_count++)
        if (pthread_create(&threads[i], NULL, work, &first[i]) != 0)
            break;
}

static uint32_t threads_wanted(const smp_launch *launch) {
    const long cores = launch->threads != 0 ? (long)launch->threads : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > WORKERS_MAX ? WORKERS_MAX : (uint32_t)cores;
}

static uint32_t worker_count(const emu_run *run, uint64_t clusters) {
    const smp_launch *launch = run->launch;
    if (run->grid && emu_race_orders_clusters(run->program))
        return 1;
    const uint32_t count = threads_wanted(launch);
    return count > clusters ? (uint32_t)clusters : count;
}

static bool finish_worker(emu_worker *worker, smp_emulation *out) {
    out->thread_instructions += worker->thread_instructions;
    out->warp_instructions += worker->warp_instructions;
    out->unknown_executed += worker->unknown_executed;
    bool is_fine = !worker->judge.is_out_of_memory;
    for (uint32_t i = 0; worker->reached && i < worker->run->program->count; i++)
        worker->run->reached[i] |= worker->reached[i];
    emu_judge_clear(&worker->judge);
    emu_race_free(worker);
    emu_cluster_free(worker);
    free(worker->last_array);
    free(worker->order_told);
    free(worker->reached);
    return is_fine;
}

/* Waits for a thread; the first worker reports progress meanwhile. */
static void join(const emu_worker *first, pthread_t thread) {
    enum { MOMENT_NS = 20000000, SECOND_NS = 1000000000 };
    struct timespec until;
    bool is_over = !first->tells;
    if (is_over)
        pthread_join(thread, NULL);
    while (!is_over) {
        emu_tell(first);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += until.tv_nsec >= SECOND_NS - MOMENT_NS;
        until.tv_nsec = (until.tv_nsec + MOMENT_NS) % SECOND_NS;
        is_over = pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT;
    }
}

static bool run_workers(emu_run *run) {
    const uint32_t count = worker_count(run, run->cluster_count);
    emu_worker *workers = aligned_alloc(_Alignof(emu_worker), count * sizeof(*workers));
    pthread_t *threads = calloc(count, sizeof(*threads));
    bool is_fine = workers && threads;
    if (workers)
        memset(workers, 0, count * sizeof(*workers));
    for (uint32_t i = 0; i < count && is_fine; i++)
        workers[i].run = run;
    run->threads = threads;
    run->start_others = start_others;
    run->worker_count = count;
    if (is_fine) {
        workers[0].tells = run->launch->told;
        workers[0].starts_others = count > 1;
        work(&workers[0]);
    }
    for (uint32_t i = 1; i <= run->started_count; i++)
        join(&workers[0], threads[i]);
    for (uint32_t i = 0; i < count && workers; i++)
        is_fine = finish_worker(&workers[i], run->out) && is_fine;
    free(workers);
    free(threads);
    if (run->launch->run.races)
        emu_race_settle(run);
    return is_fine;
}

/* Allocates the program's sites with what is known before anything is counted. */
static bool shape_results(const emu_program *program, emu_judge *shape, smp_profile_site *results) {
    if (!make_sites(program, shape))
        return false;
    for (uint32_t i = 0; i < shape->site_count; i++)
        results[i] = (smp_profile_site){.op = shape->sites[i].op,
                                        .space = shape->sites[i].space,
                                        .is_local = shape->sites[i].is_local,
                                        .width_bytes = shape->sites[i].width_bytes};
    return true;
}

/* Runs blocks that may wait for each other at the same time, if there are not too many: each block
 * may know something different of every lane. */
enum { TOGETHER_MOST = 1 << 20 };

static bool is_together(const emu_program *program, const smp_launch *launch) {
    const uint64_t blocks = product(launch->grid), warps = (product(launch->block) + 31) / 32;
    return launch->is_cooperative ||
           (launch->run.races && product(launch->cluster) == 1 && blocks > 1 &&
            blocks <= TOGETHER_MOST && blocks * blocks * warps <= TOGETHER_MOST &&
            emu_race_waits_for_clusters(program));
}

/* Collects how far the blocks came. */
static void end_blocks(emu_run *run, smp_emulation *out) {
    const uint64_t each = run->is_together ? product(run->launch->grid) : 1;
    out->ran_together = run->is_together;
    out->cluster_count = run->cluster_count * each;
    out->clusters_begun =
        (run->next_cluster < run->cluster_count ? run->next_cluster : run->cluster_count) * each;
    out->is_stopped = run->is_asked_to_stop;
    out->is_whole = !run->is_stopped && !run->is_asked_to_stop;
    emu_block_order_end(run);
    emu_race_grid_free(run);
    race_beside_end(run);
}

static smp_status run_program(emu_program *program, smp_emu_memory *memory,
                              const smp_launch *launch, uint32_t local_bytes,
                              smp_kernel_profile *kernel, smp_emulation *out, smp_error *error) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, call_lock = PTHREAD_MUTEX_INITIALIZER,
                    trace_lock = PTHREAD_MUTEX_INITIALIZER;
    emu_trace trace = {
        .writer = launch->trace, .memory = launch->reach ? memory : NULL, .lock = &trace_lock};
    emu_run run = {
        .program = program,
        .memory = memory,
        .launch = launch,
        .out = out,
        .trace = launch->trace || launch->reach ? &trace : NULL,
        .lock = &lock,
        .call_lock = &call_lock,
        .local_bytes = local_bytes,
        .shared_bytes = program->function->shared_reserved_bytes + program->function->shared_bytes +
                        launch->dynamic_shared_bytes,
        .is_together = is_together(program, launch),
        .cluster_count = is_together(program, launch) ? 1
                         : launch->only               ? launch->only_count
                                        : product(launch->grid) / product(launch->cluster),
        .limit = launch->run.block_limit != 0 ? launch->run.block_limit : DEFAULT_LIMIT,
        .launch_limit =
            launch->run.launch_limit != 0 ? launch->run.launch_limit : DEFAULT_LAUNCH_LIMIT,
    };
    if (program->reserved_place + program->reserved_bytes > run.shared_bytes) /* after them */
        run.shared_bytes = program->reserved_place + program->reserved_bytes;
    smp_profile_site *results = calloc((size_t)program->memory_count * SLOTS + 1, sizeof(*results));
    run.reached = calloc(program->count + 1, 1);
    emu_judge shape = {.arch = launch->arch};
    bool is_fine = results && run.reached && shape_results(program, &shape, results) &&
                   emu_race_grid_make(&run) && race_beside_begin(&run);
    emu_block_order_start(&run);
    double start = seconds_now();
    run.results = results;
    if (launch->output) {
        run.output = emu_output_new(launch->output, launch->output_bytes);
        is_fine = is_fine && run.output;
    }
    is_fine = is_fine && run_workers(&run);
    emu_output_free(run.output, out);
    out->seconds = seconds_now() - start;
    end_blocks(&run, out);
    is_fine = is_fine && emu_profile_sites(program, &shape, results, kernel) &&
              emu_profile_forms(program, run.reached, kernel);
    for (uint32_t i = 0; results && i < shape.site_count; i++)
        smp_site_clear(&results[i]);
    free(results);
    free(run.reached);
    free(shape.sites);
    out->trace_rows = trace.rows;
    out->trace_left_out = trace.left_out;
    if (trace.status != SMP_OK)
        *error = trace.error;
    return trace.status != SMP_OK ? trace.status : is_fine ? SMP_OK : smp_error_memory(error);
}

/* Lowers the number of threads to what fits into memory. */
static smp_status fit_memory(const smp_function *f, const smp_emu_memory *memory,
                             uint32_t local_bytes, bool is_together, smp_launch *launch,
                             smp_error *error) {
    const uint64_t blocks = product(is_together ? launch->grid : launch->cluster);
    const uint32_t shared =
        f->shared_reserved_bytes + f->shared_bytes + launch->dynamic_shared_bytes;
    const uint64_t each = emu_blocks_bytes(launch, blocks, shared, local_bytes);
    const uint64_t held = smp_emu_memory_held(memory);
    if (held + each > launch->memory_bytes)
        return smp_error_set(
            error, SMP_E_MEMORY, -1,
            "out of memory: the launch needs %llu bytes, more than the allowed %llu",
            (unsigned long long)(held + each), (unsigned long long)launch->memory_bytes);
    const uint64_t fit = (launch->memory_bytes - held) / each;
    launch->threads = threads_wanted(launch);
    if (fit < launch->threads)
        launch->threads = (uint32_t)fit;
    return SMP_OK;
}

smp_status smp_emulate(const smp_code *code, const smp_function *function, smp_emu_memory *memory,
                       const smp_launch *asked, smp_kernel_profile *kernel, smp_emulation *out,
                       smp_error *error) {
    memset(out, 0, sizeof(*out));
    smp_launch with_cluster = *asked, *launch = &with_cluster;
    if (product(launch->cluster) == 1 && function->cluster[0] != 0)
        memcpy(launch->cluster, function->cluster, sizeof(launch->cluster));
    smp_status status = check_launch(function, launch, error);
    if (status != SMP_OK)
        return status;
    emu_program program = {.code = code, .function = function, .cc = smp_code_cc(code)};
    const uint32_t local_bytes = (uint32_t)local_bytes_of(function, launch);
    status = emu_fill_banks(&program, launch, local_bytes, memory, error);
    if (status == SMP_OK)
        status = emu_decode(&program, error);
    if (status == SMP_OK && launch->memory_bytes > 0)
        status =
            fit_memory(function, memory, local_bytes, is_together(&program, launch), launch, error);
    if (status == SMP_OK)
        status = smp_emulate_kernel(function, launch, kernel)
                     ? run_program(&program, memory, launch, local_bytes, kernel, out, error)
                     : smp_error_memory(error);
    emu_remove_own(memory);
    emu_program_clear(&program);
    return status;
}
