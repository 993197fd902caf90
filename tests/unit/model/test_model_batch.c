/* SPDX-License-Identifier: MIT */
/*
 * Parse(format(access)) is the access, for random accesses over every
 * architecture, operation and width: the batch format can express all that the model can predict.
 */
#include <stdio.h>
#include <string.h>

#include "combinations.h"
#include "setting.h"
#include "smp_accesses.h"
#include "suite.h"

static bool is_active(const smp_access *access, unsigned lane) {
    return access->active_mask >> lane & 1u;
}

/* Entries of inactive lanes, and of the side that an operation does not use,
 * carry nothing. */
static void expect_same(const smp_access *got, const smp_access *want, const char *line) {
    smp_space space = smp_ops(NULL)[want->op].space;
    bool has_offsets = space != SMP_SPACE_GLOBAL;
    bool has_addresses = space == SMP_SPACE_GLOBAL || space == SMP_SPACE_COPY;
    ck_assert_msg(got->op == want->op, "op: %s", line);
    ck_assert_msg(got->width_bytes == want->width_bytes, "width: %s", line);
    ck_assert_msg(got->active_mask == want->active_mask, "mask: %s", line);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (!is_active(want, lane))
            continue;
        if (has_offsets)
            ck_assert_msg(got->offset_bytes[lane] == want->offset_bytes[lane], "lane %u: %s", lane,
                          line);
        if (has_addresses)
            ck_assert_msg(got->address_bytes[lane] == want->address_bytes[lane], "lane %u: %s",
                          lane, line);
    }
}

static void check_round_trip(const smp_access *access) {
    char line[SMP_BATCH_TEXT_MAX], again[SMP_BATCH_TEXT_MAX];
    smp_access parsed;
    smp_error error = {0};
    bool is_empty = true;
    size_t length = smp_batch_format(access, line);
    ck_assert_uint_lt(length, SMP_BATCH_TEXT_MAX);
    ck_assert_uint_eq(length, strlen(line));
    memset(&parsed, 0xa5, sizeof parsed);
    smp_status status = smp_batch_parse(line, length, &parsed, &is_empty, &error);
    ck_assert_msg(status == SMP_OK, "%s at %d: %s", error.message, error.position, line);
    ck_assert_msg(!is_empty, "empty: %s", line);
    expect_same(&parsed, access, line);
    ck_assert_uint_eq(smp_batch_format(&parsed, again), length);
    ck_assert_str_eq(again, line);
}

START_TEST(accesses_survive_a_round_trip) {
    const combination_list *list = combinations_collect(0);
    smp_random random = {test_setting("SMP_TEST_SEED", 1) + 4};
    for (uint64_t i = 0; i < test_cases("SMP_TEST_CASES", 1000000) / 20; i++) {
        const combination *entry = &list->entries[i % list->count];
        smp_access access;
        smp_random_access(&random, entry->op, entry->width_bytes,
                          entry->arch.shared_block_kib * 1024u, &access);
        check_round_trip(&access);
    }
}
END_TEST

/* Copies are not among the combinations, their shared side being open. */
START_TEST(copies_survive_a_round_trip) {
    smp_random random = {test_setting("SMP_TEST_SEED", 1) + 5};
    for (unsigned i = 0; i < 3000; i++) {
        smp_access access;
        smp_random_access(&random, SMP_CP_ASYNC, 4u << i % 3, 49152, &access);
        check_round_trip(&access);
    }
}
END_TEST

/* The largest that a GPU could address still fits the line. */
START_TEST(the_longest_line_fits) {
    smp_access access = {.op = SMP_CP_ASYNC, .width_bytes = 16, .active_mask = SMP_ALL_LANES};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        access.offset_bytes[lane] = UINT32_MAX - 15;
        access.address_bytes[lane] = (uint64_t)INT64_MAX - 15;
    }
    check_round_trip(&access);
}
END_TEST

/* A mask in front of 32 offsets, and the column at which it is refused; -1: it is read. */
START_TEST(masks_have_eight_digits) {
    static const struct {
        const char *mask;
        int column;
    } rows[] = {
        {"ffffffff", -1},  {"0000000f", -1},    {"FFFFFFFF", -1},    {"0xffffffff", -1},
        {"1234567", 12},   {"f", 12},           {"0xf", 12},         {"0x1234567", 12},
        {"123456789", 12}, {"0x", 12},          {"0x123456789", 12}, {"1234567g", 12},
        {"00000000", 12},  {"-1", 12},          {"fffffff", 12},     {"ffff ffff", 12},
        {"", 13},          {"0xffffffff,", 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[512];
        smp_access access;
        smp_error error = {.position = -1};
        bool is_empty;
        int length = snprintf(line, sizeof line, "ld.shared 4 %s", rows[i].mask);
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            length += snprintf(line + length, sizeof line - (size_t)length, " %u", 4 * lane);
        const smp_status status = smp_batch_parse(line, (size_t)length, &access, &is_empty, &error);
        ck_assert_msg((status == SMP_OK) == (rows[i].column < 0), "mask '%s'", rows[i].mask);
        ck_assert_msg(status == SMP_OK || error.position == rows[i].column, "mask '%s': column %d",
                      rows[i].mask, error.position);
    }
}
END_TEST

/* However a line is cut off before its last number, it is refused. */
START_TEST(lines_cut_off_are_refused) {
    const combination_list *list = combinations_collect(0);
    smp_random random = {test_setting("SMP_TEST_SEED", 1) + 5};
    for (uint32_t i = 0; i < 300; i++) {
        const combination *entry = &list->entries[smp_random_below(&random, (uint32_t)list->count)];
        char line[SMP_BATCH_TEXT_MAX];
        smp_access access;
        smp_random_access(&random, entry->op, entry->width_bytes, 32768, &access);
        const size_t length = smp_batch_format(&access, line);
        for (size_t cut = 1; cut <= (size_t)(strrchr(line, ' ') - line); cut++) {
            smp_access parsed;
            smp_error error;
            bool is_empty;
            const smp_status status = smp_batch_parse(line, cut, &parsed, &is_empty, &error);
            ck_assert_msg(status != SMP_OK, "%zu of %zu: %s", cut, length, line);
            ck_assert_int_ge(error.position, 0);
            ck_assert_int_le(error.position, (int)cut);
        }
    }
}
END_TEST

int main(void) {
    return SUITE_FOR(0, "model_batch", TEST(accesses_survive_a_round_trip),
                     TEST(copies_survive_a_round_trip), TEST(the_longest_line_fits),
                     TEST(masks_have_eight_digits), TEST(lines_cut_off_are_refused));
}
