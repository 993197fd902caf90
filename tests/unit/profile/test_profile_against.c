/* SPDX-License-Identifier: MIT */
/* Which lines of two profiles are the same line. */
#include <stdint.h>
#include <string.h>

#include "profile_against.h"
#include "suite.h"

enum { LINES_MAX = 3 };

typedef struct place {
    const char *file; /* NULL after the last one */
    uint32_t line;
} place;

static const struct {
    const char *name;
    place before[LINES_MAX], after[LINES_MAX];
    uint32_t both, alone; /* lines in both profiles, lines in one of them */
    const char *renamed;  /* the earlier name of a file that has another one; NULL if none */
} rows[] = {
    {"same file", {{"a.cu", 1}, {"a.cu", 2}}, {{"a.cu", 2}, {"a.cu", 1}}, 2, 0, NULL},
    {"another line", {{"a.cu", 1}}, {{"a.cu", 2}}, 0, 2, NULL},
    {"renamed", {{"a.cu", 1}, {"a.cu", 2}}, {{"b.cu", 1}, {"b.cu", 2}}, 2, 0, "a.cu"},
    {"renamed, with a header", {{"a.cu", 1}, {"h.h", 1}}, {{"b.cu", 1}, {"h.h", 1}}, 2, 0, "a.cu"},
    {"only one is new", {{"h.h", 1}}, {{"b.cu", 1}, {"h.h", 1}}, 1, 1, NULL},
    {"two candidates", {{"a.cu", 1}, {"c.cu", 1}}, {{"b.cu", 1}}, 0, 3, NULL},
    {"moved", {{"/x/a.cu", 1}, {"/x/h.h", 1}}, {{"/y/a.cu", 1}, {"/y/h.h", 1}}, 2, 0, NULL},
    {"a name in two folders", {{"x/a.cu", 1}}, {{"x/a.cu", 1}, {"y/a.cu", 1}}, 1, 1, NULL},
};

/* Fills `lines` and `frames`, which `ranking` points to. */
static void fill(smp_ranking *ranking, const place *places, smp_profile_line *lines,
                 smp_frame *frames) {
    static const smp_kernel_profile kernel = {.name = (char *)(uintptr_t) "k"};
    for (uint32_t i = 0; i < LINES_MAX && places[i].file; i++) {
        frames[i] = (smp_frame){(char *)(uintptr_t)places[i].file, places[i].line};
        lines[i] = (smp_profile_line){.kernel = &kernel, .frame = &frames[i]};
        ranking->line_count++;
    }
    ranking->lines = lines;
}

START_TEST(lines_match_by_kernel_file_and_line) {
    const char *name = rows[_i].name;
    smp_profile_line lines[2][LINES_MAX];
    smp_frame frames[2][LINES_MAX];
    smp_ranking before = {0}, after = {0};
    smp_against against;
    uint32_t both = 0;
    fill(&before, rows[_i].before, lines[0], frames[0]);
    fill(&after, rows[_i].after, lines[1], frames[1]);
    ck_assert_int_eq(smp_against_make(&before, &after, &against, NULL), SMP_OK);
    for (uint32_t i = 0; i < against.line_count; i++)
        both += against.lines[i].in_before && against.lines[i].in_after;
    ck_assert_msg(both == rows[_i].both, "%s: %u in both", name, both);
    ck_assert_msg(against.line_count - both == rows[_i].alone, "%s: %u alone", name,
                  against.line_count - both);
    ck_assert_msg(!against.before_file == !rows[_i].renamed, "%s: renamed", name);
    if (rows[_i].renamed)
        ck_assert_str_eq(against.before_file, rows[_i].renamed);
    smp_against_clear(&against);
}
END_TEST

int main(void) {
    return SUITE("profile_against", TEST_EACH(lines_match_by_kernel_file_and_line, COUNT_OF(rows)));
}
