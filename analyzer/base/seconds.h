/* SPDX-License-Identifier: MIT */
/* The time, for durations. Internal to the analyzer. */
#pragma once

#include <time.h>

/* Seconds since some moment. Async-signal-safe. */
static inline double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
