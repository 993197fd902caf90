/* SPDX-License-Identifier: MIT */
/*
 * suite.h: the main function that all Check suites share.
 */
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

/* Runs `suite` with Check's environment settings, frees it, and returns main's exit status. */
int suite_run(Suite *suite);
