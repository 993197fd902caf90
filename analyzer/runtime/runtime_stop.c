/* SPDX-License-Identifier: MIT */
/*
 * Ends programs early: at a time limit (SMP_RUNTIME_UNTIL, in nanoseconds of CLOCK_MONOTONIC), or
 * on a signal during a launch. The report covers what ran until then, including the current launch.
 * Before that, at SMP_RUNTIME_WHOLE, the current launch is stopped, and later ones are only sampled
 * (runtime_sample.c).
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

static volatile int wanted; /* RT_STOP_..., or a signal */
static volatile bool samples;

enum { RT_STOP_TIME = -1, RT_STOP_WHOLE = -2, SECOND_NS = 1000000000 };

const volatile int *rt_stop(void) {
    return &wanted;
}

bool rt_stop_samples(void) {
    return samples;
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

static void wait_until(unsigned long long time) {
    const struct timespec at = {(time_t)(time / SECOND_NS), (long)(time % SECOND_NS)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

static void *wait_for_end(void *user) {
    const unsigned long long *until = user;
    if (until[0] > 0) {
        wait_until(until[0]);
        samples = true;
        (void)__sync_bool_compare_and_swap(&wanted, 0, RT_STOP_WHOLE); /* a signal comes first */
    }
    wait_until(until[1]);
    wanted = RT_STOP_TIME; /* a running launch ends the process itself */
    rt_enter();
    end(RT_STOP_TIME);
    return NULL;
}

/* The limit includes host code. */
__attribute__((constructor)) static void start_clock(void) {
    static unsigned long long until[2];
    pthread_t thread;
    const char *told = getenv("SMP_RUNTIME_UNTIL"), *whole = getenv("SMP_RUNTIME_WHOLE");
    if (!told)
        return;
    until[0] = whole ? strtoull(whole, NULL, 10) : 0;
    until[1] = strtoull(told, NULL, 10);
    if (pthread_create(&thread, NULL, wait_for_end, until) == 0)
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
    if (__sync_bool_compare_and_swap(&wanted, RT_STOP_WHOLE, 0) || wanted == 0)
        return;
    (void)fflush(stdout);
    end(wanted);
}
