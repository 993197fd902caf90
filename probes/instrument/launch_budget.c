/* SPDX-License-Identifier: MIT */
/* The expected cost of a look, and whether it can be paid now. */
#include "launch_budget.h"

#include <math.h>

/* The ratio of times with and without patches: of a product that only loads shared memory it is 257
 * (docs/evidence/profile.md, Cost). */
#define RATIO_FIRST 250.0
#define RATIO_LEAST 10.0
/* Times the mean ratio seen in this program. */
#define RATIO_MARGIN 4.0
/* Times what looks at a shape of the same code took. */
#define LIKE_MARGIN 4.0
#define CHANGE_FIRST 2e-3 /* docs/how/instrumentation.md: 0.1 to 2.2 ms */
/* A shape whose launch was kept has figures from that: others come first. */
#define KEPT_REST 1.0
/* Launches are counted for so many seconds at least. */
#define CALLED_LEAST 20e-3
/* A look that has not ended by then costs more than expected: no other is begun. */
#define LATE 1e-3
/* The part of its share that a shape may use for more than one look: the rest is for shapes that
 * come later. */
#define SHARE_AGAIN 0.2
/* Credit: the part of the budget that grows with the program's own time, and how much can be saved
 * up. In the first START seconds after the first launch all of BUDGET_FLOOR can be used. */
#define PACE 0.5
#define START 0.2
#define CREDIT_LEAST 2e-3
#define CREDIT_SHARE 5e-4
#define CREDIT_OWED 0.1
/* A shape's first look may cost more than was saved up, but no more than this part of all time. */
#define LUMP 0.02
/* Nor, unless it is small, more than LUMP_AGAIN of the time since the shape's second launch: that
 * may be all that somebody measures. */
#define LUMP_AGAIN 0.1
#define LUMP_SMALL 5e-3 /* seconds; or this part of all time */
#define AGAIN_NEEDS 2.0 /* a further look needs so many times its cost, and uses so many times */
#define AGAIN_PRICE 4.0
#define ASK_AGAIN 1e-3 /* before the driver is asked again whether the GPU is idle */
/* How long a launch without patches settles what happens to the next ones of its shape. */
#define QUIET_FIRST 1e-3
#define QUIET_AGAIN 20e-3

enum {
    RATIO_SHAPES = 8, /* from then on the ratio seen counts */
    TIMED_FIRST = 2,  /* launches of a shape; later those whose number is a power of four */
};

void budget_begin(launch_budget *budget, double overhead, double started) {
    *budget = (launch_budget){.overhead = overhead,
                              .started = started,
                              .change = CHANGE_FIRST,
                              .credit = BUDGET_FLOOR,
                              .own_first = -1};
}

/* The program's own time so far. */
static double own_time(const launch_budget *b, double now) {
    const double own = now - b->started - b->fixed - b->spent - b->pending;
    return own > 0 ? own : 0;
}

double budget_free(const launch_budget *b, double now) {
    const double share = (b->overhead - 1) * own_time(b, now) - b->fixed;
    return (share > BUDGET_FLOOR ? share : BUDGET_FLOOR) - b->spent - b->pending -
           (b->change + b->wait) * (double)b->patched_code;
}

bool budget_is_overdrawn(const launch_budget *b, double now, double seconds) {
    const double share = (b->overhead - 1) * own_time(b, now);
    return seconds > CALLED_LEAST && seconds > share;
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
    const budget_shape *like = shape->like;
    const bool is_known = like && like->patched_count > 0;
    const double patched = is_known ? LIKE_MARGIN * mean(like->patched, like->patched_count) : 0;
    if (shape->bare_count > 0)
        return is_known && like->bare > 0 ? fmin(bare * ratio(b), bare * patched / like->bare)
                                          : bare * ratio(b);
    return shape->launches > 0 ? (double)INFINITY : is_known ? fmin(guess, patched) : guess;
}

/* ---- Pace ---- */

static bool is_start(const launch_budget *b) {
    return b->own_first < 0 || b->own_seen < b->own_first + START;
}

static double most_credit(const launch_budget *b) {
    return is_start(b) ? BUDGET_FLOOR : CREDIT_LEAST + CREDIT_SHARE * b->own_seen;
}

static void add_credit(launch_budget *b, double now) {
    const double own = own_time(b, now), past = own > b->own_seen ? own - b->own_seen : 0;
    b->own_seen += past;
    if (b->own_first < 0)
        b->own_first = b->own_seen;
    b->credit += PACE * (b->overhead - 1) * past;
    if (b->credit > most_credit(b))
        b->credit = most_credit(b);
}

static void correct_credit(launch_budget *b, double more) {
    b->credit = b->credit + more > -CREDIT_OWED ? b->credit + more : -CREDIT_OWED;
}

/* True if the first look at a shape may be paid now. */
static bool can_begin(const launch_budget *b, const budget_shape *shape, double cost) {
    const double small = fmax(LUMP_SMALL, LUMP_SMALL * b->own_seen);
    if (shape->launches == 0)
        return !shape->is_late || cost <= b->credit;
    return cost <= fmax(small, LUMP_AGAIN * (b->own_seen - shape->own_again)) &&
           (cost <= b->credit || (b->credit > 0 && cost <= LUMP * b->own_seen));
}

