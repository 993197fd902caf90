/* SPDX-License-Identifier: MIT */
/*
 * launch_budget.h: which launches of a program are looked at, so that it takes no more than a given
 * multiple of its own time. Nothing here knows a GPU: who calls says what is launched, what time it
 * is and what things took, and hears whether a launch is to run with patches.
 *
 * A look costs the launch's time with patches less its time without, the changes of patches around
 * it, and the waits before these, until all that runs has ended: a program that launches ahead
 * loses about as much. What is not known yet is guessed from the launch's time without patches (it
 * runs so once first) or, before its first run, from its size. All that was spent, and what running
 * launches are expected to spend, stays within (overhead - 1) times the program's own time, which
 * is all time less what was spent. A short program has at least BUDGET_FLOOR for looks, or nothing
 * of it would be seen.
 *
 * A shape's first look may wait. Further ones come only where nothing runs, and are paid by the
 * time since those before, so that no part of a program is much slower than the rest of it.
 *
 * Times are seconds. One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_FLOOR 0.1

/* A kernel in one grid and block shape, or a graph. Zeros at first. */
typedef struct budget_shape {
    uint64_t launches, looks;
    double bare;    /* the least: what is added by the host's delays is none of it */
    double patched; /* of all that were timed */
    uint64_t bare_count, patched_count;
    double spent;       /* by its looks */
    bool is_timed_next; /* the launch that was decided about last is to be timed */
} budget_shape;

typedef struct launch_budget {
    double overhead; /* 1.2 */
    double started;
    double fixed;   /* spent on start and end, which nothing here decides */
    double spent;   /* on looks and changes */
    double pending; /* expected of looks that run; of how many; when the last should have ended */
    uint64_t pending_count;
    double pending_until;
    uint64_t patched_code; /* pieces of code that have patches now */
    uint64_t shapes;       /* that were launched */
    double change;         /* what a change of patches takes: the mean of late */
    double wait;           /* and the wait before it */
    double credit;         /* for more looks at what was seen before; below 0: owed */
    double own_seen;       /* own time for which there was credit */
    double idle_asked;     /* when */
    double through;        /* spent since the last change on looks that nobody needed */
    double bare, patched;  /* of shapes that were looked at: what patches do to a launch */
    uint64_t ratio_count;
} launch_budget;

void budget_begin(launch_budget *budget, double overhead, double started);

/* What a launch is asked about. */
typedef struct budget_ask {
    double now;
    double guess;    /* seconds with patches at its first run, by its size; infinite: not known */
    bool is_patched; /* its code has its patches now */
    bool is_idle;    /* nothing runs that a change of patches had to wait for */
    bool has_none;   /* it executes none of the instructions that are looked at */
} budget_ask;

/* True if it matters to the shape's next launch whether something runs: who asks whether it does
 * asks the driver. */
bool budget_asks_idle(launch_budget *budget, const budget_shape *shape, double guess, double now);
/* True if the launch, which follows, is to run with patches and be looked at; else without.
 * shape->is_timed_next says whether its time is wanted. */
bool budget_decide(launch_budget *budget, budget_shape *shape, const budget_ask *ask);

/* The launch that was looked at ran, and took so long with patches; `expected`: what
 * budget_expected said before it. */
void budget_look_ended(launch_budget *budget, budget_shape *shape, double expected, double seconds);
/* A launch runs with patches that could not be taken away: as if it were to be looked at, at an
 * expected cost of 0. */
void budget_look_forced(launch_budget *budget, budget_shape *shape);
/* Its time was not taken: it is as long as those before it. */
void budget_look_assumed(launch_budget *budget, budget_shape *shape, double expected);
/* A look is not heard of any more. */
void budget_look_lost(launch_budget *budget, double expected);
/* A launch without patches took so long. */
void budget_bare_ended(budget_shape *shape, double seconds);
/* That long nothing was launched, so that patches could change; `expected`: of the look for which
 * that was, 0: of none. */
void budget_waited(launch_budget *budget, double seconds, double expected);
/* Patches were put in or taken away; `more` pieces of code have some now, which costs a change each
 * to take them away. */
void budget_changed(launch_budget *budget, double seconds, int more);

/* What the shape's next look is expected to cost beyond its own time. */
double budget_expected(const launch_budget *budget, const budget_shape *shape, double guess);
/* What may be spent now. */
double budget_free(const launch_budget *budget, double now);
