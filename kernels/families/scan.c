/* SPDX-License-Identifier: MIT */
/*
 * The family `scan`: exclusive prefix sums of n digits 0 to 9 by Blelloch's work-efficient
 * tree. Its strides double from step to step, so without padding all lanes of a warp meet in one
 * bank. Input, output and sums begin at multiples of 256 bytes.
 *
 * One variant uses a macro that many programs copied: ((n) >> BANKS + (n) >> (2 * LOG_BANKS)). As
 * + binds tighter than >>, it shifts by BANKS + n, and the offset is always 0: the sums are right,
 * and nothing is gained.
 */
#include "scan.h"

/* The most elements that a dimension of an array in a script can have. */
#define COUNT_MAX (UINT64_C(1) << 30)

enum { DIGITS = 10 };

/* ---- Shapes ---- */

smp_scan_plan smp_scan_plan_of(const smp_kernel_case *problem) {
    smp_scan_plan plan = {0};
    uint64_t count = problem->columns;
    for (;;) {
        const uint64_t blocks = count ? smp_divide_up(count, SMP_SCAN_TILE) : 1;
        plan.count[plan.levels] = count;
        plan.blocks[plan.levels] = blocks;
        plan.sums[plan.levels++] = plan.bytes;
        plan.bytes +=
            smp_divide_up(blocks * sizeof(uint32_t), SMP_SCAN_ALIGNMENT) * SMP_SCAN_ALIGNMENT;
        if (blocks == 1)
            break;
        count = blocks;
    }
    /* The baseline's library keeps some words per tile of its own, and some more. */
    const uint64_t library = problem->columns / 16 + (UINT64_C(1) << 20);
    plan.bytes = plan.bytes > library ? plan.bytes : library;
    return plan;
}

/* ---- Scripts ---- */

/* First every level is scanned; then the sums are added back, beginning with the last level but
 * one. `place` is the index of element i in a tile, as in scan.cu. */
static bool script_scan(const smp_kernel_case *problem, uint32_t index, const char *place,
                        smp_kernel_script *script) {
    const smp_scan_plan plan = smp_scan_plan_of(problem);
    if (index >= 2 * plan.levels - 1)
        return false;
    const bool scans = index < plan.levels;
    const uint32_t level = scans ? index : 2 * plan.levels - 2 - index;
    script->shape = (smp_kernel_shape){plan.blocks[level], SMP_SCAN_THREADS,
                                       (SMP_SCAN_TILE + SMP_SCAN_SPACES) * sizeof(uint32_t)};
    smp_script_define_type(script, problem);
    smp_script_define_text(script, "PLACE(i)", place);
    SMP_DEFINE(script, {"N", plan.count[level]}, {"BLOCKS", plan.blocks[level]},
               {"TILE", SMP_SCAN_TILE}, {"SPACES", SMP_SCAN_SPACES}, {"THREADS", SMP_SCAN_THREADS});
    smp_script_take(script, scans ? "scan" : "scan-sums");
    smp_script_add_row(script, plan.blocks[level], 1);
    return true;
}

SMP_SCRIPT(script_plain, script_scan(problem, index, "i", script))
SMP_SCRIPT(script_offset16, script_scan(problem, index, "i + (i >> 4)", script))
SMP_SCRIPT(script_offset32, script_scan(problem, index, "i + (i >> 5)", script))
SMP_SCRIPT(script_two_level16, script_scan(problem, index, "i + (i >> 4) + (i >> 8)", script))
SMP_SCRIPT(script_two_level32, script_scan(problem, index, "i + (i >> 5) + (i >> 10)", script))
/* A shift by 32 or more is undefined in C and gives 0 on a GPU. */
SMP_SCRIPT(script_wrong16,
           script_scan(problem, index, "i + (i < 16 ? i >> (16 + i) >> 8 : 0)", script))
SMP_SCRIPT(script_wrong32, script_scan(problem, index, "i", script))

/* ---- The numbers ---- */

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t size = problem->columns * sizeof(uint32_t);
    return (smp_kernel_bytes){
        .in = size, .out = size, .work = smp_scan_plan_of(problem).bytes, .moved = 2 * size};
}

static void fill(const smp_kernel_case *problem, void *in) {
    uint64_t state = problem->seed * 2 + 1;
    for (uint64_t i = 0; i < problem->columns; i++) {
        const uint32_t digit = (uint32_t)((smp_noise(&state) >> 32) % DIGITS);
        if (problem->element == SMP_FLOAT)
            ((float *)in)[i] = (float)digit;
        else
            ((uint32_t *)in)[i] = digit;
    }
}

static uint32_t digit_at(const smp_kernel_case *problem, const void *in, uint64_t i) {
    return problem->element == SMP_FLOAT ? (uint32_t)((const float *)in)[i]
                                         : ((const uint32_t *)in)[i];
}

/* Sums of digits are whole numbers below 2^36. */
static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < problem->columns; i++) {
        if (problem->element == SMP_FLOAT)
            ((float *)out)[i] = (float)sum;
        else
            ((uint32_t *)out)[i] = (uint32_t)sum;
        sum += digit_at(problem, in, i);
    }
}

/* Integers are exact, modulo 2^32. Floats may differ by 1e-5 of the sum: the trees of three levels
 * round about 60 times, by at most 2^-24 each. */
SMP_VERIFY(verify, smp_verify_solved(problem, in, out, solve, bytes(problem).out, problem->element,
                                     problem->element == SMP_FLOAT ? 1e-5 : 0, "element", error))

#define VARIANT(text, id, what)                               \
    {                                                         \
        .name = text, .summary = what, .script = script_##id, \
        .launch = SMP_LAUNCH(smp_scan_launch_##id),           \
    }

static const smp_kernel_variant variants[] = {
    VARIANT("plain", plain, "elements side by side: strides double up to 512 words"),
    VARIANT("offset-16", offset16, "one word of space after 16 elements: i + (i >> 4)"),
    VARIANT("offset-32", offset32, "one word of space after 32 elements: i + (i >> 5)"),
    VARIANT("two-level-16", two_level16, "i + (i >> 4) + (i >> 8)"),
    VARIANT("two-level-32", two_level32, "i + (i >> 5) + (i >> 10)"),
    VARIANT("wrong-16", wrong16,
            "the macro without parentheses, i >> 16 + i >> 8: no space at all"),
    VARIANT("wrong-32", wrong32, "the same for 32 banks, i >> 32 + i >> 10"),
    SMP_SCAN_RACES};

static const smp_kernel_claim claims[] = {
    {"plain", "offset-32", "one word of space after 32 elements"},
    {"offset-16", "offset-32", "spaces for 32 banks, not for 16,"},
    {"plain", "wrong-32", "the macro without parentheses"},
    SMP_SCAN_RACE_CLAIMS};

const smp_kernel_family smp_scan_family = {
    .name = "scan",
    .summary = "exclusive prefix sums",
    .elements = 1u << SMP_UNSIGNED | 1u << SMP_INT | 1u << SMP_FLOAT,
    .standard = {.element = SMP_UNSIGNED, .rows = 1, .columns = 1u << 24, .seed = 1},
    .most_columns = COUNT_MAX,
    .baseline_name = "CUB DeviceScan",
    .baseline = SMP_BASELINE(smp_scan_launch_cub),
    SMP_FAMILY_PARTS,
};
