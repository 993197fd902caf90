/* SPDX-License-Identifier: MIT */
/*
 * Facts about hardware that other code reads from columns of the rows
 * instead of asking for the generation.
 */
#include <stdio.h>
#include <string.h>

#include "smp_model.h"
#include "suite.h"

/* The facts that code outside the model takes from the rows instead of asking for the generation.
 */
START_TEST(banks_follow_from_the_columns) {
    smp_arch archs[SMP_ARCH_MODES_MAX];
    size_t count = smp_arch_modes(archs), rows = 0, modes = 0;
    (void)smp_archs(&rows);
    for (size_t i = 0; i < count; i++) {
        const smp_arch *a = &archs[i];
        unsigned row_bytes = a->banks * a->bank_bytes, period = a->shared_rule->period_bytes;
        modes += a->bank_bytes_alt != 0;
        ck_assert_msg(period == row_bytes || (period == 2 * row_bytes && a->bank_bytes_alt == 8),
                      "%s: a pass delivers a row of the banks, or two", a->name);
        ck_assert_msg(smp_bank_pairs_words(a) == (period > row_bytes), "%s: pairs", a->name);
        ck_assert_uint_eq(smp_bank_grain_bytes(a), period > row_bytes ? period : a->bank_bytes);
        ck_assert_msg(a->shared_rule->half_warps == (a->request_lanes == 16), "%s", a->name);
        ck_assert_msg(i == 0 || archs[i - 1].generation <= a->generation, "%s: order", a->name);
    }
    ck_assert_uint_eq(count, rows + modes / 2);
}
END_TEST

/* The model counts these without a look at what other rules have beyond words (rule.h). */
START_TEST(the_rule_of_today_has_no_exceptions) {
    const smp_shared_rule *rule = smp_arch_find("sm_90")->shared_rule;
    ck_assert(!smp_bank_pairs_words(smp_arch_find("sm_90")) && !rule->half_warps);
    for (unsigned width = 0; width < SMP_WIDTH_COUNT; width++)
        ck_assert_uint_eq(rule->extra_passes[width], 0);
}
END_TEST

START_TEST(builds_hold_code_for_rows) {
    char list[256] = "";
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].nvcc)
            continue;
        ck_assert_str_eq(rows[i].nvcc, rows[i].name + strlen("sm_"));
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? " " : "",
                 rows[i].nvcc);
    }
    ck_assert_msg(strcmp(list, SMP_ROW_ARCHITECTURES) == 0, "rows: %s; cmake/smp_cuda.cmake: %s",
                  list, SMP_ROW_ARCHITECTURES);
}
END_TEST

/* Measured on GH100, for 4, 8 and 16 bytes per lane; 0 where not measured. Widths up to 4 bytes
 * share one value. */
typedef struct floor_fact {
    smp_op op;
    double cycles[3];
} floor_fact;

static const floor_fact floors[] = {
    {SMP_LD_SHARED, {2.2, 2.45, 4.25}},
    {SMP_ST_SHARED, {1.45, 2.3, 4.25}},
    {SMP_ATOM_SHARED, {8.6, 15.7}},
    {SMP_ATOM_SHARED_CAS, {8.9, 16.7}},
    {SMP_RED_SHARED, {2.6}},
    {SMP_LDMATRIX_X1, {0, 0, 2.75}},
    {SMP_LDMATRIX_X2, {0, 0, 2.92}},
    {SMP_LDMATRIX_X4, {0, 0, 4.3}},
    {SMP_LDMATRIX_X1_TRANS, {0, 0, 2.75}},
    {SMP_LDMATRIX_X2_TRANS, {0, 0, 2.92}},
    {SMP_LDMATRIX_X4_TRANS, {0, 0, 4.3}},
    {SMP_STMATRIX_X1, {0, 0, 2.2}},
    {SMP_STMATRIX_X2, {0, 0, 2.6}},
    {SMP_STMATRIX_X4, {0, 0, 4.35}},
    {SMP_STMATRIX_X1_TRANS, {0, 0, 2.2}},
    {SMP_STMATRIX_X2_TRANS, {0, 0, 2.6}},
    {SMP_STMATRIX_X4_TRANS, {0, 0, 4.35}},
};

START_TEST(clock_floors_are_those_read_off) {
    const floor_fact *fact = &floors[_i];
    const smp_arch *arch = smp_arch_find("sm_90");
    for (unsigned i = 0; i < 3; i++)
        ck_assert_double_eq(smp_clock_floor(arch, fact->op, 4u << i), fact->cycles[i]);
    if (smp_ops(NULL)[fact->op].widths & 1)
        ck_assert_double_eq(smp_clock_floor(arch, fact->op, 1), fact->cycles[0]);
    if (smp_ops(NULL)[fact->op].widths & 2)
        ck_assert_double_eq(smp_clock_floor(arch, fact->op, 2), fact->cycles[0]);
}
END_TEST