/* True if another look at a shape may be paid now: BUDGET_FLOOR is for first looks. */
static bool can_repeat(const launch_budget *b, double cost) {
    const double kept = is_start(b) ? BUDGET_FLOOR - CREDIT_LEAST : 0;
    return AGAIN_NEEDS * cost <= b->credit - kept;
}

/* ---- Decisions ---- */

/* The shape's looks so far and this one: by the time of its launches without patches, or a part of
 * what is left for the number of shapes. */
static bool has_share(const launch_budget *b, const budget_shape *shape, double cost, double room) {
    const double own = (b->overhead - 1) * shape->bare * (double)shape->launches;
    const double part = room / (double)(b->shapes + 1);
    return shape->spent + cost <= SHARE_AGAIN * (own > part ? own : part);
}

static bool is_kept(const budget_shape *shape, double now) {
    return shape->looks == 0 && now < shape->kept_until;
}

void budget_kept(budget_shape *shape, double now) {
    shape->kept_until = now + KEPT_REST;
}

static bool is_wanted(launch_budget *b, const budget_shape *shape, const budget_ask *ask,
                      double cost) {
    const double room = budget_free(b, ask->now);
    const bool is_late = b->pending_count > 0 && ask->now > b->pending_until + LATE;
    const double in_and_out = b->change + fmax(b->change, ask->change),
                 changes = ask->is_patched ? 0 : in_and_out + (ask->is_idle ? 1 : 2) * b->wait,
                 whole = cost + changes;
    if (is_late || !isfinite(cost) || is_kept(shape, ask->now) || shape->launches == 1)
        return false; /* a second launch may be timed by the program, to choose among kernels */
    if (shape->looks == 0 && (whole > room || !can_begin(b, shape, whole)))
        return false;
    if (shape->looks == 0) { /* the wait is taken off the credit when it is known */
        b->credit -= shape->launches > 0 || shape->is_late ? cost + in_and_out : 0;
        return true;
    }
    if (ask->is_idle && has_share(b, shape, whole, room) && whole <= room / 2 &&
        can_repeat(b, whole)) {
        b->credit -= AGAIN_PRICE * (cost + in_and_out);
        return true;
    }
    /* Cheaper than taking the patches out, once. */
    if (!ask->is_patched || cost > room || b->through + cost > b->change)
        return false;
    b->through += cost;
    b->credit -= cost;
    return true;
}

static bool is_power_of_four(uint64_t x) {
    return (x & (x - 1)) == 0 && (x & UINT64_C(0x5555555555555555)) != 0;
}

bool budget_asks_idle(launch_budget *b, const budget_shape *shape, double guess, double now) {
    const double least = budget_expected(b, shape, guess) + 2 * b->change;
    if (now < b->idle_asked + ASK_AGAIN || is_kept(shape, now) ||
        (shape->looks > 0 ? !can_repeat(b, least) : least > budget_free(b, now)))
        return false;
    b->idle_asked = now;
    return true;
}

bool budget_is_quiet(const budget_shape *shape, double now) {
    return shape->launches - shape->looks >= TIMED_FIRST && !is_power_of_four(shape->launches) &&
           now < shape->quiet_until;
}

static void leave_alone(budget_shape *shape, const budget_ask *ask) {
    /* Its time is awaited, or its third launch, the first of the next that may be looked at. */
    const bool is_open = shape->looks == 0 && (shape->bare_count == 0 || shape->launches == 2);
    shape->quiet_until = ask->is_only_counted ? (double)INFINITY
                         : is_open            ? 0
                                   : ask->now + (shape->looks > 0 ? QUIET_AGAIN : QUIET_FIRST);
}

bool budget_decide(launch_budget *b, budget_shape *shape, const budget_ask *ask) {
    const double cost = budget_expected(b, shape, ask->guess);
    add_credit(b, ask->now);
    if (shape->launches == 1)
        shape->own_again = b->own_seen;
    const double before_it = b->credit;
    const bool is_look = !ask->is_only_counted && is_wanted(b, shape, ask, cost);
    shape->taken = before_it - b->credit;
    const uint64_t before = is_look ? shape->looks : shape->launches - shape->looks;
    shape->is_timed_next =
        before < TIMED_FIRST || is_power_of_four(is_look ? shape->looks : shape->launches);
    b->shapes += shape->launches++ == 0 && !ask->is_only_counted;
    if (!is_look) {
        leave_alone(shape, ask);
        return false;
    }
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

void budget_look_dropped(launch_budget *b, budget_shape *shape, double expected) {
    budget_look_lost(b, expected);
    shape->looks--;
    correct_credit(b, shape->taken);
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
    if (bare > 0) /* the first launch of all is not paced */
        correct_credit(b, expected - more);
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

/* The time of looks that run is paid as theirs. */
void budget_waited(launch_budget *b, double seconds, double expected) {
    const double running = b->pending - expected;
    const double lost = seconds > running ? seconds - running : 0;
    b->spent += lost;
    correct_credit(b, -lost);
    b->wait = (3 * b->wait + lost) / 4;
}

void budget_changed(launch_budget *b, double seconds, int more) {
    b->spent += seconds;
    if (seconds > 0)
        b->change = (3 * b->change + seconds) / 4;
    b->through = 0;
    b->patched_code += (uint64_t)more;
}

/* Part of the change: a fourth of it enters the mean, as of what budget_changed took. */
void budget_settled(launch_budget *b, double seconds) {
    b->spent += seconds;
    b->change += seconds / 4;
}
