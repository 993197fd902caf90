/* SPDX-License-Identifier: MIT */
/*
 * Programs that only take time, under launch_budget.h: a launch costs what its row says, with
 * patches and without, changes of patches cost time, and times are heard of later. However long
 * things take, a program stays within its multiple of its own time, and what is launched often
 * enough is seen.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "launch_budget.h"
#include "suite.h"

enum { SHAPES = 64, PROGRAMS = 300 };

/* One kernel in one shape, each in a module of its own. */
typedef struct row {
    double bare, patched, guess;
    unsigned times; /* launched in a round */
} row;

typedef struct program {
    double before; /* of the program alone, before its first launch */
    double gap;    /* of the host between two launches */
    double change; /* of patches */
    unsigned rounds, shapes;
    bool is_busy; /* the GPU, whenever a launch begins */
    double lead;  /* of the program, launches that have not ended: seconds, if it is busy */
    row rows[SHAPES];
} program;

typedef struct result {
    double bare, took;
    unsigned seen;      /* shapes, at least once */
    double worst_error; /* of one look: how much longer it took than was expected */
    launch_budget budget;
    budget_shape shapes[SHAPES];
} result;

/* One launch; returns how long it takes. */
static double launch(const program *p, result *r, unsigned which, bool *is_patched, double now) {
    const row *one = &p->rows[which];
    budget_shape *shape = &r->shapes[which];
    const budget_ask ask = {.now = now,
                            .guess = one->guess,
                            .is_patched = is_patched[which],
                            .is_idle = budget_asks_idle(&r->budget, shape, one->guess, now) &&
                                       !p->is_busy};
    const double expected = budget_expected(&r->budget, shape, one->guess);
    const bool is_look = budget_decide(&r->budget, shape, &ask);
    double took = 0;
    if (is_look != is_patched[which]) {
        took += p->change + (p->is_busy ? p->lead : 0);
        budget_waited(&r->budget, p->is_busy ? p->lead : 0, is_look ? expected : 0);
        budget_changed(&r->budget, p->change, is_look ? 1 : -1);
        is_patched[which] = is_look;
    }
    took += is_look ? one->patched : one->bare;
    if (is_look)
        budget_look_ended(&r->budget, shape, expected, one->patched);
    else if (shape->is_timed_next)
        budget_bare_ended(shape, one->bare);
    if (is_look)
        r->worst_error = fmax(r->worst_error, one->patched - one->bare - expected);
    return took;
}

static void run(const program *p, double overhead, result *r) {
    bool is_patched[SHAPES] = {false};
    double now = 100 + p->before;
    *r = (result){.bare = p->before};
    budget_begin(&r->budget, overhead, 100);
    for (unsigned round = 0; round < p->rounds; round++)
        for (unsigned i = 0; i < p->shapes; i++)
            for (unsigned k = 0; k < p->rows[i].times; k++) {
                now += p->gap + launch(p, r, i, is_patched, now + p->gap);
                r->bare += p->gap + p->rows[i].bare;
            }
    r->took = now - 100;
    for (unsigned i = 0; i < p->shapes; i++)
        r->seen += r->shapes[i].looks > 0;
}

/* ---- Programs ---- */

static double between(double low, double high) {
    return low + (high - low) * (double)rand() / (double)RAND_MAX;
}

/* As large as any of 0.1 us to 100 ms, as many as like. */
static double some_time(double low, double high) {
    return exp(between(log(low), log(high)));
}

static program random_program(void) {
    program p = {.before = some_time(1e-3, 10),
                 .gap = some_time(1e-7, 1e-4),
                 .change = some_time(1e-4, 5e-3),
                 .rounds = 1 + (unsigned)rand() % 100,
                 .shapes = 1 + (unsigned)rand() % SHAPES,
                 .is_busy = rand() % 2 == 0,
                 .lead = some_time(1e-4, 1e-1)};
    for (unsigned i = 0; i < p.shapes; i++) {
        row *one = &p.rows[i];
        one->times = 1 + (unsigned)rand() % 8;
        one->bare = some_time(2e-6, 2e-2);
        one->patched = one->bare * between(1, 250);
        one->guess = rand() % 3 == 0 ? one->patched : (double)INFINITY;
    }
    return p;
}

