/* SPDX-License-Identifier: MIT */
/* Runs one Check suite. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local suite_place suite_at;
static pid_t parent; /* of the processes in which Check runs the tests */

void suite_mark(void) {
    (_mark_point)(suite_at.file, suite_at.line);
}

static void mark_last(void) {
    if (suite_at.file && getpid() != parent)
        suite_mark();
}

static void end_by(int number) {
    mark_last();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Sanitizers have handlers of their own, which print all calls. */
static void mark_at_signals(void) {
    static const int numbers[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction is;
        if (sigaction(numbers[i], NULL, &is) == 0 && is.sa_handler == SIG_DFL) {
            is = (struct sigaction){.sa_handler = end_by};
            (void)sigaction(numbers[i], &is, NULL);
        }
    }
}

static int run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    parent = getpid();
    mark_at_signals();
    (void)atexit(mark_last);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int suite_run_tests(const char *name, double seconds, SFun before, SFun after,
                    const suite_test *tests) {
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    if (seconds >= 0)
        tcase_set_timeout(tcase, seconds);
    tcase_add_checked_fixture(tcase, before, after);
    for (; tests->test; tests++) {
        if (tests->count == ALONE)
            tcase_add_test(tcase, tests->test);
        else
            tcase_add_loop_test(tcase, tests->test, 0, tests->count);
    }
    suite_add_tcase(suite, tcase);
    return run(suite);
}
