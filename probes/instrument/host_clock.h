/* SPDX-License-Identifier: MIT */
/*
 * host_clock.h: where the library's own time goes, for a note at the end where
 * SMP_INSTRUMENT_OVERHEAD_NOTE asks for it. Works lie within each other: what is read in a call is
 * in both. Under the lock.
 */
#pragma once

/* work, name */
#define HOST_WORK_LIST(X)          \
    X(START, "start")              \
    X(CONTEXT, "contexts")         \
    X(MODULE, "modules")           \
    X(CALL, "calls")               \
    X(HOMES, "finding kernels")    \
    X(WAIT, "waits for the end")   \
    X(LATE, "in vain")             \
    X(PATCH, "patches in")         \
    X(UNPATCH, "patches out")      \
    X(EVENT, "events")             \
    X(LAUNCH, "launches")          \
    X(WRITE, "code written")       \
    X(CALLER, "callers")           \
    X(SAMPLE, "launches kept")     \
    X(SYNCHRONIZE, "synchronized") \
    X(SNAPSHOT, "tables read")     \
    X(END, "end")

typedef enum host_work {
#define WORK(work, name) WORK_##work,
    HOST_WORK_LIST(WORK)
#undef WORK
        WORK_KINDS
} host_work;

void host_clock_start(void);
/* Seconds; 0: nobody asks. */
double host_clock(void);
/* A work ends that began at `begun`. */
void host_clock_add(host_work work, double begun);
/* Writes the note. */
void host_clock_end(void);