/* What the rule promises: the multiple, or the floor; beyond it only what one look took longer than
 * anybody could know, and a change with its wait on each side. */
static double most(const program *p, const result *r, double overhead) {
    const double more = (overhead - 1) * r->bare;
    return r->bare + fmax(more, BUDGET_FLOOR) + fmax(r->worst_error, 0) + 4 * p->change +
           (p->is_busy ? 4 * p->lead : 0) + 1e-9;
}

START_TEST(no_program_takes_longer) {
    srand(5);
    for (int i = 0; i < PROGRAMS; i++) {
        static const double overheads[] = {1.02, 1.2, 2};
        const program p = random_program();
        const double overhead = overheads[i % 3];
        result r;
        run(&p, overhead, &r);
        ck_assert_msg(r.took <= most(&p, &r, overhead), "program %d: %g s for %g of its own", i,
                      r.took, r.bare);
    }
}
END_TEST

/* A training step: 300 launches of 60 shapes, 20 steps. */
static program training(double patched) {
    program p = {.before = 4, .gap = 1e-6, .change = 1e-3, .rounds = 20, .shapes = 60};
    for (unsigned i = 0; i < p.shapes; i++)
        p.rows[i] =
            (row){.bare = 2e-4, .patched = 2e-4 * patched, .guess = (double)INFINITY, .times = 5};
    return p;
}

/* A sixth of the kernels is seen in 20 steps, all in 80, and none of these steps takes long. */
START_TEST(a_training_step_is_seen) {
    program p = training(20);
    result r;
    run(&p, 1.2, &r);
    ck_assert_uint_ge(r.seen, p.shapes / 6);
    p.rounds = 80;
    run(&p, 1.2, &r);
    ck_assert_uint_eq(r.seen, p.shapes);
    ck_assert(r.took <= 1.2 * r.bare);
}
END_TEST

/* Somebody measures steps whose kernels have run before and were not looked at. */
START_TEST(first_looks_are_paced) {
    program p = training(20);
    result r;
    p.rounds = 6; /* what the first seconds may take is used */
    run(&p, 1.2, &r);
    ck_assert_uint_lt(r.seen, p.shapes);
    const unsigned before = r.seen;
    bool is_patched[SHAPES] = {false};
    double now = 100 + r.took, bare = 0;
    const double begun = now;
    for (unsigned i = 0; bare < 0.35; i++) {
        now += p.gap + launch(&p, &r, i / 5 % p.shapes, is_patched, now + p.gap);
        bare += p.gap + p.rows[i / 5 % p.shapes].bare;
    }
    unsigned after = 0;
    for (unsigned i = 0; i < p.shapes; i++)
        after += r.shapes[i].looks > 0;
    ck_assert_uint_gt(after, before);
    ck_assert_msg(now - begun <= 1.15 * bare, "%g s instead of %g", now - begun, bare);
}
END_TEST

/* Decisions are made again when time has passed, and before a launch that is to be timed. */
START_TEST(most_launches_need_no_decision) {
    launch_budget b;
    budget_shape shape = {0};
    budget_begin(&b, 1.2, 0);
    unsigned quiet = 0;
    for (int i = 0; i < 10000; i++) {
        const double now = 10 + i * 5e-6;
        if (budget_is_quiet(&shape, now)) {
            shape.launches++;
            quiet++;
            continue;
        }
        const budget_ask ask = {.now = now, .guess = 1e9};
        ck_assert(!budget_decide(&b, &shape, &ask));
        if (shape.is_timed_next)
            budget_bare_ended(&shape, 1);
    }
    ck_assert_uint_eq(shape.launches, 10000);
    ck_assert_uint_gt(quiet, 9900);
    ck_assert_uint_eq(shape.bare_count, 8); /* 1, 2 and the powers of four */
    ck_assert(!budget_is_quiet(&shape, 11));
}
END_TEST

/* The first launches of all shapes run bare, so that nothing is guessed; those that cannot be had
 * stay unseen, and the others have their turns. */
START_TEST(what_is_too_heavy_stays_alone) {
    program p = training(20);
    p.rounds = 60;
    p.rows[7] = (row){.bare = 0.05, .patched = 12, .guess = (double)INFINITY, .times = 1};
    result r;
    run(&p, 1.2, &r);
    ck_assert_uint_eq(r.shapes[7].looks, 0);
    ck_assert_uint_eq(r.seen, p.shapes - 1);
    ck_assert(r.took <= 1.2 * r.bare);
}
END_TEST

