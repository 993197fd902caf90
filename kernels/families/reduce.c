/* SPDX-License-Identifier: MIT */
/*
 * The family `reduce`: sums of floats or doubles, the accesses of each variant, and the
 * expected sums. A variant's first kernel leaves one sum per block in `work`; later kernels add
 * these in double precision until one is left. Input, sums and the arrays in `work` begin at
 * multiples of 256 bytes.
 *
 * With seed 0 every value is 1.23, which is no binary fraction: a float that adds 1e8 of these one
 * by one stops growing at 2^25, where the next float is 4 away.
 */
#include "reduce.h"

#include <math.h>

#define VALUE 1.23
/* The most elements that a dimension of an array in a script can have. */
#define COUNT_MAX (UINT64_C(1) << 30)
/* How much of `work` the baseline's library may use. */
#define LIBRARY_BYTES (UINT64_C(1) << 20)

enum { FLOAT_OR_DOUBLE = 1u << SMP_FLOAT | 1u << SMP_DOUBLE };

static const char *type_of(const smp_kernel_case *problem) {
    return smp_element_info(problem->element)->layout_name;
}

/* ---- Plans ---- */

static uint64_t align(uint64_t bytes) {
    return smp_divide_up(bytes, SMP_REDUCE_ALIGNMENT) * SMP_REDUCE_ALIGNMENT;
}

/* Whole vectors of 16 bytes in the input. */
static uint64_t vectors_of(const smp_kernel_case *problem) {
    return problem->columns / (SMP_REDUCE_FAST_BYTES / smp_element_bytes(problem));
}

static uint64_t fast_blocks(const smp_kernel_case *problem) {
    const uint64_t chunks = smp_divide_up(vectors_of(problem), SMP_REDUCE_FAST_THREADS);
    if (chunks > SMP_REDUCE_FAST_BLOCKS)
        return SMP_REDUCE_FAST_BLOCKS;
    return chunks > 0 ? chunks : 1;
}

smp_reduce_plan smp_reduce_plan_of(const smp_kernel_case *problem, uint32_t tile) {
    smp_reduce_plan plan = {0};
    const uint64_t slices = smp_divide_up(problem->columns, SMP_REDUCE_SMALL);
    const uint64_t most = slices > SMP_REDUCE_FAST_BLOCKS ? slices : SMP_REDUCE_FAST_BLOCKS;
    const uint64_t left = smp_divide_up(most, SMP_REDUCE_FINISH_TILE);
    plan.blocks = tile ? smp_divide_up(problem->columns, tile) : fast_blocks(problem);
    if (plan.blocks == 0)
        plan.blocks = 1;
    plan.sums = align((slices + 1) * SMP_REDUCE_SMALL * smp_element_bytes(problem));
    plan.finish[0] = plan.sums + align(most * sizeof(double));
    plan.finish[1] = plan.finish[0] + align(left * sizeof(double));
    plan.bytes = plan.finish[1] + align(left * sizeof(double)) + LIBRARY_BYTES;
    return plan;
}

/* ---- Scripts ---- */

/* The kernels that add `count` sums of a type; the first has index 0. */
static bool script_finish(const smp_kernel_case *problem, uint64_t count, const char *type,
                          uint32_t index, smp_kernel_script *script) {
    for (uint32_t i = 0; i < index; i++) {
        if (count <= SMP_REDUCE_FINISH_TILE)
            return false;
        count = smp_divide_up(count, SMP_REDUCE_FINISH_TILE);
        type = "double";
    }
    const uint64_t blocks = smp_divide_up(count, SMP_REDUCE_FINISH_TILE);
    SMP_DEFINE(script, {"N", count}, {"BLOCKS", blocks}, {"TILE", SMP_REDUCE_FINISH_TILE},
               {"THREADS", SMP_REDUCE_FINISH_THREADS});
    smp_script_define_text(script, "T", type);
    smp_script_define_text(script, "SUM", "double");
    smp_script_define_text(script, "TOTAL", blocks > 1 ? "double" : type_of(problem));
    smp_script_take(script, "reduce-finish");
    smp_script_take(script, "reduce-warps");
    smp_script_add_row(script, blocks, 1);
    return true;
}

/* The first kernel: blocks of `threads` threads that take `each` elements each. True if `index`
 * means this kernel; else *found tells whether a later one has it. */
static bool begin(const smp_kernel_case *problem, uint32_t index, uint32_t threads, uint32_t each,
                  smp_kernel_script *script, bool *found) {
    const uint64_t blocks = smp_reduce_plan_of(problem, threads * each).blocks;
    *found = true;
    if (index > 0) {
        *found = script_finish(problem, blocks, type_of(problem), index - 1, script);
        return false;
    }
    script->shape = (smp_kernel_shape){.blocks = blocks, .threads = threads};
    smp_script_define_type(script, problem);
    smp_script_define_text(script, "SUM", type_of(problem));
    SMP_DEFINE(script, {"N", problem->columns}, {"BLOCKS", blocks}, {"THREADS", threads},
               {"EACH", each});
    smp_script_add_row(script, blocks, 1);
    return true;
}

