/* SPDX-License-Identifier: MIT */
/*
 * histogram_trace.c: every access of the histograms, from the values that are counted. Input and
 * bins begin at multiples of their size, as far as counts depend on it (histogram.c).
 *
 * An addition of the constant 1 to shared memory is one instruction for all lanes of a warp on
 * one word (ATOMS.POPC.INC, model/FINDINGS.md, 3): its accesses are given here without those lanes
 * but one.
 */
#include "histogram.h"

typedef struct walk {
    const smp_kernel_case *problem;
    const int32_t *in;
    smp_histogram_plan plan;
    smp_visit_fn visit;
    void *user;
    smp_error *error;
    smp_status status;
} walk;

/* Where a value of a warp of a block is counted. */
typedef void (*count_fn)(walk *w, uint32_t block, uint32_t warp, const uint32_t bins[SMP_LANES],
                         uint32_t lanes);

enum { WARPS = SMP_HISTOGRAM_THREADS / SMP_LANES };

static void visit(walk *w, const char *site, const smp_access *access, uint64_t times) {
    const smp_occurrence seen = {.access = access, .times = times, .site = site};
    if (times > 0 && access->active_mask && w->status == SMP_OK)
        w->status = w->visit(w->user, &seen, w->error);
}

static uint32_t first_lanes(uint64_t count) {
    return count >= SMP_LANES ? SMP_ALL_LANES : (1u << count) - 1u;
}

/* Lane l at word `first + l` of shared or global memory. */
static void visit_row(walk *w, const char *site, smp_op op, uint32_t width_bytes, uint64_t lanes,
                      uint64_t first, uint64_t times) {
    smp_access access = {.op = op, .width_bytes = width_bytes, .active_mask = first_lanes(lanes)};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = (uint32_t)(first + lane) * width_bytes;
        access.address_bytes[lane] = (first + lane) * width_bytes;
    }
    visit(w, site, &access, times);
}

/* All of `count` words in rows of a warp. */
static void visit_words(walk *w, const char *site, smp_op op, uint64_t count, uint64_t first,
                        uint64_t times) {
    for (uint64_t i = 0; i < count; i += SMP_LANES)
        visit_row(w, site, op, sizeof(uint32_t), count - i, first + i, times);
}

/* ---- The values ---- */

/* One request: values `step` apart, one a lane. */
static void count_values(walk *w, count_fn count, uint32_t block, uint32_t warp, uint64_t first,
                         uint64_t step, uint64_t lanes) {
    uint32_t bins[SMP_LANES] = {0};
    const uint32_t mask = first_lanes(lanes);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        if (mask >> lane & 1)
            bins[lane] = smp_histogram_bin(w->in[first + lane * step], w->plan.bins);
    if (w->status == SMP_OK)
        count(w, block, warp, bins, mask);
}

/* Chunks of one vector a thread go to the blocks in turn. */
static void walk_values(walk *w, count_fn count) {
    const uint64_t values = w->problem->columns, vectors = values / SMP_HISTOGRAM_EACH;
    const uint64_t rest = values % SMP_HISTOGRAM_EACH, rows = smp_divide_up(vectors, SMP_LANES);
    visit_row(w, "values", SMP_LD_GLOBAL, 16, SMP_LANES, 0, vectors / SMP_LANES);
    if (vectors % SMP_LANES)
        visit_row(w, "values", SMP_LD_GLOBAL, 16, vectors % SMP_LANES, 0, 1);
    for (uint64_t row = 0; row < rows && w->status == SMP_OK; row++) {
        const uint32_t block = (uint32_t)(row / WARPS % w->plan.blocks);
        for (uint64_t k = 0; k < SMP_HISTOGRAM_EACH; k++)
            count_values(w, count, block, (uint32_t)(row % WARPS),
                         row * SMP_LANES * SMP_HISTOGRAM_EACH + k, SMP_HISTOGRAM_EACH,
                         vectors - row * SMP_LANES);
    }
    if (rest == 0)
        return;
    visit_row(w, "values", SMP_LD_GLOBAL, sizeof(int32_t), rest, values - rest, 1);
    count_values(w, count, 0, 0, values - rest, 1, rest);
}

/* ---- Where they are counted ---- */

static void count_global(walk *w, uint32_t block, uint32_t warp, const uint32_t bins[SMP_LANES],
                         uint32_t lanes) {
    smp_access access = {
        .op = SMP_RED_GLOBAL, .width_bytes = sizeof(uint32_t), .active_mask = lanes};
    (void)block, (void)warp;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.address_bytes[lane] = (uint64_t)bins[lane] * sizeof(uint32_t);
    visit(w, "count", &access, 1);
}

/* `lanes` without those that have the word of a lower one. */
static uint32_t distinct_words(const smp_access *access, uint32_t lanes) {
    uint32_t kept = 0;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        bool is_new = lanes >> lane & 1;
        for (uint32_t lower = 0; lower < lane && is_new; lower++)
            is_new =
                !(kept >> lower & 1) || access->offset_bytes[lower] != access->offset_bytes[lane];
        kept |= (uint32_t)is_new << lane;
    }
    return kept;
}

