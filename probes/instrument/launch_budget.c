/* SPDX-License-Identifier: MIT */
/*
 * launch_budget.c: what a look is expected to cost, and whether that can be had.
 */
#include "launch_budget.h"

#include <math.h>

/* Of a product that does nothing but load shared memory (docs/evidence/profile.md, Cost): 257
 * times. */
#define RATIO_FIRST 250.0
#define RATIO_LEAST 10.0
/* Above the mean of what was seen in this program. */
#define RATIO_MARGIN 4.0
#define CHANGE_FIRST 2e-3 /* docs/how/instrumentation.md: 0.1 to 2.2 ms */
/* A look that has not ended by then costs more than was expected: no other is begun. */
#define LATE 1e-3
/* The part of its own share that a shape may take for more than one look: the rest is for shapes
 * that come later. */
#define SHARE_AGAIN 0.2
#define CREDIT_FIRST 3e-3 /* seconds: what may be saved up, and more by the program's own time */
#define CREDIT_SHARE 2e-3
#define CREDIT_OWED 0.1
#define ASK_AGAIN 1e-3 /* whether something runs */

enum {
    RATIO_SHAPES = 8, /* after which what was seen counts */
    TIMED_FIRST = 3,  /* launches of a shape, then those whose number is a power of two */
};

void budget_begin(launch_budget *budget, double overhead, double started) {
    *budget = (launch_budget){
        .overhead = overhead, .started = started, .change = CHANGE_FIRST, .credit = CREDIT_FIRST};
}

/* Its own time until now. */
static double own_time(const launch_budget *b, double now) {
    const double own = now - b->started - b->fixed - b->spent - b->pending;
    return own > 0 ? own : 0;
}

double budget_free(const launch_budget *b, double now) {
    const double share = (b->overhead - 1) * own_time(b, now) - b->fixed;
    return (share > BUDGET_FLOOR ? share : BUDGET_FLOOR) - b->spent - b->pending -
           (b->change + b->wait) * (double)b->patched_code;
}

static double ratio(const launch_budget *b) {
    if (b->ratio_count < RATIO_SHAPES || b->bare <= 0)
        return RATIO_FIRST;
    const double seen = RATIO_MARGIN * b->patched / b->bare;
    return seen < RATIO_LEAST ? RATIO_LEAST : seen > RATIO_FIRST ? RATIO_FIRST : seen;
}

static double mean(double sum, uint64_t count) {
    return count > 0 ? sum / (double)count : 0;
}

double budget_expected(const launch_budget *b, const budget_shape *shape, double guess) {
    const double bare = shape->bare;
    if (shape->patched_count > 0) {
        const double more = mean(shape->patched, shape->patched_count) - bare;
        return more > 0 ? more : 0;
    }
    if (shape->bare_count > 0)
        return bare * ratio(b);
    return shape->launches == 0 ? guess : (double)INFINITY;
}

/* Its looks so far and this one: by what its launches took without patches, or a part of what is
 * left, as there are shapes. */
static bool has_share(const launch_budget *b, const budget_shape *shape, double cost, double room) {
    const double own = (b->overhead - 1) * shape->bare * (double)shape->launches;
    const double part = room / (double)(b->shapes + 1);
    return shape->spent + cost <= SHARE_AGAIN * (own > part ? own : part);
}

static bool is_wanted(launch_budget *b, const budget_shape *shape, const budget_ask *ask,
                      double cost) {
    const double room = budget_free(b, ask->now);
    const bool is_late = b->pending_count > 0 && ask->now > b->pending_until + LATE;
    const double changes = ask->is_patched ? 0 : 2 * b->change + (ask->is_idle ? 1 : 2) * b->wait;
    if (is_late || !isfinite(cost))
        return false;
    if (shape->looks == 0)
        return cost + changes <= room;
    if (ask->is_idle && has_share(b, shape, cost + changes, room) && cost + changes <= room / 2 &&
        cost + changes <= b->credit) {
        b->credit -= cost + 2 * b->change; /* what is waited is taken when it is known */
        return true;
    }
    /* Cheaper than to take the patches away, once. */
    if (!ask->is_patched || cost > room || b->through + cost > b->change)
        return false;
    b->through += cost;
    b->credit -= cost;
    return true;
}