static bool script_global(const smp_kernel_case *problem, uint32_t index,
                          smp_kernel_script *script) {
    bool found;
    if (begin(problem, index, SMP_REDUCE_SMALL, 1, script, &found))
        smp_script_take(script, "reduce-global");
    return found;
}

/* How a block adds its values: by a tree, numbered as in the script, or by shuffles. */
typedef enum adding { HALVES, NEIGHBOURS, STRIDED, SHUFFLES } adding;

static bool script_tree(const smp_kernel_case *problem, uint32_t index, adding how,
                        uint32_t threads, uint32_t each, smp_kernel_script *script) {
    bool found;
    if (begin(problem, index, threads, each, script, &found)) {
        const uint32_t sums = how == SHUFFLES ? threads / SMP_LANES : threads;
        script->shape.shared_bytes = sums * smp_element_bytes(problem);
        SMP_DEFINE(script, {"TREE", how});
        smp_script_take(script, "reduce-input");
        smp_script_take(script, how == SHUFFLES ? "reduce-warps" : "reduce-tree");
    }
    return found;
}

SMP_SCRIPT(script_small, script_tree(problem, index, HALVES, SMP_REDUCE_SMALL, 1, script))
SMP_SCRIPT(script_modulo, script_tree(problem, index, NEIGHBOURS, SMP_REDUCE_LARGE, 1, script))
SMP_SCRIPT(script_strided, script_tree(problem, index, STRIDED, SMP_REDUCE_LARGE, 1, script))
SMP_SCRIPT(script_sequential, script_tree(problem, index, HALVES, SMP_REDUCE_LARGE, 1, script))
SMP_SCRIPT(script_first_add, script_tree(problem, index, HALVES, SMP_REDUCE_LARGE, 2, script))
SMP_SCRIPT(script_shuffle, script_tree(problem, index, SHUFFLES, SMP_REDUCE_LARGE, 2, script))

/* Blocks take chunks of one vector per thread in turn. Blocks with the same number of whole chunks
 * cost the same; block 0 also adds the elements behind the last vector, and one block has the
 * last, partial chunk. */
static void add_fast_blocks(const smp_kernel_case *problem, uint64_t blocks,
                            smp_kernel_script *script) {
    const uint64_t chunks = smp_divide_up(vectors_of(problem), SMP_REDUCE_FAST_THREADS);
    const uint64_t longer = chunks % blocks, last = chunks ? (chunks - 1) % blocks : 0;
    uint64_t index[2] = {0, 0}, times[2] = {0, 0};
    smp_script_add_block(script, 0, 1);
    if (last != 0)
        smp_script_add_block(script, last, 1);
    for (uint64_t b = 1; b < blocks; b++) {
        const unsigned class = b < longer ? 0 : 1;
        if (b == last)
            continue;
        index[class] = b;
        times[class]++;
    }
    smp_script_add_block(script, index[0], times[0]);
    smp_script_add_block(script, index[1], times[1]);
}

static bool script_fast(const smp_kernel_case *problem, uint32_t index, smp_kernel_script *script) {
    const uint64_t blocks = smp_reduce_plan_of(problem, 0).blocks;
    const uint64_t stride = blocks * SMP_REDUCE_FAST_THREADS;
    if (index > 0)
        return script_finish(problem, blocks, "double", index - 1, script);
    script->shape = (smp_kernel_shape){blocks, SMP_REDUCE_FAST_THREADS,
                                       SMP_REDUCE_FAST_THREADS / SMP_LANES * sizeof(double)};
    smp_script_define_type(script, problem);
    smp_script_define_text(script, "VECTOR", problem->element == SMP_DOUBLE ? "double2" : "float4");
    smp_script_define_text(script, "SUM", "double");
    SMP_DEFINE(script, {"N", problem->columns}, {"BLOCKS", blocks},
               {"THREADS", SMP_REDUCE_FAST_THREADS},
               {"EACH", SMP_REDUCE_FAST_BYTES / smp_element_bytes(problem)},
               {"ROUNDS", smp_divide_up(vectors_of(problem), stride) + 1});
    smp_script_take(script, "reduce-fast");
    smp_script_take(script, "reduce-warps");
    add_fast_blocks(problem, blocks, script);
    return true;
}

/* ---- The numbers ---- */

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t in = problem->columns * smp_element_bytes(problem);
    return (smp_kernel_bytes){.in = in,
                              .out = smp_element_bytes(problem),
                              .work = smp_reduce_plan_of(problem, SMP_REDUCE_SMALL).bytes,
                              .moved = in};
}

static void fill(const smp_kernel_case *problem, void *in) {
    uint64_t state = problem->seed * 2 + 1;
    for (uint64_t i = 0; i < problem->columns; i++) {
        const double noise = (double)(smp_noise(&state) >> 40) / 16777216.0 - 0.5;
        const double value = problem->seed ? noise + VALUE : VALUE;
        if (problem->element == SMP_DOUBLE)
            ((double *)in)[i] = value;
        else
            ((float *)in)[i] = (float)value;
    }
}