START_TEST(a_long_program_has_time_for_all) {
    program p = training(20);
    p.rounds = 2000;
    p.rows[7] = (row){.bare = 0.02, .patched = 4, .guess = (double)INFINITY, .times = 1};
    result r;
    run(&p, 1.2, &r);
    ck_assert_uint_eq(r.seen, p.shapes);
    ck_assert_uint_gt(r.shapes[0].looks, 5);
    ck_assert(r.took <= 1.2 * r.bare);
}
END_TEST

/* Nothing waits for a further look at what was seen. */
START_TEST(what_was_seen_is_left_to_run) {
    program p = training(20);
    p.rounds = 2000;
    p.is_busy = true;
    result r;
    run(&p, 1.2, &r);
    ck_assert_uint_eq(r.seen, p.shapes);
    for (unsigned i = 0; i < p.shapes; i++)
        ck_assert_uint_eq(r.shapes[i].looks, 1);
}
END_TEST

/* Somebody measures a part of a program, when all its kernels were seen and time is left. */
START_TEST(a_part_takes_no_longer) {
    program p = training(1.1);
    p.before = 9;
    p.change = 3e-4;
    p.rounds = 2;
    result r;
    run(&p, 1.2, &r);
    bool is_patched[SHAPES] = {false};
    double now = 100 + r.took, bare = 0;
    const double begun = now;
    for (unsigned i = 0; bare < 0.35; i++) {
        now += p.gap + launch(&p, &r, i % p.shapes, is_patched, now + p.gap);
        bare += p.gap + p.rows[i % p.shapes].bare;
    }
    ck_assert_msg(now - begun <= 1.1 * bare, "%g s instead of %g", now - begun, bare);
}
END_TEST

/* A kernel without shared memory: all its launches count as seen, and none is decided about. */
START_TEST(what_has_nothing_costs_nothing) {
    launch_budget b;
    budget_shape shape = {0};
    budget_begin(&b, 1.2, 0);
    for (int i = 0; i < 10; i++)
        ck_assert(!budget_decide(
            &b, &shape, &(budget_ask){.now = 10, .is_idle = true, .is_only_counted = true}));
    ck_assert_uint_eq(shape.launches, 10);
    ck_assert_uint_eq(b.shapes, 0);
}
END_TEST

/* What comes late has what is kept for it. */
START_TEST(a_late_shape_has_its_turn) {
    program p = training(20);
    result r;
    p.shapes = 61;
    p.rounds = 100;
    p.rows[60] = (row){.bare = 1e-3, .patched = 0.05, .guess = (double)INFINITY, .times = 0};
    bool is_patched[SHAPES] = {false};
    run(&p, 1.2, &r);
    double now = 100 + r.took;
    const double begun = now;
    while (r.shapes[60].looks == 0 && now < begun + 2)
        now += launch(&p, &r, 60, is_patched, now);
    ck_assert_uint_gt(r.shapes[60].looks, 0);
    ck_assert(now > begun + 0.5); /* a look is no large part of what may be measured */
}
END_TEST

/* A program of one small launch, after a third of a second or at once. */
START_TEST(what_is_small_is_seen_at_once) {
    static const double before[] = {0.3, 1e-3};
    const program p = {.before = before[_i],
                       .change = 1e-3,
                       .rounds = 1,
                       .shapes = 1,
                       .rows = {{.bare = 1e-5, .patched = 1e-3, .guess = 5e-3, .times = 1}}};
    result r;
    run(&p, 1.2, &r);
    ck_assert_uint_eq(r.seen, 1);
}
END_TEST

/* A second look at one shape leaves room for the others, however much room there is. */
START_TEST(one_shape_leaves_room_for_others) {
    launch_budget b;
    const budget_ask ask = {.now = 1000, .is_idle = true};
    const budget_shape seen = {.launches = 10,
                               .looks = 1,
                               .bare = 1e-3,
                               .bare_count = 9,
                               .patched = 0.1,
                               .patched_count = 1,
                               .spent = 0.1};
    for (int i = 0; i < 2; i++) {
        budget_shape shape = seen;
        budget_begin(&b, 1.2, 0);
        b.own_first = 0; /* long ago, and nothing was spent since */
        b.own_seen = 999;
        b.shapes = i == 0 ? 1 : 100000;
        b.credit = 1;
        ck_assert_int_eq(budget_decide(&b, &shape, &ask), i == 0);
    }
}
END_TEST

