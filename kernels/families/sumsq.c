/* SPDX-License-Identifier: MIT */
/*
 * The family `sumsq`: the sum of the squares of n digits 0 to 9, by the CPU and with one
 * atomic addition per thread, warp or block. Input and sum begin at multiples of 128 bytes; `work`
 * only holds the copy that is the baseline.
 */
#include "sumsq.h"

enum { DIGITS = 10, LARGEST = (DIGITS - 1) * (DIGITS - 1) };

/* ---- Scripts ---- */

static uint64_t blocks_of(const smp_kernel_case *problem) {
    return smp_divide_up(problem->columns, SMP_SUMSQ_THREADS);
}

/* Who adds to the sum, numbered as in the script. */
enum { EACH_THREAD, A_LANE, A_THREAD };

static void write_script(smp_kernel_script *script, const smp_kernel_case *problem, uint64_t adds) {
    script->shape = (smp_kernel_shape){blocks_of(problem), SMP_SUMSQ_THREADS,
                                       adds == A_THREAD ? SMP_SUMSQ_THREADS * sizeof(uint32_t) : 0};
    SMP_DEFINE(script, {"N", problem->columns}, {"THREADS", SMP_SUMSQ_THREADS},
               {"BLOCKS", blocks_of(problem)}, {"ADDS", adds});
    smp_script_take(script, "sumsq");
    smp_script_add_row(script, blocks_of(problem), 1);
}

SMP_SCRIPT_ONCE(script_each, write_script(script, problem, EACH_THREAD))
SMP_SCRIPT_ONCE(script_global, write_script(script, problem, A_LANE))
SMP_SCRIPT_ONCE(script_shared, write_script(script, problem, A_THREAD))

/* ---- The numbers ---- */

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t in = problem->columns * sizeof(int32_t);
    return (smp_kernel_bytes){.in = in, .out = sizeof(uint32_t), .work = in, .moved = in};
}

static void fill(const smp_kernel_case *problem, void *in) {
    uint64_t state = problem->seed * 2 + 1;
    int32_t *values = in;
    for (uint64_t i = 0; i < problem->columns; i++)
        values[i] = (int32_t)((smp_noise(&state) >> 32) % DIGITS);
}

static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    const int32_t *values = in;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < problem->columns; i++)
        sum += (uint32_t)(values[i] * values[i]);
    *(uint32_t *)out = sum;
}

/* Integers are exact in any order. */
SMP_VERIFY(verify, smp_verify_solved(problem, in, out, solve, sizeof(uint32_t), SMP_UNSIGNED, 0,
                                     "sum", error))

static const smp_kernel_variant variants[] = {
    {
        .name = "cpu",
        .summary = "a loop on the host",
        .host = solve,
    },
    {SMP_VARIANT("atomic-each", "one atomic addition per thread on one word of global memory",
                 script_each, smp_sumsq_launch_each),
     .prepare = SMP_LAUNCH(smp_sumsq_prepare)},
    {SMP_VARIANT("atomic", "the same source, of which the compiler makes one atomic per warp",
                 script_global, smp_sumsq_launch_global),
     .prepare = SMP_LAUNCH(smp_sumsq_prepare)},
    {SMP_VARIANT("shared", "a tree in dynamic shared memory, and one atomic per block",
                 script_shared, smp_sumsq_launch_shared),
     .prepare = SMP_LAUNCH(smp_sumsq_prepare)},
};

static const smp_kernel_claim claims[] = {
    {"atomic-each", "atomic", "adding up each warp first"},
    {"atomic-each", "shared", "adding up each block in shared memory"},
};

const smp_kernel_family smp_sumsq_family = {
    .name = "sumsq",
    .summary = "the sum of the squares of integers, by atomics",
    .elements = 1u << SMP_INT,
    .standard = {.element = SMP_INT, .rows = 1, .columns = 1u << 20, .seed = 1},
    .most_columns = UINT32_MAX / LARGEST, /* the sum fits 32 bits */
    .times_copies = true,
    .baseline_name = "device-to-device copy",
    SMP_FAMILY_PARTS,
};
