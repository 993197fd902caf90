/* SPDX-License-Identifier: MIT */
/*
 * The family `histogram`: counts values in bins. A case has as many bins as rows and as many values
 * as columns. Values are spread evenly over the bins; one in 64 lies outside, on either side.
 *
 * The cost of additions to global memory depends on the bits of their addresses (model/FINDINGS.md,
 * 2). The bins are therefore allocated with 2 MiB or more, which the CUDA runtime places at a
 * multiple of 2 MiB.
 */
#include "histogram.h"

#include <inttypes.h>
#include <string.h>

#define VALUES_MAX UINT64_C(4000000000)
#define PAGE_BYTES (UINT64_C(2) << 20)
#define LIBRARY_BLOCKS 2112 /* 16 on each of 132 multiprocessors */
#define LIBRARY_BYTES_MAX (UINT64_C(512) << 20)

enum { WARPS = SMP_HISTOGRAM_THREADS / SMP_LANES, CLUSTER_MAX = 16, OUTSIDE = 64 };

/* ---- Shapes ---- */

static smp_kernel_shape shape_of(const smp_kernel_case *problem, uint32_t copies,
                                 uint32_t cluster) {
    const smp_histogram_plan plan = smp_histogram_plan_of(problem, copies, cluster);
    return (smp_kernel_shape){.blocks = plan.blocks,
                              .threads = SMP_HISTOGRAM_THREADS,
                              .shared_bytes = (uint32_t)plan.shared_bytes};
}

static smp_kernel_shape shape_global(const smp_kernel_case *problem) {
    smp_kernel_shape shape = shape_of(problem, 1, 1);
    shape.shared_bytes = 0;
    return shape;
}

SMP_SHAPE(shape_copies, shape_of(problem, 0, 1))
SMP_SHAPE(shape_cluster, shape_of(problem, 1, 0))

/* ---- The accesses, from the values that are counted ---- */

/* As far as counts depend on it, input and bins begin at multiples of their size. Adding the
 * constant 1 to shared memory is one instruction for all lanes of a warp on one word
 * (ATOMS.POPC.INC, model/FINDINGS.md, 3), so of lanes on one word only one is given. */
typedef struct walk {
    const int32_t *in;
    uint64_t values;
    smp_histogram_plan plan;
    smp_kernel_trace *to;
} walk;

/* The place where a value of a warp of a block is counted. */
typedef void (*count_fn)(walk *w, uint32_t block, uint32_t warp, const uint32_t bins[SMP_LANES],
                         uint32_t lanes);

/* Lane l at word `first + l` of shared or global memory. */
static void visit_row(walk *w, const char *site, smp_op op, uint32_t width_bytes, uint64_t lanes,
                      uint64_t first, uint64_t times) {
    smp_access access = {
        .op = op, .width_bytes = width_bytes, .active_mask = smp_first_lanes(lanes)};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = (uint32_t)(first + lane) * width_bytes;
        access.address_bytes[lane] = (first + lane) * width_bytes;
    }
    smp_trace_show(w->to, site, &access, times);
}

/* All of `count` words, by one word per lane. */
static void visit_words(walk *w, const char *site, smp_op op, uint64_t count, uint64_t first,
                        uint64_t times) {
    for (uint64_t i = 0; i < count; i += SMP_LANES)
        visit_row(w, site, op, sizeof(uint32_t), count - i, first + i, times);
}

/* One request: one value per lane, `step` apart. */
static void count_values(walk *w, count_fn count, uint32_t block, uint32_t warp, uint64_t first,
                         uint64_t step, uint64_t lanes) {
    uint32_t bins[SMP_LANES] = {0};
    const uint32_t mask = smp_first_lanes(lanes);
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        if (mask >> lane & 1)
            bins[lane] = smp_histogram_bin(w->in[first + lane * step], w->plan.bins);
    if (w->to->status == SMP_OK)
        count(w, block, warp, bins, mask);
}

