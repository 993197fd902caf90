/* SPDX-License-Identifier: MIT */
/*
 * Patterns as text: what is written is read back, in recorded files too; all else is refused with
 * its place.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
#include "smp_probes.h"
#include "suite.h"

enum { CASES = 20000 };

static smp_pattern random_pattern(smp_random *random) {
    size_t count;
    const smp_op_row *rows = smp_ops(&count);
    const smp_op_row *row = &rows[smp_random_below(random, (uint32_t)count)];
    smp_pattern out = smp_pattern_default();
    out.op = row->op;
    do
        out.width_bytes = 1u << smp_random_below(random, 5);
    while ((row->widths & out.width_bytes) == 0);
    out.stride = (uint32_t)(smp_random_next(random) >> (32 + smp_random_below(random, 32)));
    if (smp_random_below(random, 2))
        out.offset_bytes =
            (uint32_t)(smp_random_next(random) >> (32 + smp_random_below(random, 32)));
    if (smp_random_below(random, 2))
        out.active_mask = (uint32_t)smp_random_next(random) | 1u << smp_random_below(random, 32);
    return out;
}

START_TEST(what_is_written_is_read_back) {
    smp_random random = {7};
    for (int i = 0; i < CASES; i++) {
        char text[SMP_PATTERN_TEXT_MAX], again[SMP_PATTERN_TEXT_MAX];
        smp_pattern out, in = random_pattern(&random);
        smp_error error = {SMP_OK, -1, ""};
        size_t length = smp_pattern_format(&in, text);
        ck_assert_uint_eq(length, strlen(text));
        ck_assert_msg(smp_pattern_parse(text, &out, &error) == SMP_OK, "%s: %s", text,
                      error.message);
        (void)smp_pattern_format(&out, again);
        ck_assert_str_eq(text, again);
        ck_assert_msg(in.op == out.op && in.width_bytes == out.width_bytes &&
                          in.stride == out.stride && in.offset_bytes == out.offset_bytes &&
                          in.active_mask == out.active_mask,
                      "%s", text);
    }
}
END_TEST

static bool read_key(void *user, const smp_record *record, const char *field) {
    char text[SMP_PATTERN_TEXT_MAX];
    smp_pattern pattern;
    smp_error error = {SMP_OK, -1, ""};
    (void)field;
    if (strncmp(record->key, "--", 2) != 0)
        return true;
    ++*(size_t *)user;
    ck_assert_msg(smp_pattern_parse(record->key, &pattern, &error) == SMP_OK, "%s: %s", record->key,
                  error.message);
    (void)smp_pattern_format(&pattern, text);
    ck_assert_str_eq(record->key, text);
    return true;
}

START_TEST(every_recorded_pattern_is_canonical) {
    size_t count = 0;
    smp_recorded_each(read_key, &count);
    ck_assert_uint_gt(count, 1000);
}
END_TEST

static const struct {
    const char *text;
    smp_status status;
    int position;
} refused[] = {
    {"", SMP_E_SYNTAX, 0},
    {"--op", SMP_E_SYNTAX, 0},
    {"--op ld ", SMP_E_SYNTAX, 8},
    {" --op ld", SMP_E_SYNTAX, 0},
    {"--op ld  --width 4", SMP_E_SYNTAX, 8},
    {"--op ldd --width 4", SMP_E_UNKNOWN_OP, 5},
    {"--op ld --op st", SMP_E_SYNTAX, 8},
    {"--op ld --width", SMP_E_SYNTAX, 8},
    {"--op ld --width four", SMP_E_SYNTAX, 16},
    {"--op ld --width -4", SMP_E_SYNTAX, 16},
    {"--op ld --width +4", SMP_E_SYNTAX, 16},
    {"--op ld --width 0x4", SMP_E_SYNTAX, 16},
    {"--op ld --width 4,8", SMP_E_SYNTAX, 16},
    {"--op ld --width 3", SMP_E_WIDTH, -1},
    {"--op ld --width 0", SMP_E_WIDTH, -1},
    {"--op ld --width 256", SMP_E_WIDTH, -1},
    {"--op atom --width 1", SMP_E_WIDTH, -1},
    {"--op ld --stride 4294967296", SMP_E_OVERFLOW, 17},
    {"--op ld --stride 99999999999999999999", SMP_E_OVERFLOW, 17},
    {"--op ld --lanes 16", SMP_E_SYNTAX, 16},
    {"--op ld --lanes 0x", SMP_E_SYNTAX, 18},
    {"--op ld --lanes 0x0", SMP_E_MASK, 19},
    {"--op ld --lanes 0x100000000", SMP_E_OVERFLOW, 18},
    {"--op ld --access x", SMP_E_SYNTAX, 8},
};

START_TEST(all_else_is_refused) {
    smp_pattern pattern;
    smp_error error = {SMP_OK, -1, ""};
    ck_assert_msg(smp_pattern_parse(refused[_i].text, &pattern, &error) == refused[_i].status,
                  "'%s': %s", refused[_i].text, error.message);
    ck_assert_msg(error.position == refused[_i].position, "'%s': at %d", refused[_i].text,
                  error.position);
}
END_TEST

int main(void) {
    return SUITE("pattern", TEST(what_is_written_is_read_back),
                 TEST(every_recorded_pattern_is_canonical),
                 TEST_EACH(all_else_is_refused, COUNT_OF(refused)));
}