/* More than one look at a shape is paid by the time that passes meanwhile: nobody is to find the
 * looks of a whole run in the part of it that he measures. */
static void add_credit(launch_budget *b, double now) {
    const double own = own_time(b, now), past = own > b->own_seen ? own - b->own_seen : 0;
    b->own_seen += past;
    b->credit += SHARE_AGAIN * (b->overhead - 1) * past;
    const double most = CREDIT_FIRST + CREDIT_SHARE * own;
    if (b->credit > most)
        b->credit = most;
}

static bool is_power_of_two(uint64_t x) {
    return (x & (x - 1)) == 0;
}

bool budget_asks_idle(launch_budget *b, const budget_shape *shape, double guess, double now) {
    const double least = budget_expected(b, shape, guess) + 2 * b->change;
    if (now < b->idle_asked + ASK_AGAIN ||
        least > (shape->looks > 0 ? b->credit : budget_free(b, now)))
        return false;
    b->idle_asked = now;
    return true;
}

bool budget_decide(launch_budget *b, budget_shape *shape, const budget_ask *ask) {
    const double cost = budget_expected(b, shape, ask->guess);
    add_credit(b, ask->now);
    const bool is_look = !ask->has_none && is_wanted(b, shape, ask, cost);
    const uint64_t timed = is_look ? shape->patched_count : shape->bare_count;
    shape->is_timed_next =
        timed < TIMED_FIRST || is_power_of_two(is_look ? shape->looks : shape->launches);
    b->shapes += shape->launches++ == 0 && !ask->has_none;
    if (!is_look)
        return false;
    shape->looks++;
    b->pending += cost;
    b->pending_count++;
    b->pending_until = (ask->now > b->pending_until ? ask->now : b->pending_until) + 2 * cost;
    return true;
}

void budget_look_forced(launch_budget *b, budget_shape *shape) {
    shape->looks++;
    b->pending_count++;
}

void budget_look_lost(launch_budget *b, double expected) {
    b->pending -= expected;
    b->pending_count -= b->pending_count > 0;
    if (b->pending_count == 0 || b->pending < 0)
        b->pending = 0;
}

void budget_look_ended(launch_budget *b, budget_shape *shape, double expected, double seconds) {
    const double bare = shape->bare;
    const double more = seconds > bare ? seconds - bare : 0;
    budget_look_lost(b, expected);
    if (shape->patched_count == 0 && bare > 0) {
        b->bare += bare;
        b->patched += seconds;
        b->ratio_count++;
    }
    shape->patched += seconds;
    shape->patched_count++;
    shape->spent += more;
    b->spent += more;
}

void budget_look_assumed(launch_budget *b, budget_shape *shape, double expected) {
    if (shape->patched_count > 0)
        budget_look_ended(b, shape, expected, mean(shape->patched, shape->patched_count));
    else
        budget_look_lost(b, expected);
}

void budget_bare_ended(budget_shape *shape, double seconds) {
    if (shape->bare_count++ == 0 || seconds < shape->bare)
        shape->bare = seconds;
}

/* What looks that run take is their own cost. */
void budget_waited(launch_budget *b, double seconds, double expected) {
    const double running = b->pending - expected;
    const double lost = seconds > running ? seconds - running : 0;
    b->spent += lost;
    b->credit = b->credit - lost > -CREDIT_OWED ? b->credit - lost : -CREDIT_OWED;
    b->wait = (3 * b->wait + lost) / 4;
}

void budget_changed(launch_budget *b, double seconds, int more) {
    b->spent += seconds;
    if (seconds > 0)
        b->change = (3 * b->change + seconds) / 4;
    b->through = 0;
    b->patched_code += (uint64_t)more;
}