/* Blocks take chunks of one vector per thread in turn. */
static void walk_values(walk *w, count_fn count) {
    const uint64_t values = w->values, vectors = values / SMP_HISTOGRAM_EACH;
    const uint64_t rest = values % SMP_HISTOGRAM_EACH, rows = smp_divide_up(vectors, SMP_LANES);
    visit_row(w, "values", SMP_LD_GLOBAL, 16, SMP_LANES, 0, vectors / SMP_LANES);
    if (vectors % SMP_LANES)
        visit_row(w, "values", SMP_LD_GLOBAL, 16, vectors % SMP_LANES, 0, 1);
    for (uint64_t row = 0; row < rows && w->to->status == SMP_OK; row++) {
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

static void count_global(walk *w, uint32_t block, uint32_t warp, const uint32_t bins[SMP_LANES],
                         uint32_t lanes) {
    smp_access access = {
        .op = SMP_RED_GLOBAL, .width_bytes = sizeof(uint32_t), .active_mask = lanes};
    (void)block, (void)warp;
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.address_bytes[lane] = (uint64_t)bins[lane] * sizeof(uint32_t);
    smp_trace_show(w->to, "count", &access, 1);
}

/* `lanes` without those whose word a lower lane has; a table holds the words seen so far. */
static uint32_t distinct_words(const smp_access *access, uint32_t lanes) {
    enum { PLACES = 64 };
    uint8_t met[PLACES] = {0}; /* lane + 1 */
    uint32_t kept = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), word = access->offset_bytes[lane];
        uint32_t at = word / (uint32_t)sizeof(uint32_t) % PLACES;
        while (met[at] != 0 && access->offset_bytes[met[at] - 1] != word)
            at = (at + 1) % PLACES;
        if (met[at] != 0)
            continue;
        met[at] = (uint8_t)(lane + 1);
        kept |= UINT32_C(1) << lane;
    }
    return kept;
}

static void visit_shared(walk *w, smp_access *access, uint32_t lanes) {
    access->op = SMP_ATOM_SHARED;
    access->active_mask = distinct_words(access, lanes);
    smp_trace_show(w->to, "count", access, 1);
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

/* The block's own bins are shared memory, those of other blocks remote memory; one instruction
 * each. The counter of shared atomics also sees a remote atomic, once. */
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
    smp_trace_show(w->to, "remote count", &far, 1);
    if (far.active_mask)
        visit_row(w, "remote count", SMP_ATOM_SHARED, sizeof(uint32_t), 1, 0, 1);
}

static walk walk_of(const smp_kernel_case *problem, const void *in, uint32_t copies,
                    uint32_t cluster, smp_kernel_trace *to) {
    return (walk){in, problem->columns, smp_histogram_plan_of(problem, copies, cluster), to};
}

static void trace_global(const smp_kernel_case *problem, const void *in, smp_kernel_trace *to) {
    walk w = walk_of(problem, in, 1, 1, to);
    walk_values(&w, count_global);
}

static void trace_in_block(const smp_kernel_case *problem, const void *in, uint32_t copies,
                           smp_kernel_trace *to) {
    walk w = walk_of(problem, in, copies, 1, to);
    const smp_histogram_plan *plan = &w.plan;
    visit_words(&w, "clear", SMP_ST_SHARED, (uint64_t)plan->bins * plan->copies, 0, plan->blocks);
    walk_values(&w, count_shared);
    for (uint32_t copy = 0; copy < plan->copies; copy++)
        visit_words(&w, "merge", SMP_LD_SHARED, plan->bins, (uint64_t)copy * plan->bins,
                    plan->blocks);
    visit_words(&w, "merge", SMP_RED_GLOBAL, plan->bins, 0, plan->blocks);
}

static void trace_in_cluster(const smp_kernel_case *problem, const void *in, uint32_t cluster,
                             smp_kernel_trace *to) {
    walk w = walk_of(problem, in, 1, cluster, to);
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
}

SMP_TRACE(trace_shared, trace_in_block(problem, in, 1, to))
SMP_TRACE(trace_copies, trace_in_block(problem, in, 0, to))
SMP_TRACE(trace_cluster, trace_in_cluster(problem, in, 0, to))

/* ---- Counts that are not exact ---- */

static const char *large_block(const smp_kernel_case *problem) {
    if (problem->rows * sizeof(uint32_t) <= SMP_HISTOGRAM_EXACT_BYTES)
        return NULL;
    return "beyond the first 128 KiB of shared memory, the counters of loads and atomics read up "
           "to "
           "a quarter more than all addresses cause, and not the same twice";
}

/* Arriving atomics occupy the data stage of the block whose bins they change. */
static const char *arriving(const smp_kernel_case *problem) {
    (void)problem;
    return "additions that arrive from other blocks contend for the data stage: the counter of "
           "shared atomics reads some percent more, and not the same twice";
}

