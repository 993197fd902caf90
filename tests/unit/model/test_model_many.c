/* SPDX-License-Identifier: MIT */
/*
 * Rows of arrays cost the same as their accesses, in any layout of the numbers;
 * errors name the row and the lane.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "suite.h"

enum { ROWS = 400, STEP = 3 };

typedef struct rows {
    smp_access access[ROWS];
    uint8_t ops[ROWS], widths[ROWS];
    uint32_t masks[ROWS];
    uint64_t plain[2][ROWS][SMP_LANES];        /* first list, second list */
    uint64_t spread[2][SMP_LANES][ROWS][STEP]; /* lanes outside, gaps between */
    uint32_t narrow[ROWS][SMP_LANES];
} rows;

static void fill(rows *r) {
    smp_random random = {7};
    size_t count;
    const smp_op_row *ops = smp_ops(&count);
    for (unsigned i = 0; i < ROWS; i++) {
        const smp_op_row *op = &ops[i % count];
        unsigned width = 1;
        while (!(op->widths & width) || (smp_random_below(&random, 3) == 0 &&
                                         op->widths >= 2 * width && op->widths & 2 * width))
            width *= 2;
        smp_random_access(&random, op->op, width, 16384, &r->access[i]);
        r->ops[i] = (uint8_t)op->op;
        r->widths[i] = (uint8_t)width;
        r->masks[i] = r->access[i].active_mask;
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            const uint64_t address = r->access[i].address_bytes[lane];
            const uint32_t offset = r->access[i].offset_bytes[lane];
            const uint64_t first = op->space == SMP_SPACE_GLOBAL ? address : offset;
            r->plain[0][i][lane] = r->spread[0][lane][i][0] = first;
            r->plain[1][i][lane] = r->spread[1][lane][i][0] = address;
            r->narrow[i][lane] = offset;
        }
    }
}

static void same(const smp_counts *counts, smp_status status, const smp_row_counts *row,
                 unsigned i) {
    ck_assert_msg(row->status == status, "row %u: status %u, not %u", i, row->status, status);
    ck_assert_uint_eq(row->valid, counts->valid);
    ck_assert_uint_eq(row->evidence, counts->evidence);
    ck_assert_uint_eq(row->active_lanes, counts->active_lanes);
    if (counts->valid & SMP_HAS_WAVEFRONTS) {
        ck_assert_uint_eq(row->wavefronts_min, counts->wavefronts_min);
        ck_assert_uint_eq(row->wavefronts_max, counts->wavefronts_max);
        ck_assert_uint_eq(row->ideal, counts->ideal);
        ck_assert_uint_eq(row->excess, counts->excess);
        ck_assert_uint_eq(row->ways, counts->ways);
    }
    if (counts->valid & SMP_HAS_TRANSACTIONS) {
        ck_assert_uint_eq(row->transactions, counts->transactions);
        ck_assert_uint_eq(row->bytes, counts->bytes);
    }
    if (counts->valid & SMP_HAS_BOUNDS) {
        ck_assert_uint_eq(row->transactions_min, counts->transactions_min);
        ck_assert_uint_eq(row->transactions_max, counts->transactions_max);
    }
}