static double value_at(const smp_kernel_case *problem, const void *in, uint64_t i) {
    return problem->element == SMP_DOUBLE ? ((const double *)in)[i]
                                          : (double)((const float *)in)[i];
}

/* The sum to the last digits of a double: the error of each addition is summed separately
 * (Neumaier). */
static double sound_sum(const smp_kernel_case *problem, const void *in) {
    double sum = 0, lost = 0;
    for (uint64_t i = 0; i < problem->columns; i++) {
        const double value = value_at(problem, in, i), next = sum + value;
        lost += fabs(sum) >= fabs(value) ? sum - next + value : value - next + sum;
        sum = next;
    }
    return sum + lost;
}

/* Values are positive, so the tolerance is relative to the sum: 1e-6 for floats, since a tree of
 * 512 floats rounds 9 times, by at most 2^-24 each, and the result once more; 1e-12 for doubles,
 * of which a thread may add some thousands. */
static smp_status verify(const smp_kernel_case *problem, const void *in, const void *out,
                         smp_error *error) {
    const double tolerance = problem->element == SMP_DOUBLE ? 1e-12 : 1e-6;
    const double expected = sound_sum(problem, in), found = value_at(problem, out, 0);
    if (fabs(found - expected) <= tolerance * expected)
        return SMP_OK;
    return smp_error_set(error, SMP_E_RESULT, -1, "the sum is %.13g, the CPU has %.13g", found,
                         expected);
}

static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    const double sum = sound_sum(problem, in);
    if (problem->element == SMP_DOUBLE)
        *(double *)out = sum;
    else
        *(float *)out = (float)sum;
}

/* Adds the elements one after the other, in their own type. */
static void loop(const smp_kernel_case *problem, const void *in, void *out) {
    double double_sum = 0;
    float float_sum = 0;
    for (uint64_t i = 0; i < problem->columns; i++) {
        double_sum += value_at(problem, in, i);
        float_sum += (float)value_at(problem, in, i);
    }
    if (problem->element == SMP_DOUBLE)
        *(double *)out = double_sum;
    else
        *(float *)out = float_sum;
}

static const smp_kernel_variant variants[] = {
    {SMP_VARIANT("global",
                 "blocks of 128 halve their slice in global memory, which destroys a copy of "
                 "the input",
                 script_global, smp_reduce_launch_global),
     .prepare = SMP_LAUNCH(smp_reduce_prepare_global)},
    {SMP_VARIANT("static", "the same in an array in shared memory", script_small,
                 smp_reduce_launch_static)},
    {SMP_VARIANT("dynamic", "the same in shared memory of a size given at launch", script_small,
                 smp_reduce_launch_dynamic)},
    {SMP_VARIANT("modulo",
                 "blocks of 512; every second thread adds its neighbour, then every fourth",
                 script_modulo, smp_reduce_launch_modulo)},
    {SMP_VARIANT("strided",
                 "the same elements added by the first threads: full warps, strided words",
                 script_strided, smp_reduce_launch_strided)},
    {SMP_VARIANT("sequential",
                 "halves added to halves by the first threads: full warps, neighbouring words",
                 script_sequential, smp_reduce_launch_sequential)},
    {SMP_VARIANT("first-add", "each thread adds two elements on the way to shared memory",
                 script_first_add, smp_reduce_launch_first_add)},
    {SMP_VARIANT("shuffle", "warps add by shuffles; shared memory holds one sum per warp",
                 script_shuffle, smp_reduce_launch_shuffle)},
    {SMP_VARIANT("fast",
                 "16 bytes a load, four loads in flight, many elements a thread, then shuffles",
                 script_fast, smp_reduce_launch_fast)},
    {
        .name = "cpu",
        .summary = "the host's compensated sum, which the others are checked against",
        .host = solve,
    },
    {
        .name = "cpu-loop",
        .summary = "a plain loop on the host, in the type of the elements",
        .host = loop,
        .wrong =
            "a large sum swallows small values: floats of 1.23 stop growing at 33554432, where "
            "the next float is 4 away; a double keeps nine digits and more",
    },
};

static const smp_kernel_claim claims[] = {
    {"global", "static", "shared memory instead of global"},
    {"modulo", "strided", "packing the work into full warps"},
    {"strided", "sequential", "adding halves, not neighbours,"},
    {"sequential", "first-add", "adding on the way in"},
    {"first-add", "shuffle", "shuffling instead of shared memory"},
    {"shuffle", "fast", "16 bytes a load and many of them"},
};

const smp_kernel_family smp_reduce_family = {
    .name = "reduce",
    .summary = "the sum of an array; with seed 0 every element is 1.23",
    .elements = FLOAT_OR_DOUBLE,
    .standard = {.element = SMP_FLOAT, .rows = 1, .columns = 100000000, .seed = 0},
    .most_columns = COUNT_MAX,
    .baseline_name = "CUB DeviceReduce",
    .baseline = SMP_BASELINE(smp_reduce_launch_cub),
    SMP_FAMILY_PARTS,
};