static const char *arriving_if_any(const smp_kernel_case *problem) {
    return smp_histogram_plan_of(problem, 1, 0).cluster > 1 ? arriving(problem)
                                                            : large_block(problem);
}

/* ---- The numbers ---- */

static smp_status check(const smp_kernel_case *problem, smp_error *error) {
    const uint32_t cluster = problem->cluster;
    if (cluster > CLUSTER_MAX || (cluster & (cluster - 1)))
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "histogram: clusters have 1, 2, 4, 8 or 16 blocks, not %" PRIu32,
                             cluster);
    return SMP_OK;
}

static smp_status check_plan(const smp_kernel_case *problem, uint32_t cluster, smp_error *error) {
    const smp_histogram_plan plan = smp_histogram_plan_of(problem, 1, cluster);
    if (plan.shared_bytes <= SMP_HISTOGRAM_SHARED_MAX)
        return SMP_OK;
    return smp_error_set(error, SMP_E_OVERFLOW, -1,
                         "histogram: %" PRIu32 " bins over %" PRIu32 " block%s take %" PRIu64
                         " bytes of each one's shared memory; a block has %u at most",
                         plan.bins, plan.cluster, plan.cluster == 1 ? "" : "s", plan.shared_bytes,
                         SMP_HISTOGRAM_SHARED_MAX);
}

SMP_CHECK(check_chosen, check_plan(problem, 0, error))

/* Space for a copy of the input, or for the library's copies of the bins if there are not too
 * many. */
uint64_t smp_histogram_work_bytes(const smp_kernel_case *problem) {
    const uint64_t in = problem->columns * sizeof(int32_t);
    uint64_t library = problem->rows * sizeof(uint32_t) * LIBRARY_BLOCKS + PAGE_BYTES;
    library = library < LIBRARY_BYTES_MAX ? library : LIBRARY_BYTES_MAX;
    return in > library ? in : library;
}

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t in = problem->columns * sizeof(int32_t);
    const uint64_t out = problem->rows * sizeof(uint32_t);
    return (smp_kernel_bytes){.in = in,
                              .out = smp_divide_up(out, PAGE_BYTES) * PAGE_BYTES,
                              .work = smp_histogram_work_bytes(problem),
                              .moved = in};
}

static void fill(const smp_kernel_case *problem, void *in) {
    uint64_t state = problem->seed * 2 + 1;
    const int64_t bins = (int64_t)problem->rows, outside = bins / OUTSIDE + 1;
    int32_t *values = in;
    for (uint64_t i = 0; i < problem->columns; i++) {
        const uint64_t range = (uint64_t)(bins + 2 * outside);
        values[i] = (int32_t)((int64_t)((smp_noise(&state) >> 24) % range) - outside);
    }
}

static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    const int32_t *values = in;
    uint32_t *counts = out;
    memset(out, 0, (size_t)bytes(problem).out);
    for (uint64_t i = 0; i < problem->columns; i++)
        counts[smp_histogram_bin(values[i], (uint32_t)problem->rows)]++;
}

/* Counts are exact, and 0 behind the last bin. */
SMP_VERIFY(verify, smp_verify_solved(problem, in, out, solve, bytes(problem).out, SMP_UNSIGNED, 0,
                                     "bin", error))

