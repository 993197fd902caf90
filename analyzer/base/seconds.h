/* SPDX-License-Identifier: MIT */
/*
 * seconds.h: what time it is, for durations. Internal to the analyzer.
 */
#pragma once

#include <time.h>

/* Seconds since some moment; a signal's handler may call it, too. */
static inline double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
