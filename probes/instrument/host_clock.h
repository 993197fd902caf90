/* SPDX-License-Identifier: MIT */
/*
 * Where the library spends its own time, for a note at the end if SMP_INSTRUMENT_OVERHEAD_NOTE is
 * set. Kinds of work nest: a table that is read during a call counts in both. Called with the lock
 * held.
 */
#pragma once

/* kind, name */
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
    X(VARIABLE, "variables")       \
    X(READ, "arrays read")         \
    X(KEEP, "kept files")          \
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
/* Returns the time in seconds; 0 if no note is wanted. */
double host_clock(void);
/* Work that began at `begun` has ended. */
void host_clock_add(host_work work, double begun);
/* Writes the note. */
void host_clock_end(void);