START_TEST(rows_cost_what_their_accesses_cost) {
    rows *r = calloc(1, sizeof *r);
    smp_row_counts out[ROWS];
    fill(r);
    const ptrdiff_t row = STEP * sizeof(uint64_t), lane = ROWS * row;
    const smp_lane_array arrays[2][2] = {
        {{r->plain[0], sizeof r->plain[0][0], 8, SMP_NUMBER_I64},
         {r->plain[1], sizeof r->plain[1][0], 8, SMP_NUMBER_U64}},
        {{r->spread[0], row, lane, SMP_NUMBER_U64}, {r->spread[1], row, lane, SMP_NUMBER_I64}},
    };
    for (unsigned a = 0; a < 2; a++) {
        const smp_many many = {.ops = r->ops,
                               .widths = r->widths,
                               .masks = r->masks,
                               .offsets = arrays[a][0],
                               .addresses = arrays[a][1]};
        for (const char *const *name =
                 (const char *const[]){"sm_13", "sm_21", "sm_37", "sm_75", "sm_90", NULL};
             *name; name++) {
            const smp_arch *arch = smp_arch_find(*name);
            size_t expected_bad = 0, first_bad = ROWS;
            const size_t bad = smp_predict_many(arch, &many, 0, ROWS, out, &first_bad, NULL);
            for (unsigned i = ROWS; i-- > 0;) {
                smp_counts counts;
                const smp_status status = smp_predict(arch, &r->access[i], &counts);
                const bool is_bad = status != SMP_OK && status != SMP_E_NOT_MODELLED;
                expected_bad += is_bad;
                if (is_bad)
                    ck_assert_uint_le(first_bad, i);
                if (!is_bad)
                    same(&counts, status, &out[i], i);
                else
                    ck_assert_uint_eq(out[i].status, status);
            }
            ck_assert_uint_eq(bad, expected_bad);
        }
    }
    free(r);
}
END_TEST

START_TEST(narrow_numbers_are_the_same) {
    rows *r = calloc(1, sizeof *r);
    smp_row_counts out[2][ROWS];
    fill(r);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            r->narrow[i][lane] &= 0x3ffc;
    const smp_number numbers[2] = {SMP_NUMBER_U32, SMP_NUMBER_I32};
    for (unsigned n = 0; n < 2; n++) {
        const smp_many many = {.op = SMP_LD_SHARED,
                               .width_bytes = 4,
                               .active_mask = SMP_ALL_LANES,
                               .offsets = {r->narrow, sizeof r->narrow[0], 4, numbers[n]}};
        /* In slices that begin anywhere. */
        for (unsigned first = 0; first < ROWS; first += 100)
            ck_assert_uint_eq(smp_predict_many(smp_arch_find("sm_90"), &many, first, 100,
                                               &out[n][first], NULL, NULL),
                              0);
    }
    ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
    for (unsigned i = 0; i < ROWS; i++) {
        smp_counts counts;
        smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        memcpy(access.offset_bytes, r->narrow[i], sizeof access.offset_bytes);
        same(&counts, smp_predict(smp_arch_find("sm_90"), &access, &counts), &out[0][i], i);
    }
    free(r);
}
END_TEST

/* Each kind of number with gaps around it, for shared and for global memory. */
START_TEST(numbers_lie_anywhere) {
    enum { GAP = 2 }; /* of 4 bytes: as far apart as numbers of 8 */
    static uint32_t narrow[ROWS][SMP_LANES][GAP];
    static uint64_t wide[ROWS][SMP_LANES][GAP];
    smp_random random = {11};
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned l = 0; l < SMP_LANES; l++)
            wide[i][l][0] = narrow[i][l][0] = smp_random_below(&random, 4096) * 4;
    const smp_lane_array arrays[] = {
        {narrow, sizeof narrow[0], sizeof narrow[0][0], SMP_NUMBER_U32},
        {narrow, sizeof narrow[0], sizeof narrow[0][0], SMP_NUMBER_I32},
        {wide, sizeof wide[0], sizeof wide[0][0], SMP_NUMBER_U64},
        {wide, sizeof wide[0], sizeof wide[0][0], SMP_NUMBER_I64},
    };
    const smp_op ops[] = {SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_RED_GLOBAL};
    for (unsigned k = 0; k < 12; k++) {
        smp_row_counts out[ROWS];
        const smp_arch *arch = smp_arch_find("sm_90");
        const smp_many many = {.op = ops[k / 4],
                               .width_bytes = 4,
                               .active_mask = SMP_ALL_LANES,
                               .offsets = arrays[k % 4]};
        ck_assert_uint_eq(smp_predict_many(arch, &many, 0, ROWS, out, NULL, NULL), 0);
        for (unsigned i = 0; i < ROWS; i++) {
            smp_access access;
            smp_counts counts;
            ck_assert_int_eq(smp_many_access(&many, i, &access, NULL), SMP_OK);
            for (unsigned l = 0; l < SMP_LANES; l++)
                ck_assert_uint_eq(k < 4 ? access.offset_bytes[l] : access.address_bytes[l],
                                  narrow[i][l][0]);
            ck_assert_uint_eq(k < 4 ? access.address_bytes[9] : access.offset_bytes[9], 0);
            same(&counts, smp_predict(arch, &access, &counts), &out[i], i);
        }
    }
}
END_TEST

