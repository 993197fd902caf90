/* SPDX-License-Identifier: MIT */
/*
 * Decides which launches of a program are looked at, so that the program takes no longer than a
 * given multiple of its own time. Nothing here knows a GPU: the caller says what is launched, what
 * time it is and how long things took, and is told whether to run with patches.
 *
 * A look costs the launch's extra time with patches, the changes of patches around it, and the
 * waits for the GPU before these: a program that launches ahead loses about as much. An unknown
 * cost is guessed from the launch's time without patches (its first launch runs so) or, before
 * that, from its size. Everything spent, and what running looks are expected to spend, stays within
 * (overhead - 1) times the program's own time, which is all time less what was spent. A short
 * program still has BUDGET_FLOOR, or nothing of it would be seen.
 *
 * Looks at code that has run before are also paced: credit grows with the program's own time, and
 * only a little can be saved up. So a part of the program that somebody measures, after its first
 * launches, is no slower than the whole. A shape's first look may wait for the GPU; later ones only
 * happen when nothing runs.
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
    double bare;    /* the shortest launch without patches: delays of the host are not part of it */
    double patched; /* the sum of all timed launches with patches */
    uint64_t bare_count, patched_count;
    double spent;       /* on its looks */
    double taken;       /* credit that the last one took when it was decided on */
    double quiet_until; /* until then there is nothing to decide about it */
    double kept_until;  /* until then it needs no look: one of its launches was kept */
    double own_again;   /* the program's own time when it was launched for the second time */
    bool is_timed_next; /* the launch decided about last should be timed */
    /* Another shape of the same code and grid, which ran before: looks cost about as much. NULL if
     * there is none. */
    const struct budget_shape *like;
    bool is_late; /* not at the start of that one: the first launch is paced, too */
} budget_shape;

typedef struct launch_budget {
    double overhead; /* 1.2 */
    double started;
    double fixed;   /* spent on start and end, which nothing here decides */
    double spent;   /* on looks and changes */
    double pending; /* expected cost of the looks that run */
    uint64_t pending_count;
    double pending_until;  /* when the last of them should have ended */
    uint64_t patched_code; /* pieces of code that have patches now */
    uint64_t shapes;       /* launched so far */
    double change;         /* mean time of recent changes of patches */
    double wait;           /* mean time of recent waits before them */
    double credit;         /* for looks at code that has run before; below 0: owed */
    double own_seen;       /* own time that credit was given for */
    double own_first;      /* own time at the first launch; below 0: none yet */
    double idle_asked;     /* when the GPU was last asked whether it is idle */
    double through;        /* spent since the last change on looks at code that still had patches */
    double bare, patched;  /* sums over shapes that were looked at */
    uint64_t ratio_count;
} launch_budget;

void budget_begin(launch_budget *budget, double overhead, double started);

/* What a decision is based on. */
typedef struct budget_ask {
    double now;
    double guess;    /* seconds with patches at the first launch, by size; infinite if unknown */
    double change;   /* seconds that it took to patch this code; 0 if unknown */
    bool is_patched; /* the code has patches now */
    bool is_idle;    /* nothing runs that a change of patches would have to wait for */
    /* the launch executes no instruction that is looked at, or nobody asks for its kernel */
    bool is_only_counted;
} budget_ask;

/* True if it matters to the shape's next launch whether the GPU is idle. Finding out costs a call
 * of the driver. */
bool budget_asks_idle(launch_budget *budget, const budget_shape *shape, double guess, double now);
/* True if the launch, which follows, is to run with patches and be looked at.
 * shape->is_timed_next says whether its time is wanted. */
bool budget_decide(launch_budget *budget, budget_shape *shape, const budget_ask *ask);
/* True if the shape's next launch needs no decision and no timing: it runs without patches. Whoever
 * launches it then only counts it in shape->launches. */
bool budget_is_quiet(const budget_shape *shape, double now);

/* A look has ended after `seconds`; `expected` is what budget_expected said before it. */
void budget_look_ended(launch_budget *budget, budget_shape *shape, double expected, double seconds);
/* A launch runs with patches that could not be taken away: a look with an expected cost of 0. */
void budget_look_forced(launch_budget *budget, budget_shape *shape);
/* A look was not timed: it counts as long as earlier ones. */
void budget_look_assumed(launch_budget *budget, budget_shape *shape, double expected);
/* The end of a look will never be known. */
void budget_look_lost(launch_budget *budget, double expected);
/* A look was decided on, but patches could not be put in. */
void budget_look_dropped(launch_budget *budget, budget_shape *shape, double expected);
/* A launch without patches was kept, to be run elsewhere. */
void budget_kept(budget_shape *shape, double now);
/* A launch without patches took `seconds`. */
void budget_bare_ended(budget_shape *shape, double seconds);
/* Launches were held back for `seconds` so that patches could change, for a look that is expected
 * to cost `expected`; 0: for none. */
void budget_waited(launch_budget *budget, double seconds, double expected);
/* Patches were put in or taken out; `more` pieces of code have some now, each of which will cost a
 * change to remove them. */
void budget_changed(launch_budget *budget, double seconds, int more);
/* The launch behind a change took `seconds` longer: the driver brings the code to the GPU. */
void budget_settled(launch_budget *budget, double seconds);

/* The expected cost of the shape's next look, beyond its own time. */
double budget_expected(const launch_budget *budget, const budget_shape *shape, double guess);
/* What may be spent now. */
double budget_free(const launch_budget *budget, double now);
/* True if counting launches, which took `seconds` so far, takes longer than everything may. */
bool budget_is_overdrawn(const launch_budget *budget, double now, double seconds);