/* The functions of a variant for a given cluster size. */
#define CLUSTER(size)                                                \
    SMP_SHAPE(shape_cluster##size, shape_of(problem, 1, size))       \
    SMP_CHECK(check_cluster##size, check_plan(problem, size, error)) \
    SMP_TRACE(trace_cluster##size, trace_in_cluster(problem, in, size, to))
SMP_HISTOGRAM_CLUSTERS(CLUSTER)

/* Accesses depend on the values, so a list replaces the script. */
#define VARIANT(id, text, check_fn, shape_fn, row, why)                                          \
    {                                                                                            \
        .name = id, .summary = text, .check = check_fn, .shape = shape_fn, .trace = trace_##row, \
        .not_predicted = why, .prepare = SMP_LAUNCH(smp_histogram_prepare),                      \
        .launch = SMP_LAUNCH(smp_histogram_launch_##row),                                        \
    }
#define CLUSTER_VARIANT(size, text, why) \
    VARIANT("cluster-" #size, text, check_cluster##size, shape_cluster##size, cluster##size, why)

static const smp_kernel_variant variants[] = {
    VARIANT("global", "one atomic on global memory a value", NULL, shape_global, global, NULL),
    VARIANT("shared", "each block counts in its shared memory", check_cluster1, shape_cluster1,
            shared, large_block),
    VARIANT("per-warp", "as many copies of the bins as fit 64 KiB, up to one per warp",
            check_cluster1, shape_copies, copies, large_block),
    CLUSTER_VARIANT(1, "the bins spread over a cluster of 1 block: shared memory", large_block),
    CLUSTER_VARIANT(2, "over a cluster of 2: half of the counts are remote atomics", arriving),
    CLUSTER_VARIANT(4, "over a cluster of 4", arriving),
    CLUSTER_VARIANT(8, "over a cluster of 8", arriving),
    CLUSTER_VARIANT(16, "over a cluster of 16, more than is portable", arriving),
    VARIANT("cluster", "over the smallest cluster whose shared memory holds them, or --cluster",
            check_chosen, shape_cluster, cluster, arriving_if_any),
};

static const smp_kernel_claim claims[] = {
    {"global", "shared", "counting in shared memory"},
    {"shared", "per-warp", "a copy of the bins for each warp"},
    {"shared", "cluster-2", "spreading the bins over two blocks"},
    {"global", "cluster", "counting in shared memory of as few blocks as hold the bins"},
};

const smp_kernel_family smp_histogram_family = {
    .name = "histogram",
    .summary = "counts of values in bins; --size is BINSxVALUES",
    .elements = 1u << SMP_INT,
    .standard = {.element = SMP_INT, .rows = 1024, .columns = 1u << 24, .seed = 1},
    .is_matrix = true,
    .has_clusters = true,
    .check = check,
    .most_rows = SMP_HISTOGRAM_BINS_MAX,
    .most_columns = VALUES_MAX,
    .row_name = "bins",
    .column_name = "values",
    .baseline_name = "CUB DeviceHistogram",
    .baseline = SMP_BASELINE(smp_histogram_launch_cub),
    SMP_FAMILY_PARTS,
};

/* ---- The number of copies and blocks of a histogram ---- */

/* At least 2, so that the kernel can divide by it (histogram.cu). */
static uint32_t part_of(uint32_t bins, uint32_t cluster) {
    const uint32_t part = (uint32_t)smp_divide_up(bins, cluster);
    return part < 2 ? 2 : part;
}

static uint32_t cluster_of(const smp_kernel_case *problem, uint32_t bins) {
    uint32_t cluster = problem->cluster;
    if (cluster)
        return cluster;
    for (cluster = 1; cluster < CLUSTER_MAX; cluster *= 2)
        if (part_of(bins, cluster) * sizeof(uint32_t) <= SMP_HISTOGRAM_SHARED_MAX)
            break;
    return cluster;
}

static uint32_t copies_of(uint64_t bins) {
    const uint64_t fit = SMP_HISTOGRAM_COPIES_BYTES / (bins * sizeof(uint32_t));
    return fit > WARPS ? WARPS : fit > 0 ? (uint32_t)fit : 1;
}

smp_histogram_plan smp_histogram_plan_of(const smp_kernel_case *problem, uint32_t copies,
                                         uint32_t cluster) {
    smp_histogram_plan plan = {.bins = (uint32_t)problem->rows};
    const uint64_t chunks =
        smp_divide_up(problem->columns / SMP_HISTOGRAM_EACH, SMP_HISTOGRAM_THREADS);
    const uint64_t blocks = chunks > SMP_HISTOGRAM_BLOCKS ? SMP_HISTOGRAM_BLOCKS : chunks;
    plan.copies = copies ? copies : copies_of(plan.bins);
    plan.cluster = cluster ? cluster : cluster_of(problem, plan.bins);
    plan.blocks = (uint32_t)(smp_divide_up(blocks ? blocks : 1, plan.cluster) * plan.cluster);
    plan.part = part_of(plan.bins, plan.cluster);
    uint64_t words = plan.cluster > 1 ? plan.part : (uint64_t)plan.bins * plan.copies;
    plan.shared_bytes = (words > plan.part ? words : plan.part) * sizeof(uint32_t);
    return plan;
}