/* Addresses so far apart that only bounds are known. */
START_TEST(bounds_are_kept) {
    int64_t addresses[1][SMP_LANES] = {{0}};
    smp_row_counts out;
    smp_counts counts;
    smp_access access;
    addresses[0][7] = INT64_C(1) << 40;
    const smp_many many = {.op = SMP_RED_GLOBAL,
                           .width_bytes = 4,
                           .active_mask = SMP_ALL_LANES,
                           .offsets = {addresses, sizeof addresses[0], 8, SMP_NUMBER_I64}};
    const smp_arch *arch = smp_arch_find("sm_90");
    ck_assert_uint_eq(smp_predict_many(arch, &many, 0, 1, &out, NULL, NULL), 0);
    ck_assert_int_eq(smp_many_access(&many, 0, &access, NULL), SMP_OK);
    ck_assert_uint_eq(out.valid & SMP_HAS_BOUNDS, SMP_HAS_BOUNDS);
    ck_assert_uint_eq(out.transactions_max, SMP_LANES);
    same(&counts, smp_predict(arch, &access, &counts), &out, 0);
}
END_TEST

START_TEST(a_row_without_an_access_is_none) {
    int32_t offsets[2][SMP_LANES] = {{0}};
    smp_access access;
    smp_error error;
    smp_row_counts out[2];
    offsets[1][5] = -4;
    smp_many many = {.op = SMP_LD_SHARED,
                     .width_bytes = 4,
                     .active_mask = SMP_ALL_LANES,
                     .offsets = {offsets, sizeof offsets[0], 4, SMP_NUMBER_I32}};
    ck_assert_int_eq(smp_many_access(&many, 0, &access, &error), SMP_OK);
    ck_assert_int_eq(smp_many_access(&many, 1, &access, &error), SMP_E_RANGE);
    ck_assert_int_eq(error.position, 5);
    ck_assert_uint_eq(smp_predict_many(smp_arch_find("sm_90"), &many, 0, 2, out, NULL, &error), 1);
    ck_assert_int_eq(error.position, 5);
    many.op = SMP_ST_GLOBAL;
    ck_assert_int_eq(smp_many_access(&many, 1, &access, NULL), SMP_E_RANGE);
}
END_TEST

typedef struct bad_row {
    const char *name;
    smp_op op;
    int64_t value; /* of lane 9 in row 1 */
    smp_status status;
    int position;
} bad_row;

static const bad_row bad_rows[] = {
    {"misaligned", SMP_LD_SHARED, 6, SMP_E_MISALIGNED, 9},
    {"too far", SMP_LD_SHARED, 1 << 20, SMP_E_RANGE, 9},
    {"below 0", SMP_LD_SHARED, -4, SMP_E_RANGE, 9},
    {"beyond 32 bits", SMP_LD_SHARED, INT64_C(1) << 32, SMP_E_RANGE, 9},
    {"no address", SMP_LD_GLOBAL, -4, SMP_E_RANGE, 9},
    {"misaligned address", SMP_LD_GLOBAL, 2, SMP_E_MISALIGNED, 9},
    {"a copy from nowhere", SMP_CP_ASYNC, 0, SMP_E_USAGE, -1},
    {"no operation", SMP_OP_COUNT, 0, SMP_E_UNKNOWN_OP, -1},
};