static void visit_shared(walk *w, smp_access *access, uint32_t lanes) {
    access->op = SMP_ATOM_SHARED;
    access->active_mask = distinct_words(access, lanes);
    visit(w, "count", access, 1);
}

static void count_shared(walk *w, uint32_t block, uint32_t warp, const uint32_t bins[SMP_LANES],
                         uint32_t lanes) {
    const uint32_t copy = warp % w->plan.copies * w->plan.bins;
    smp_access access = {.width_bytes = sizeof(uint32_t)};
    (void)block;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.offset_bytes[lane] = (copy + bins[lane]) * (uint32_t)sizeof(uint32_t);
    visit_shared(w, &access, lanes);
}

/* The block's own bins as shared memory, those of others as remote memory: one instruction each.
 * The counter of shared atomics sees a remote one, too, once. */
static void count_cluster(walk *w, uint32_t block, uint32_t warp, const uint32_t bins[SMP_LANES],
                          uint32_t lanes) {
    const uint32_t own = block % w->plan.cluster;
    smp_access near = {.width_bytes = sizeof(uint32_t)};
    smp_access far = {.op = SMP_ATOM_CLUSTER, .width_bytes = sizeof(uint32_t)};
    (void)warp;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        const uint32_t rank = bins[lane] / w->plan.part;
        near.offset_bytes[lane] = bins[lane] % w->plan.part * (uint32_t)sizeof(uint32_t);
        far.offset_bytes[lane] = near.offset_bytes[lane] | rank << SMP_BLOCK_SHIFT;
        *(rank == own ? &near.active_mask : &far.active_mask) |= lanes & 1u << lane;
    }
    visit_shared(w, &near, near.active_mask);
    visit(w, "remote count", &far, 1);
    if (far.active_mask)
        visit_row(w, "remote count", SMP_ATOM_SHARED, sizeof(uint32_t), 1, 0, 1);
}

/* ---- Whole launches ---- */

static walk walk_of(const smp_kernel_case *problem, const void *in, uint32_t copies,
                    uint32_t cluster, smp_visit_fn visit_fn, void *user, smp_error *error) {
    return (walk){.problem = problem,
                  .in = in,
                  .plan = smp_histogram_plan_of(problem, copies, cluster),
                  .visit = visit_fn,
                  .user = user,
                  .error = error};
}

smp_status smp_histogram_trace_global(const smp_kernel_case *problem, const void *in,
                                      smp_visit_fn visit_fn, void *user, smp_error *error) {
    walk w = walk_of(problem, in, 1, 1, visit_fn, user, error);
    walk_values(&w, count_global);
    return w.status;
}

static smp_status trace_shared(const smp_kernel_case *problem, const void *in, uint32_t copies,
                               smp_visit_fn visit_fn, void *user, smp_error *error) {
    walk w = walk_of(problem, in, copies, 1, visit_fn, user, error);
    const smp_histogram_plan *plan = &w.plan;
    visit_words(&w, "clear", SMP_ST_SHARED, (uint64_t)plan->bins * plan->copies, 0, plan->blocks);
    walk_values(&w, count_shared);
    for (uint32_t copy = 0; copy < plan->copies; copy++)
        visit_words(&w, "merge", SMP_LD_SHARED, plan->bins, (uint64_t)copy * plan->bins,
                    plan->blocks);
    visit_words(&w, "merge", SMP_RED_GLOBAL, plan->bins, 0, plan->blocks);
    return w.status;
}

static smp_status trace_cluster(const smp_kernel_case *problem, const void *in, uint32_t cluster,
                                smp_visit_fn visit_fn, void *user, smp_error *error) {
    walk w = walk_of(problem, in, 1, cluster, visit_fn, user, error);
    const smp_histogram_plan *plan = &w.plan;
    visit_words(&w, "clear", SMP_ST_SHARED, plan->part, 0, plan->blocks);
    walk_values(&w, count_cluster);
    for (uint32_t rank = 0; rank < plan->cluster; rank++) {
        const uint64_t first = (uint64_t)rank * plan->part;
        const uint64_t left = first < plan->bins ? plan->bins - first : 0;
        const uint64_t own = left < plan->part ? left : plan->part;
        const uint64_t clusters = plan->blocks / plan->cluster;
        visit_words(&w, "merge", SMP_LD_SHARED, own, 0, clusters);
        visit_words(&w, "merge", SMP_RED_GLOBAL, own, first, clusters);
    }
    return w.status;
}

#define TRACE(name, function, how)                                                               \
    smp_status smp_histogram_trace_##name(const smp_kernel_case *problem, const void *in,        \
                                          smp_visit_fn visit_fn, void *user, smp_error *error) { \
        return function(problem, in, how, visit_fn, user, error);                                \
    }
#define CLUSTER(size) TRACE(cluster##size, trace_cluster, size)

TRACE(shared, trace_shared, 1)
TRACE(copies, trace_shared, 0)
TRACE(cluster, trace_cluster, 0)
SMP_HISTOGRAM_CLUSTERS(CLUSTER)
