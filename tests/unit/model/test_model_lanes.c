/* SPDX-License-Identifier: MIT */
/* Bank, row and group of each lane, by the letter of the documents. */

#include "combinations.h"
#include "offset_text.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

typedef struct lane_row {
    const char *name;
    const char *arch;
    unsigned bank_bytes;
    smp_op op;
    unsigned width_bytes;
    const char *offsets; /* offset_text.h */
    unsigned lane, bank, row, group;
} lane_row;

/* clang-format off */
static const lane_row rows[] = {
    {"first lane", "9.0", 4, SMP_LD_SHARED, 4, "0+4*32", 0, 0, 0, 0},
    {"last bank", "9.0", 4, SMP_LD_SHARED, 4, "0+4*32", 31, 31, 0, 0},
    {"bank 0 of row 1", "9.0", 4, SMP_LD_SHARED, 4, "0+4*31 128", 31, 0, 1, 0},
    {"a byte inside a word", "9.0", 4, SMP_LD_SHARED, 1, "0+1*32", 31, 7, 0, 0},
    {"the highest row", "9.0", 4, SMP_LD_SHARED, 4, "232444*32", 3, 31, 1815, 0},
    {"1.x has 16 banks", "1.3", 4, SMP_LD_SHARED, 4, "0+4*32", 15, 15, 0, 0},
    {"1.x second half-warp", "1.3", 4, SMP_LD_SHARED, 4, "0+4*32", 16, 0, 1, 1},
    {"1.x first request of a wide access", "1.3", 4, SMP_LD_SHARED, 16, "0+16*32", 17, 4, 4, 4},
    {"1.x first half of a double", "1.0", 4, SMP_LD_SHARED, 8, "0+8*32", 31, 14, 3, 2},
    {"3.x in 8-byte mode", "3.5", 8, SMP_LD_SHARED, 4, "0+4*32", 31, 15, 0, 0},
    {"3.x row of 256 bytes", "3.5", 8, SMP_LD_SHARED, 8, "248 256 0*30", 1, 0, 1, 0},
    {"3.x in 4-byte mode", "3.5", 4, SMP_LD_SHARED, 4, "0+4*31 128", 31, 0, 1, 0},
    {"3.x 16 bytes, second half-warp", "3.5", 8, SMP_LD_SHARED, 16, "0+16*32", 16, 0, 1, 1},
    {"2.x second half-warp of doubles", "2.0", 4, SMP_LD_SHARED, 8, "0+8*32", 16, 0, 1, 1},
    {"2.x last quarter-warp", "2.0", 4, SMP_LD_SHARED, 16, "0+16*32", 31, 28, 3, 3},
    {"doubles not in pairs", "9.0", 4, SMP_LD_SHARED, 8, "0+8*32", 31, 30, 1, 1},
    {"doubles in pairs", "9.0", 4, SMP_LD_SHARED, 8, "0+8*32/2", 31, 30, 0, 0},
    {"16 bytes in pairs", "9.0", 4, SMP_LD_SHARED, 16, "0+16*32/2", 31, 28, 1, 1},
    {"16 bytes written in pairs", "9.0", 4, SMP_ST_SHARED, 16, "0+16*32/2", 31, 28, 1, 3},
    {"matrix rows", "9.0", 4, SMP_LDMATRIX_X4, 16, "0+16*32", 8, 0, 1, 1},
    {"atomics of 8 bytes", "9.0", 4, SMP_ATOM_SHARED, 8, "0+8*32", 31, 30, 1, 1},
    {"copies of 8 bytes", "9.0", 4, SMP_CP_ASYNC, 8, "0+8*32", 31, 30, 1, 1},
    {"atomics of 4 bytes", "9.0", 4, SMP_ATOM_SHARED, 4, "0+8*32", 31, 30, 1, 0},
};
/* clang-format on */

