/* SPDX-License-Identifier: MIT */
/* The main function that all Check suites share. */
#pragma once

#include <check.h>

/*
 * Where the thread's last assertion held. Check tells its parent by a system call at each one, most
 * of the time of tests that assert in loops; here it does at the first and at every
 * SUITE_MARK_EVERYth, and when the test ends by itself or by a signal: suite_run sees to that.
 */
typedef struct {
    const char *file;
    int line;
    unsigned count;
} suite_place;

enum { SUITE_MARK_EVERY = 4096 };

extern _Thread_local suite_place suite_at;

/* Tells Check of suite_at. */
void suite_mark(void);

static inline void suite_pass(const char *file, int line) {
    suite_at.file = file;
    suite_at.line = line;
    if (suite_at.count++ % SUITE_MARK_EVERY == 0)
        suite_mark();
}

#define _mark_point(file, line) suite_pass(file, line)

/* One test of a suite. */
typedef struct suite_test {
    const TTest *test;
    int count; /* of a loop test; ALONE: an ordinary one */
} suite_test;

enum { ALONE = -1 };
/* clang-format off */
#define TEST(name) {name, ALONE}
#define TEST_EACH(name, count) {name, (int)(count)}
/* clang-format on */

#define COUNT_OF(rows) (sizeof(rows) / sizeof *(rows))

/* What main returns: runs the tests up to one that is NULL, with Check's environment settings.
 * `seconds` is the timeout of each, if not negative; `before` and `after` may be NULL. */
int suite_run_tests(const char *name, double seconds, SFun before, SFun after,
                    const suite_test *tests);
/* clang-format off */
#define SUITE_TESTS(...) (const suite_test[]){__VA_ARGS__, {NULL, 0}}
/* clang-format on */
#define SUITE(name, ...) suite_run_tests(name, -1, NULL, NULL, SUITE_TESTS(__VA_ARGS__))
#define SUITE_FOR(seconds, name, ...) \
    suite_run_tests(name, seconds, NULL, NULL, SUITE_TESTS(__VA_ARGS__))
#define SUITE_IN(before, after, name, ...) \
    suite_run_tests(name, -1, before, after, SUITE_TESTS(__VA_ARGS__))