/* The floor of the first moments is for first looks: a further one waits, even if it would fit. */
START_TEST(a_further_look_leaves_the_floor) {
    for (int i = 0; i < 2; i++) {
        launch_budget b;
        budget_shape shape = {.launches = 10,
                              .looks = 1,
                              .bare = 1e-3,
                              .bare_count = 9,
                              .patched = 4e-3,
                              .patched_count = 1};
        budget_begin(&b, 1.2, 0);
        b.own_first = 0;
        b.own_seen = i == 0 ? 0.1 : 999;
        b.shapes = 1;
        const budget_ask ask = {.now = i == 0 ? 0.1 : 1000, .is_idle = true};
        ck_assert_int_eq(budget_decide(&b, &shape, &ask), i);
    }
}
END_TEST

/* Two shapes of one module in turns: patches do not come and go with each. */
START_TEST(tiny_launches_do_not_make_changes) {
    launch_budget b;
    budget_shape first = {0}, second = {0};
    bool is_patched = false;
    unsigned changes = 0;
    double now = 10;
    budget_begin(&b, 1.2, 0);
    for (int i = 0; i < 100000; i++) {
        budget_shape *shape = i % 2 == 0 ? &first : &second;
        const budget_ask ask = {
            .now = now, .guess = 1e-4, .is_patched = is_patched, .is_idle = true};
        const double expected = budget_expected(&b, shape, ask.guess);
        const bool is_look = budget_decide(&b, shape, &ask);
        if (is_look != is_patched) {
            changes++;
            budget_changed(&b, 1e-3, is_look ? 1 : -1);
        }
        is_patched = is_look;
        now += is_look ? 1e-4 : 5e-6;
        if (is_look)
            budget_look_ended(&b, shape, expected, 1e-4);
        else if (shape->is_timed_next)
            budget_bare_ended(shape, 5e-6);
    }
    ck_assert_uint_lt(changes, 200);
    ck_assert_uint_gt(first.looks, 1);
    ck_assert_uint_gt(second.looks, 1);
}
END_TEST

/* What the driver takes behind a change is part of its price. */
START_TEST(slow_changes_are_paid) {
    launch_budget b;
    budget_begin(&b, 1.2, 0);
    const double free = budget_free(&b, 10);
    for (int i = 0; i < 40; i++) {
        budget_changed(&b, 1e-4, 0);
        budget_settled(&b, 5e-3);
    }
    ck_assert(b.change > 4.9e-3 && b.change < 5.2e-3);
    ck_assert(budget_free(&b, 10) < free - 40 * 5e-3);
}
END_TEST

/* Code that takes long to patch is only looked at once that is a small part of its program. */
START_TEST(slow_code_waits) {
    static const double changes[] = {0, 0.04, 0.04}, times[] = {1, 1, 10};
    launch_budget b;
    budget_shape shape = {.launches = 3, .bare = 1e-6, .bare_count = 1, .own_again = 1};
    const budget_ask ask = {.now = times[_i], .change = changes[_i], .is_idle = true};
    budget_begin(&b, 1.2, 0);
    ck_assert_int_eq(budget_decide(&b, &shape, &ask), _i != 1);
}
END_TEST

/* A look that could not be had takes no credit from others. */
START_TEST(a_dropped_look_costs_nothing) {
    launch_budget b;
    budget_shape shape = {.launches = 3, .bare = 2e-4, .bare_count = 1};
    budget_begin(&b, 1.2, 0);
    const double before = b.credit;
    ck_assert(budget_decide(&b, &shape, &(budget_ask){.now = 10, .change = 0.02, .is_idle = true}));
    ck_assert(b.credit < before - 0.06);
    budget_look_dropped(&b, &shape, 0.05);
    ck_assert(fabs(b.credit - before) < 1e-9);
    ck_assert_uint_eq(shape.looks, 0);
    ck_assert_uint_eq(b.pending_count, 0);
}
END_TEST