START_TEST(lane_falls_where_it_should) {
    const lane_row *row = &rows[_i];
    smp_access access = {
        .op = row->op, .width_bytes = row->width_bytes, .active_mask = SMP_ALL_LANES};
    smp_arch arch;
    smp_lane lanes[SMP_LANES];
    ck_assert_msg(offset_text_read(row->offsets, &access) > 0, "%s: bad offsets", row->name);
    ck_assert_int_eq(smp_arch_with_bank_bytes(smp_arch_find(row->arch), row->bank_bytes, &arch),
                     SMP_OK);
    ck_assert_msg(smp_lanes(&arch, &access, lanes) == SMP_OK, "%s: status", row->name);
    const smp_lane *got = &lanes[row->lane];
    ck_assert_msg(got->offset_bytes == access.offset_bytes[row->lane] && got->bank == row->bank &&
                      got->row == row->row && got->group == row->group,
                  "%s: offset %u bank %u row %u group %u; expected bank %u row %u group %u",
                  row->name, got->offset_bytes, got->bank, got->row, got->group, row->bank,
                  row->row, row->group);
}
END_TEST

/* Every lane that counts is in the group that its index names. */
START_TEST(groups_are_those_of_the_counts) {
    const combination_list *list = combinations_collect(0);
    smp_random random = {test_setting("SMP_TEST_SEED", 1) + 3};
    for (uint64_t i = 0; i < test_cases("SMP_TEST_CASES", 1000000) / 10; i++) {
        const combination *entry = &list->entries[i % list->count];
        smp_access access;
        smp_counts counts;
        smp_lane lanes[SMP_LANES];
        uint32_t limit = entry->arch.shared_block_kib * 1024u;
        smp_random_access(&random, entry->op, entry->width_bytes, limit, &access);
        (void)smp_predict(&entry->arch, &access, &counts);
        smp_status status = smp_lanes(&entry->arch, &access, lanes);
        bool shared = (counts.valid & SMP_HAS_WAVEFRONTS) != 0 && counts.group_count > 0;
        ck_assert_int_eq(status, shared ? SMP_OK : SMP_E_NOT_MODELLED);
        for (unsigned lane = 0; shared && lane < SMP_LANES; lane++) {
            bool counts_here = smp_access_lanes(&access) >> lane & 1u;
            ck_assert_uint_eq(lanes[lane].offset_bytes, access.offset_bytes[lane]);
            ck_assert_uint_lt(lanes[lane].bank, entry->arch.banks);
            if (counts_here)
                ck_assert_msg(counts.groups[lanes[lane].group].lanes >> lane & 1u,
                              "%s on %s: lane %u is not in group %u", smp_ops(NULL)[entry->op].name,
                              entry->arch.name, lane, lanes[lane].group);
        }
    }
}
END_TEST

START_TEST(unsound_accesses_fall_nowhere) {
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    smp_lane lanes[SMP_LANES];
    access.offset_bytes[3] = 2;
    ck_assert_int_eq(smp_lanes(smp_arch_find("9.0"), &access, lanes), SMP_E_MISALIGNED);
    access.op = SMP_RED_SHARED;
    access.width_bytes = 8;
    access.offset_bytes[3] = 0;
    ck_assert_int_eq(smp_lanes(smp_arch_find("9.0"), &access, lanes), SMP_E_NOT_MODELLED);
    access.op = SMP_CP_ASYNC;
    access.width_bytes = 16;
    ck_assert_int_eq(smp_lanes(smp_arch_find("9.0"), &access, lanes), SMP_E_NOT_MODELLED);
    access.width_bytes = 4;
    ck_assert_int_eq(smp_lanes(smp_arch_find("9.0"), &access, lanes), SMP_OK);
    access.address_bytes[3] = UINT64_C(1) << 40;
    ck_assert_int_eq(smp_lanes(smp_arch_find("9.0"), &access, lanes), SMP_E_NOT_MODELLED);
}
END_TEST

int main(void) {
    return SUITE_FOR(0, "model_lanes", TEST_EACH(lane_falls_where_it_should, COUNT_OF(rows)),
                     TEST(groups_are_those_of_the_counts), TEST(unsound_accesses_fall_nowhere));
}
