/* SPDX-License-Identifier: MIT */
/*
 * Repairs from requests alone. A repair must be one to one, keep accesses whole
 * and aligned, and cost what it claims, by the tests' own reference.
 */
#include <stdlib.h>
#include <string.h>

#include "fix_seen.h"
#include "reference.h"
#include "smp_accesses.h"
#include "suite.h"

enum { REQUESTS = 8, ARRAY_BYTES = 4096 };

static uint32_t wavefronts(const smp_arch *arch, const smp_access *access) {
    reference_counts counts;
    reference_predict(arch->cc_major, arch->cc_minor, arch->bank_bytes, access, &counts);
    return counts.wavefronts_max;
}

static smp_seen_request column(uint32_t row_bytes, uint32_t first, uint32_t width) {
    smp_seen_request out = {.count = 1};
    out.access =
        (smp_access){.op = SMP_LD_SHARED, .width_bytes = width, .active_mask = SMP_ALL_LANES};
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        out.access.offset_bytes[lane] = lane * row_bytes + first;
    return out;
}

START_TEST(a_column_of_a_tile_is_freed_by_one_word) {
    smp_seen_request requests[2] = {column(128, 0, 4), column(4, 0, 4)};
    const smp_seen_array array = {1024, ARRAY_BYTES, 65536, 0, 0};
    smp_seen_fix padding, swizzle;
    ck_assert_int_eq(smp_fix_seen(smp_arch_find("sm_90"), requests, 2, &array, &padding, &swizzle),
                     SMP_OK);
    ck_assert_uint_eq(padding.before, 33);
    ck_assert_uint_eq(padding.after, 2);
    ck_assert_uint_eq(padding.row_bytes, 128);
    ck_assert_uint_eq(padding.pad_bytes, 4);
    ck_assert_uint_eq(padding.more_bytes, 32 * 4);
    ck_assert_uint_eq(swizzle.after, 2);
    ck_assert_int_eq(swizzle.kind, SMP_SEEN_XOR);
    ck_assert_uint_eq(swizzle.more_bytes, 0);
}
END_TEST

/* Lanes 0 to 15 read one row of a tile with halo, lanes 16 to 31 the next: only rows that begin 16
 * words apart in the banks keep them from each other. */