/* A look that costs half a second, in a program of 10 s and in one of 100 s. */
START_TEST(a_heavy_look_waits_for_a_long_program) {
    for (int i = 0; i < 2; i++) {
        launch_budget b;
        budget_shape shape = {.launches = 3, .bare = 2e-3, .bare_count = 1};
        budget_begin(&b, 1.2, 0);
        const budget_ask ask = {.now = i == 0 ? 10 : 100, .is_idle = true};
        ck_assert_int_eq(budget_decide(&b, &shape, &ask), i);
    }
}
END_TEST

/* A look that does not end: no other is begun. */
START_TEST(after_a_late_look_nothing_is_begun) {
    launch_budget b;
    budget_shape heavy = {0}, other = {0};
    budget_begin(&b, 1.2, 0);
    ck_assert(budget_decide(&b, &heavy, &(budget_ask){.now = 10, .guess = 1e-3}));
    ck_assert(budget_decide(&b, &other, &(budget_ask){.now = 10.001, .guess = 1e-3}));
    budget_shape third = {0};
    ck_assert(!budget_decide(&b, &third, &(budget_ask){.now = 10.5, .guess = 1e-3}));
    budget_look_ended(&b, &heavy, 1e-3, 0.4);
    budget_look_ended(&b, &other, 1e-3, 1e-3);
    budget_shape fourth = {0};
    ck_assert(budget_decide(&b, &fourth, &(budget_ask){.now = 10.5, .guess = 1e-3}));
}
END_TEST

/* A shape of code that was looked at in another is expected to cost about as much. */
START_TEST(a_shape_costs_what_its_like_cost) {
    const budget_shape like = {.launches = 5,
                               .looks = 1,
                               .bare = 1e-4,
                               .bare_count = 4,
                               .patched = 2e-3,
                               .patched_count = 1};
    budget_shape shape = {.like = &like};
    launch_budget budget;
    budget_begin(&budget, 1.2, 0);
    ck_assert_double_eq_tol(budget_expected(&budget, &shape, 1), 4 * 2e-3, 1e-9);
    ck_assert_double_eq_tol(budget_expected(&budget, &shape, 1e-3), 1e-3, 1e-9);
    shape.launches = shape.bare_count = 1;
    shape.bare = 2e-4;
    ck_assert_double_eq_tol(budget_expected(&budget, &shape, 1), 4 * 20 * 2e-4, 1e-9);
    shape.like = NULL;
    ck_assert_double_eq_tol(budget_expected(&budget, &shape, 1), 250 * 2e-4, 1e-9);
}
END_TEST

/* In the middle of a program the first launch of another shape is only looked at if that was saved
 * up; at its start, if there is time at all. */
START_TEST(late_shapes_are_paced) {
    const budget_ask ask = {.now = 1000, .guess = 1, .is_idle = true};
    budget_shape early = {.launches = 0}, late = {.is_late = true};
    launch_budget budget;
    budget_begin(&budget, 1.2, 0);
    budget.own_first = 0;
    ck_assert(!budget_decide(&budget, &late, &ask));
    ck_assert(budget_decide(&budget, &early, &ask));
}
END_TEST

int main(void) {
    return SUITE("launch_budget", TEST(no_program_takes_longer), TEST(a_training_step_is_seen),
                 TEST(first_looks_are_paced), TEST(most_launches_need_no_decision),
                 TEST(what_is_too_heavy_stays_alone), TEST(a_long_program_has_time_for_all),
                 TEST(what_was_seen_is_left_to_run), TEST(a_part_takes_no_longer),
                 TEST(what_has_nothing_costs_nothing), TEST(a_late_shape_has_its_turn),
                 TEST_EACH(what_is_small_is_seen_at_once, 2),
                 TEST(one_shape_leaves_room_for_others), TEST(a_further_look_leaves_the_floor),
                 TEST(tiny_launches_do_not_make_changes),
                 TEST(a_heavy_look_waits_for_a_long_program), TEST(slow_changes_are_paid),
                 TEST_EACH(slow_code_waits, 3), TEST(a_dropped_look_costs_nothing),
                 TEST(after_a_late_look_nothing_is_begun), TEST(a_shape_costs_what_its_like_cost),
                 TEST(late_shapes_are_paced));
}
