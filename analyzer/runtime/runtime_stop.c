/* SPDX-License-Identifier: MIT */
/*
 * Ends programs early: at a time limit (SMP_RUNTIME_UNTIL, in nanoseconds of CLOCK_MONOTONIC), or
 * on a signal during a launch. The report covers what ran until then, including the current launch.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

static volatile int wanted; /* RT_STOP_TIME, or a signal */

enum { RT_STOP_TIME = -1, SECOND_NS = 1000000000 };

const volatile int *rt_stop(void) {
    return &wanted;
}

/* Never returns. The caller holds the lock, so no other thread writes. */
static void end(int why) {
    rt_leave_all(why == RT_STOP_TIME ? "stopped at its time limit"
                                     : "a signal ended it in a launch");
    if (why == RT_STOP_TIME) {
        rt_leave_line("stopped", "");
        _exit(RT_STOPPED_STATUS);
    }
    (void)signal(why, SIG_DFL);
    (void)raise(why);
    _exit(128 + why);
}

/* ---- The time ---- */

static void *wait_for_end(void *user) {
    const unsigned long long until = *(const unsigned long long *)user;
    const struct timespec at = {(time_t)(until / SECOND_NS), (long)(until % SECOND_NS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
    wanted = RT_STOP_TIME; /* a running launch ends the process itself */
    rt_enter();
    end(RT_STOP_TIME);
    return NULL;
}

/* The limit includes host code. */
__attribute__((constructor)) static void start_clock(void) {
    static unsigned long long until;
    pthread_t thread;
    const char *told = getenv("SMP_RUNTIME_UNTIL");
    if (!told)
        return;
    until = strtoull(told, NULL, 10);
    if (pthread_create(&thread, NULL, wait_for_end, &until) == 0)
        (void)pthread_detach(thread);
}

/* ---- Signals in a launch ---- */

static const int signals[] = {SIGINT, SIGTERM};

enum { SIGNALS = sizeof signals / sizeof signals[0] };

static void note_signal(int number) {
    wanted = number;
}

void rt_launch_begins(void) {
    for (unsigned i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        const struct sigaction ours = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &ours, NULL);
    }
}

void rt_launch_ended(void) {
    for (unsigned i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        const struct sigaction theirs = {.sa_handler = SIG_DFL};
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == note_signal)
            (void)sigaction(signals[i], &theirs, NULL);
    }
    if (wanted == 0)
        return;
    (void)fflush(stdout);
    end(wanted);
}