START_TEST(rows_of_half_a_warp_are_recognized) {
    smp_seen_request requests[2] = {{.count = 1}, {.count = 1}};
    const smp_seen_array array = {0, 22 * 22 * 4, 65536, 0, 0};
    smp_seen_fix padding, swizzle;
    for (unsigned i = 0; i < 2; i++) {
        requests[i].access =
            (smp_access){.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            requests[i].access.offset_bytes[lane] = 4 * (lane / 16 * 22 + lane % 16 + i);
    }
    ck_assert_int_eq(smp_fix_seen(smp_arch_find("sm_90"), requests, 2, &array, &padding, &swizzle),
                     SMP_OK);
    ck_assert_uint_eq(padding.before, 4);
    ck_assert_uint_eq(padding.after, 2);
    ck_assert_uint_eq(padding.row_bytes, 22 * 4);
    ck_assert_uint_eq(padding.pad_bytes, 26 * 4);
}
END_TEST

/* A block of 16 x 16 threads, whose warps are two rows each, writes rows of 16 of 17 elements and
 * reads columns: no padding frees both, a swizzle of rows of 16 does. It needs the last column to
 * be unused. */
START_TEST(unused_ends_of_rows_are_cut) {
    enum { COLUMNS = 17, ROW_BYTES = COLUMNS * 4 };
    smp_seen_request requests[3] = {{.count = 1}, {.count = 1}, column(ROW_BYTES, 64, 4)};
    const smp_seen_array array = {0, 16 * ROW_BYTES, 65536, 0, ROW_BYTES};
    smp_seen_fix padding, swizzle;
    for (unsigned i = 0; i < 2; i++) {
        requests[i].access =
            (smp_access){.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            requests[i].access.offset_bytes[lane] = i == 0 ? lane / 16 * ROW_BYTES + lane % 16 * 4
                                                           : lane % 16 * ROW_BYTES + lane / 16 * 4;
    }
    requests[2].access.active_mask = 0xffff;
    const size_t count = _i == 0 ? 2 : 3;
    ck_assert_int_eq(
        smp_fix_seen(smp_arch_find("sm_90"), requests, count, &array, &padding, &swizzle), SMP_OK);
    ck_assert_uint_eq(padding.before, _i == 0 ? 4 : 5);
    ck_assert_uint_eq(padding.after, _i == 0 ? 3 : 4);
    ck_assert_int_eq(swizzle.kind, _i == 0 ? SMP_SEEN_XOR : SMP_SEEN_NONE);
    ck_assert_uint_eq(swizzle.cut_bytes, _i == 0 ? 4 : 0);
    ck_assert_uint_eq(swizzle.after, _i == 0 ? 2 : 5);
}
END_TEST

START_TEST(without_room_nothing_grows) {
    smp_seen_request requests[1] = {column(132 * 4, 0, 4)};
    const smp_seen_array array = {0, 132 * 4 * 32, 0, 0, 0};
    smp_seen_fix padding, swizzle;
    ck_assert_int_eq(smp_fix_seen(smp_arch_find("sm_90"), requests, 1, &array, &padding, &swizzle),
                     SMP_OK);
    ck_assert_int_eq(padding.kind, SMP_SEEN_NONE);
    ck_assert_uint_eq(padding.after, padding.before);
}
END_TEST

/* The first byte at which it is not one to one on whole units that stay aligned; `size` if it is.
 */
static uint32_t no_map_at(const smp_seen_fix *fix, uint32_t size, uint32_t unit) {
    static bool taken[4 * ARRAY_BYTES];
    uint32_t before = 0;
    memset(taken, 0, sizeof taken);
    for (uint32_t at = 0; at < size; at++) {
        const uint32_t to = smp_seen_map(fix, at);
        if (to >= size + fix->more_bytes || taken[to])
            return at;
        if (at % unit == 0 ? to % unit != 0 : to != before + 1)
            return at;
        taken[to] = true;
        before = to;
    }
    return size;
}

static void ck_assert_holds(const smp_arch *arch, const smp_seen_request *requests, uint32_t count,
                            const smp_seen_fix *fix, uint32_t room_bytes) {
    uint64_t before = 0, after = 0;
    for (uint32_t i = 0; i < count; i++) {
        smp_access moved = requests[i].access;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            moved.offset_bytes[lane] = smp_seen_map(fix, moved.offset_bytes[lane]);
        before += requests[i].count * wavefronts(arch, &requests[i].access);
        after += requests[i].count * wavefronts(arch, &moved);
    }
    ck_assert_uint_eq(fix->before, before);
    ck_assert_uint_eq(fix->after, after);
    ck_assert_uint_le(fix->after, fix->before);
    ck_assert_uint_le(fix->more_bytes, room_bytes);
}

START_TEST(what_is_found_is_a_map_and_costs_what_it_says) {
    smp_random random = {(uint64_t)_i};
    const uint32_t width = 4u << smp_random_below(&random, 3);
    const smp_op op = smp_random_below(&random, 2) ? SMP_LD_SHARED : SMP_ST_SHARED;
    const smp_arch *arch = smp_arch_find(smp_random_below(&random, 2) ? "sm_90" : "sm_80");
    const uint32_t count = 1 + smp_random_below(&random, REQUESTS);
    const smp_seen_array array = {16 * smp_random_below(&random, 20), ARRAY_BYTES,
                                  smp_random_below(&random, 2 * ARRAY_BYTES), 0, 0};
    smp_seen_request requests[REQUESTS];
    smp_seen_fix fixes[2];
    for (uint32_t i = 0; i < count; i++) {
        requests[i] = (smp_seen_request){.count = 1 + smp_random_below(&random, 5)};
        smp_random_access(&random, op, width, ARRAY_BYTES, &requests[i].access);
        for (unsigned lane = 0; lane < SMP_LANES; lane++) {
            if (!(requests[i].access.active_mask >> lane & 1))
                requests[i].access.offset_bytes[lane] = 0;
        }
    }
    ck_assert_int_eq(smp_fix_seen(arch, requests, count, &array, &fixes[0], &fixes[1]), SMP_OK);
    ck_assert_holds(arch, requests, count, &fixes[0], array.room_bytes);
    ck_assert_holds(arch, requests, count, &fixes[1], 0);
    ck_assert_uint_eq(no_map_at(&fixes[0], ARRAY_BYTES, width), ARRAY_BYTES);
    ck_assert_uint_eq(no_map_at(&fixes[1], ARRAY_BYTES, width), ARRAY_BYTES);
}
END_TEST

/* A column of a tile, 3,000 times in 3,000 requests of rows that nothing can make cheaper. */
static void many_requests(smp_seen_request *requests, size_t count, uint64_t columns) {
    memset(requests, 0, count * sizeof *requests);
    for (size_t i = 0; i < count; i++) {
        requests[i].count = i == 1 ? columns : 1;
        requests[i].access =
            (smp_access){.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            requests[i].access.offset_bytes[lane] = i == 1 ? 128 * lane : 4 * lane;
    }
}

/* The second of this many requests would be in no sample except for its count; a repair that saves
 * too little is not mentioned. */
START_TEST(what_was_made_often_counts) {
    enum { MANY = 3000 };
    const smp_seen_array array = {0, 4096, 65536, 0, 0};
    smp_seen_request *requests = malloc(MANY * sizeof *requests);
    smp_seen_fix padding, swizzle;
    ck_assert_ptr_nonnull(requests);
    many_requests(requests, MANY, 3000);
    ck_assert_int_eq(
        smp_fix_seen(smp_arch_find("sm_90"), requests, MANY, &array, &padding, &swizzle), SMP_OK);
    ck_assert_int_eq(padding.kind, SMP_SEEN_PAD);
    ck_assert_uint_eq(padding.before, 2999 + 32 * 3000);
    ck_assert_uint_eq(padding.after, 2999 + 3000);
    ck_assert_int_eq(swizzle.kind, SMP_SEEN_XOR);
    many_requests(requests, MANY, 3);
    ck_assert_int_eq(
        smp_fix_seen(smp_arch_find("sm_90"), requests, MANY / 2, &array, &padding, &swizzle),
        SMP_OK);
    ck_assert_int_eq(padding.kind, SMP_SEEN_PAD);
    many_requests(requests, MANY, 2);
    ck_assert_int_eq(
        smp_fix_seen(smp_arch_find("sm_90"), requests, MANY / 2, &array, &padding, &swizzle),
        SMP_OK);
    ck_assert_int_eq(padding.kind, SMP_SEEN_NONE);
    ck_assert_int_eq(swizzle.kind, SMP_SEEN_NONE);
    free(requests);
}
END_TEST

/* Requests that depend on data, few or many, of one width or of each: the best of the hundreds of
 * changes tried saves some by chance, and is not offered. */
START_TEST(data_get_no_repair) {
    enum { MOST = 300 };
    static smp_seen_request requests[MOST];
    smp_random random = {(uint64_t)_i + 1};
    const smp_seen_array array = {0, ARRAY_BYTES, 65536, 0, 0};
    const uint32_t count = 4 + smp_random_below(&random, MOST - 4);
    smp_seen_fix padding, swizzle;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t width = 4u << smp_random_below(&random, 3);
        requests[i] = (smp_seen_request){.count = 1};
        requests[i].access =
            (smp_access){.op = SMP_LD_SHARED, .width_bytes = width, .active_mask = SMP_ALL_LANES};
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            requests[i].access.offset_bytes[lane] =
                smp_random_below(&random, ARRAY_BYTES / width) * width;
    }
    ck_assert_int_eq(
        smp_fix_seen(smp_arch_find("sm_90"), requests, count, &array, &padding, &swizzle), SMP_OK);
    ck_assert_int_eq(padding.kind, SMP_SEEN_NONE);
    ck_assert_int_eq(swizzle.kind, SMP_SEEN_NONE);
    ck_assert_uint_eq(padding.by_data, count);
}
END_TEST

/* Beside data, what follows a rule is repaired: a column of a tile, whose rows are read at random.
 */
START_TEST(a_rule_beside_data_is_repaired) {
    smp_seen_request requests[9] = {column(128, 0, 4)};
    smp_random random = {5};
    const smp_seen_array array = {0, ARRAY_BYTES, 65536, 0, 0};
    smp_seen_fix padding, swizzle;
    for (uint32_t i = 1; i < 9; i++) {
        requests[i] = column(4, 0, 4);
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            requests[i].access.offset_bytes[lane] = smp_random_below(&random, ARRAY_BYTES / 4) * 4;
    }
    ck_assert_int_eq(smp_fix_seen(smp_arch_find("sm_90"), requests, 9, &array, &padding, &swizzle),
                     SMP_OK);
    ck_assert_uint_eq(padding.by_data, 8);
    ck_assert_int_eq(padding.kind, SMP_SEEN_PAD);
    ck_assert_uint_eq(padding.pad_bytes, 4);
}
END_TEST

/* The smallest of several changes with the same effect: walks down columns of rows of any even
 * number of words, which one word of padding per row frees. */
START_TEST(the_smallest_padding_that_does_it) {
    const uint32_t row = 64u << _i;
    smp_seen_request requests[2] = {column(row, 0, 4), column(4, 0, 4)};
    const smp_seen_array array = {0, 32 * row, 65536, 0, 0};
    smp_seen_fix padding, swizzle;
    ck_assert_int_eq(smp_fix_seen(smp_arch_find("sm_90"), requests, 2, &array, &padding, &swizzle),
                     SMP_OK);
    ck_assert_uint_eq(padding.after, 2);
    ck_assert_uint_le(padding.more_bytes, 32 * 4);
}
END_TEST

int main(void) {
    return SUITE("fix_seen", TEST(a_column_of_a_tile_is_freed_by_one_word),
                 TEST_EACH(unused_ends_of_rows_are_cut, 2),
                 TEST(rows_of_half_a_warp_are_recognized), TEST(without_room_nothing_grows),
                 TEST(what_was_made_often_counts), TEST(a_rule_beside_data_is_repaired),
                 TEST_EACH(data_get_no_repair, 60), TEST_EACH(the_smallest_padding_that_does_it, 4),
                 TEST_EACH(what_is_found_is_a_map_and_costs_what_it_says, 400));
}