START_TEST(clock_floors_are_of_what_can_be_measured) {
    size_t count = 0, known = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        for (smp_op op = 0; op < SMP_OP_COUNT; op++) {
            for (unsigned width = 1; width <= 16; width *= 2) {
                double floor = smp_clock_floor(&rows[i], op, width);
                bool has_width = smp_op_evidence(&rows[i], op, width) == SMP_MEASURED;
                known += floor > 0;
                ck_assert_msg(floor == 0 || (has_width && floor > 1 && floor < 32 &&
                                             smp_ops(NULL)[op].space == SMP_SPACE_SHARED),
                              "%s %s %u: %g", rows[i].name, smp_ops(NULL)[op].name, width, floor);
            }
        }
    }
    ck_assert_uint_eq(known, 27);
}
END_TEST

START_TEST(the_ideal_is_that_of_the_counts) {
    const smp_arch *arch = smp_arch_find("sm_90");
    for (smp_op op = 0; op < SMP_OP_COUNT; op++) {
        smp_access access = {.op = op, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        smp_counts counts;
        if (smp_ops(NULL)[op].fixed_group != 0)
            access.width_bytes = 16;
        for (unsigned l = 0; l < SMP_LANES; l++) /* the worst: the wavefronts don't cap it */
            access.offset_bytes[l] = 128 * l;
        if (smp_predict(arch, &access, &counts) == SMP_OK && counts.valid & SMP_HAS_WAVEFRONTS)
            ck_assert_uint_eq(counts.ideal,
                              smp_op_ideal(op, counts.active_lanes, access.width_bytes));
    }
}
END_TEST

/* Blocks that a multiprocessor holds: threads, shared memory, registers a thread. */
static const struct {
    const char *arch;
    uint32_t threads, shared_bytes, registers, blocks;
    const char *limit;
} residents[] = {
    {"sm_90", 256, 0, 0, 8, "2048 threads"},
    {"sm_90", 32, 0, 0, 32, "32 blocks"},
    {"sm_90", 256, 0, 255, 1, "registers: 8160 a warp, two warps a partition"},
    {"sm_90", 256, 16384, 40, 6, "registers: 1280 a warp, 12 warps a partition"},
    {"sm_90", 512, 57344, 32, 4, "shared memory: 58368 with the reserved KiB"},
    {"sm_90", 512, 57792, 32, 3, "shared memory: one column more"},
    {"sm_90", 1024, 232448, 0, 1, "the most that a block can have"},
    {"sm_90", 1024, 232449, 0, 0, "more than that"},
    {"sm_86", 256, 0, 0, 6, "1536 threads"},
    {"sm_75", 256, 0, 0, 4, "1024 threads"},
    {"sm_70", 64, 49152, 0, 2, "96 KiB, none reserved"},
    {"sm_35", 256, 12288, 0, 4, "48 KiB"},
    {"sm_20", 192, 0, 63, 8, "8 blocks; registers are not looked at"},
    {"sm_13", 256, 0, 0, 4, "1024 threads"},
    {"sm_10", 256, 0, 0, 3, "768 threads"},
    {"sm_90", 33, 0, 0, 32, "two warps"},
    {"sm_90", 96, 0, 40, 16, "registers: 51 warps would fit, whole ones of each partition 48"},
    {"sm_90", 97, 0, 0, 16, "four warps"},
    {"sm_75", 1024, 0, 0, 1, "all its threads in one block"},
    {"sm_90", 384, 45696, 0, 4, "shared memory: the fifth block lacks 128 bytes"},
    {"sm_90", 1024, 0, 65, 0, "registers: no block fits"},
    {"sm_52", 64, 49153, 0, 0, "more than a block can have, though two fit"},
    {"sm_90", 0, 0, 0, 0, "no block at all"},
    {"sm_90", UINT32_MAX, 0, 0, 0, "more threads than there are"},
    {"sm_90", 32, UINT32_MAX, 0, 0, "more memory than there is"},
    {"sm_90", 32, 0, UINT32_MAX, 0, "more registers than there are"},
};

START_TEST(a_multiprocessor_holds_blocks) {
    const uint32_t blocks =
        smp_resident_blocks(smp_arch_find(residents[_i].arch), residents[_i].threads,
                            residents[_i].shared_bytes, residents[_i].registers);
    ck_assert_msg(blocks == residents[_i].blocks, "%s, %s: %u blocks, not %u", residents[_i].arch,
                  residents[_i].limit, residents[_i].blocks, blocks);
}
END_TEST

int main(void) {
    return SUITE("model_columns", TEST(banks_follow_from_the_columns),
                 TEST(the_rule_of_today_has_no_exceptions), TEST(builds_hold_code_for_rows),
                 TEST(clock_floors_are_of_what_can_be_measured),
                 TEST_EACH(clock_floors_are_those_read_off, COUNT_OF(floors)),
                 TEST(the_ideal_is_that_of_the_counts),
                 TEST_EACH(a_multiprocessor_holds_blocks, COUNT_OF(residents)));
}