START_TEST(the_first_bad_row_is_named) {
    const bad_row *bad = &bad_rows[_i];
    int64_t offsets[4][SMP_LANES] = {{0}};
    const uint8_t ops[4] = {0, (uint8_t)bad->op, 0, (uint8_t)bad->op};
    smp_row_counts out[4];
    smp_error error = {.position = -7};
    size_t first = 99;
    offsets[1][9] = offsets[3][5] = bad->value;
    const smp_many many = {.ops = ops,
                           .width_bytes = 4,
                           .active_mask = SMP_ALL_LANES,
                           .offsets = {offsets, sizeof offsets[0], 8, SMP_NUMBER_I64}};
    const size_t count = smp_predict_many(smp_arch_find("sm_90"), &many, 0, 4, out, &first, &error);
    ck_assert_msg(count == 2, "%s: %zu bad rows", bad->name, count);
    ck_assert_uint_eq(first, 1);
    ck_assert_msg(error.status == bad->status, "%s: %s", bad->name, error.message);
    ck_assert_int_eq(bad->status == SMP_E_USAGE,
                     !!strstr(error.message, "the addresses of its source"));
    ck_assert_msg(error.position == bad->position, "%s: at %d", bad->name, error.position);
    ck_assert_uint_eq(out[1].status, bad->status);
    ck_assert_uint_eq(out[1].valid, 0);
    ck_assert_uint_eq(out[0].wavefronts_min, 1);
    ck_assert_uint_eq(out[2].wavefronts_min, 1);
}
END_TEST

/* The first lane has number 0, which is one, too; an address behind a bad offset hides nothing. */
START_TEST(lane_0_is_named) {
    static const smp_op ops[] = {SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_CP_ASYNC};
    int64_t bad[1][SMP_LANES] = {{-4}}, good[1][SMP_LANES] = {{0}};
    smp_row_counts out;
    smp_error error = {.position = -7};
    const smp_lane_array from_bad = {bad, sizeof bad[0], 8, SMP_NUMBER_I64},
                         from_good = {good, sizeof good[0], 8, SMP_NUMBER_I64};
    for (unsigned i = 0; i < 4; i++) {
        const smp_many many = {.op = ops[i < 3 ? i : 2],
                               .width_bytes = 4,
                               .active_mask = SMP_ALL_LANES,
                               .offsets = i < 3 ? from_bad : from_good,
                               .addresses = i < 3 ? from_good : from_bad};
        ck_assert_uint_eq(smp_predict_many(smp_arch_find("sm_90"), &many, 0, 1, &out, NULL, &error),
                          1);
        ck_assert_uint_eq(out.status, SMP_E_RANGE);
        ck_assert_int_eq(error.position, 0);
        ck_assert_ptr_nonnull(strstr(error.message, "lane 0: the offset is below 0"));
    }
}
END_TEST

/* The value of an inactive lane does not matter. */
START_TEST(inactive_lanes_may_hold_anything) {
    int64_t offsets[1][SMP_LANES] = {{0}};
    offsets[0][9] = -1;
    smp_row_counts out;
    for (unsigned op = 0; op < 2; op++) {
        const smp_many many = {.op = op ? SMP_LD_GLOBAL : SMP_LD_SHARED,
                               .width_bytes = 4,
                               .active_mask = ~(1u << 9),
                               .offsets = {offsets, sizeof offsets[0], 8, SMP_NUMBER_I64}};
        ck_assert_uint_eq(smp_predict_many(smp_arch_find("sm_90"), &many, 0, 1, &out, NULL, NULL),
                          0);
        ck_assert_uint_eq(out.active_lanes, 31);
    }
}
END_TEST

int main(void) {
    return SUITE("model_many", TEST(rows_cost_what_their_accesses_cost),
                 TEST(narrow_numbers_are_the_same), TEST(numbers_lie_anywhere),
                 TEST(bounds_are_kept), TEST(a_row_without_an_access_is_none),
                 TEST_EACH(the_first_bad_row_is_named, COUNT_OF(bad_rows)), TEST(lane_0_is_named),
                 TEST(inactive_lanes_may_hold_anything));
}
