/* SPDX-License-Identifier: MIT */
/*
 * With SMP_INSTRUMENT_OVERHEAD, which launches are looked at (launch_budget.h decides; host_leave.c
 * puts patches in and takes them out), and how long launches take: events before and after some of
 * them, queried when later calls begin. Modules have no patches until one of their launches is to
 * be looked at.
 */
#define _GNU_SOURCE
#include "host_budget.h"
#include "host_clock.h"
#include "host_known.h"
#include "host_replay.h"
#include "host_shapes.h"
#include "live_page.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TIMINGS_MAX = 64,
    ASKED_AT_ONCE = 8,
    BUSY_MAX = 2, /* unfinished launches, oldest first: after two, later ones are rarely finished */
    EVENT_DEFAULT = 0,
    WARP = 32,
    CLOCK_EACH = 16, /* divides every power of two that is_quiet must not miss */
};

/* Assumed seconds per warp of a patched launch, above that of most kernels: 50,000 requests per
 * warp while all multiprocessors are busy (docs/evidence/profile.md: about 1 ns each). */
#define WARP_SECONDS 50e-6

/* Seconds between two rounds of queries whether launches have ended. */
#define COLLECT_AGAIN 1e-3

/* Assumed seconds for the callbacks of a quiet launch, with what the API takes for them
 * (docs/evidence/profile.md): measuring would double them. */
#define QUIET_COST 0.5e-6
/* Seconds in callbacks after which is checked again whether they take too long. */
#define CALLED_ASK 1e-3

/* A look may take this many times as long as in an earlier run: its loops may run longer. */
#define KNOWN_MARGIN 1.5

/* Part of all time for keeping launches with memory, at least BUDGET_FLOOR; bytes read and written
 * per second (H200: 192 MiB in 0.18 s). */
#define SAMPLE_SHARE 0.02
#define SAMPLE_RATE 1e9
/* The same without memory, whatever looks have spent. */
#define PLACE_SHARE 0.01
#define PLACE_LEAST 0.03

/* A launch timed by two events. */
typedef struct timing {
    const host_context *context; /* of its events; NULL if never used */
    void *events[2];
    host_shape *of;
    double expected;
    bool is_look, is_taken, is_asked;
    int result; /* of asking for the time between them */
    float milliseconds;
} timing;

static launch_budget budget;
static double sampled[2]; /* seconds spent on keeping launches; [1]: with memory */
static double accounted;
static double counting; /* seconds spent in callbacks of launches */
static bool is_stopped; /* launches are not counted any more */
static void (*stop_counting)(void);
static timing timings[TIMINGS_MAX];
static unsigned next_timing, taken_timings;

/* The quiet launch that this thread's call begins. */
static __thread struct {
    host_context *context;
    host_shape *shape; /* NULL if none */
} quiet;

/* The call in progress on this thread. */
static __thread struct {
    host_shape *shape; /* NULL if nothing is decided about the call */
    timing *timing;
    double expected;
    host_call call;
    unsigned kind; /* of its launch; 0 if unknown */
    bool is_look, was_seen, is_delayed;
    bool adds_none, has_none; /* adds no shared memory; executes no observed instruction */
} now;

static const host_events *driver;

static bool find_driver(void) {
    driver = host_find_events();
    return driver;
}

/* ---- Begin and end ---- */

void host_budget_begin(double overhead, void (*stop)(void)) {
    stop_counting = stop;
    host_known_open();
    budget_begin(&budget, overhead, host_now() - host_age());
}

void host_budget_spend(double seconds) {
    if (seconds <= 0)
        return;
    accounted += seconds;
    budget.fixed += seconds;
}

double host_budget_accounted(void) {
    return accounted;
}

void host_budget_waited(double seconds) {
    accounted += seconds;
    budget_waited(&budget, seconds, now.is_look ? now.expected : 0);
}

void host_budget_changed(double seconds, int more) {
    accounted += seconds;
    budget_changed(&budget, seconds, more);
}

void host_budget_settled(double seconds) {
    if (seconds > 0)
        budget_settled(&budget, seconds);
}

/* Estimates the seconds of a first patched run. */
static double guess_of(const host_call *call) {
    if (!call->function)
        return (double)INFINITY;
    double warps = 1, threads = 1;
    for (unsigned i = 0; i < 3; i++) {
        warps *= call->grid[i];
        threads *= call->block[i];
    }
    return warps * ceil(threads / WARP) * WARP_SECONDS;
}

/* ---- Times ---- */

static void settle(timing *one, double seconds) {
    if (one->is_look) {
        budget_look_ended(&budget, &one->of->of, one->expected, seconds);
        host_known_learn(one->of->key, seconds);
    } else {
        budget_bare_ended(&one->of->of, seconds);
    }
}

static void take_time(timing *one) {
    one->is_asked = false;
    if (one->result == NOT_READY)
        return;
    one->is_taken = false;
    taken_timings--;
    if (one->result == 0)
        settle(one, (double)one->milliseconds * 1e-3);
    else if (one->is_look)
        budget_look_lost(&budget, one->expected);
}

/* Takes the times of some finished launches, oldest first. */
void host_budget_collect(unsigned most) {
    timing *asked[TIMINGS_MAX];
    unsigned count = 0, busy = 0;
    int mode = CAPTURE_RELAXED;
    if (taken_timings == 0 || !find_driver())
        return;
    for (unsigned i = 0; i < TIMINGS_MAX && count < most; i++) {
        timing *one = &timings[(next_timing + i) % TIMINGS_MAX];
        if (!one->is_taken || one->is_asked)
            continue;
        one->is_asked = true;
        one->result = NOT_READY;
        asked[count++] = one;
    }
    host_outside();
    (void)driver->exchange(&mode);
    for (unsigned i = 0; i < count && (busy < BUSY_MAX || most == UINT_MAX); i++) {
        timing *one = asked[i];
        one->result = driver->elapsed(&one->milliseconds, one->events[0], one->events[1]);
        busy += one->result == NOT_READY;
    }
    (void)driver->exchange(&mode);
    host_inside();
    for (unsigned i = 0; i < count; i++)
        take_time(asked[i]);
}

static timing *free_timing(const host_context *context) {
    for (unsigned i = 0; i < TIMINGS_MAX; i++) {
        timing *one = &timings[(next_timing + i) % TIMINGS_MAX];
        if (one->is_taken || one->is_asked || (one->context && one->context != context))
            continue;
        next_timing = (next_timing + i + 1) % TIMINGS_MAX;
        one->is_asked = true; /* reserved until it is taken */
        return one;
    }
    return NULL;
}

/* Called without the lock. */
static bool put_event(void **event, void *stream) {
    int mode = CAPTURE_RELAXED;
    bool is_there = driver->exchange(&mode) == 0;
    is_there = is_there && (*event || driver->create(event, EVENT_DEFAULT) == 0);
    is_there = is_there && driver->record(*event, stream) == 0;
    (void)driver->exchange(&mode);
    return is_there;
}

static void begin_timing(const host_context *context, void *stream) {
    timing *one = find_driver() ? free_timing(context) : NULL;
    if (!one)
        return;
    one->context = context;
    const double begun = host_clock();
    host_outside();
    const bool is_there = put_event(&one->events[0], stream);
    host_inside();
    host_clock_add(WORK_EVENT, begun);
    one->of = now.shape;
    one->is_asked = is_there;
    now.timing = is_there ? one : NULL;
}

/* ---- Quiet launches ---- */

/* The time to within a few milliseconds, for a tenth of the cost. */
static double rough_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool has_patches(const host_context *context, const host_shape *of) {
    return context->patched > 0 && context->modules[of->module].is_patched;
}

/* Reads the clock for one launch in CLOCK_EACH. */
static bool is_quiet(host_shape *of) {
    if (!of->was_quiet || of->of.launches % CLOCK_EACH == 0)
        of->was_quiet = budget_is_quiet(&of->of, rough_now());
    return of->was_quiet;
}

static bool is_settled(const host_context *context, host_shape *of, const host_call *call) {
    if (!of->is_known || !is_quiet(of) || has_patches(context, of) ||
        of->ranges != host_ranges_hash())
        return false;
    /* else, unlike before, it has shared memory this time, or has none */
    return of->has_shared || of->has_none == (call->shared_bytes == 0);
}

bool host_budget_quiet_begin(host_context *context, const host_call *call) {
    host_shape *of = host_shape_find(context, call, false);
    if (!of ||
        !(call->function ? is_settled(context, of, call) : host_replay_is_known(context, of)))
        return false;
    quiet.context = context;
    quiet.shape = of;
    return true;
}

static void count_quiet(host_shape *of) {
    of->quiet[of->has_none]++;
    attach.writer.head->launches += of->has_none;
    quiet.context->launches += of->has_none;
    live_page_launch(NULL, of->has_none);
}

void host_budget_quiet_end(bool is_launched) {
    host_shape *of = quiet.shape;
    quiet.shape = NULL;
    if (!of || !is_launched)
        return;
    of->of.launches++;
    if (of->replay)
        host_replay_add(quiet.context, of);
    else
        count_quiet(of);
    accounted += QUIET_COST;
    budget.fixed += QUIET_COST;
    host_budget_called(QUIET_COST);
}

static bool has_any_patches(void) {
    for (const host_context *c = attach.contexts; c; c = c->next)
        if (c->handle && c->patched > 0)
            return true;
    return false;
}

void host_budget_called(double seconds) {
    static double ask_at = CALLED_ASK;
    counting += seconds;
    if (counting < ask_at || is_stopped)
        return;
    ask_at = counting + CALLED_ASK;
    if (!budget_is_overdrawn(&budget, host_now(), counting) || has_any_patches())
        return;
    is_stopped = true;
    stop_counting();
    for (host_context *c = attach.contexts; c; c = c->next)
        c->is_untold = true;
    host_note("launches were counted for the first %.2g s, and not after that: counting them takes "
              "longer than --overhead %g allows",
              host_now() - budget.started, budget.overhead);
}

/* Adds the quiet launches of the shape. */
static void add_quiet(const host_shape *of, smp_instrument_state *state) {
    const uint64_t each = of->context->multiprocessors > 0 ? of->context->multiprocessors : 1;
    state->launches += of->quiet[1];
    state->blocks += of->quiet[1] * of->blocks;
    state->rounds += of->quiet[1] * ((of->blocks + each - 1) / each);
    state->launches_skipped += of->quiet[0];
    state->blocks_skipped += of->quiet[0] * of->blocks;
}

/* ---- Calls ---- */

void host_budget_delayed(void) {
    now.is_delayed = true;
}

bool host_budget_is_pending(void) {
    return budget.pending_count > (now.is_look ? 1 : 0);
}

static bool is_captured(void *stream) {
    int state = 0;
    return !find_driver() || driver->capturing(stream, &state) != 0 || state != 0;
}

bool host_budget_find(const host_context *context, const host_call *call, const char *kernel,
                      void *stream) {
    memset(&now, 0, sizeof now);
    now.call = *call;
    now.adds_none = call->function && call->shared_bytes == 0;
    now.shape = is_captured(stream) ? NULL : host_shape_find(context, call, true);
    if (now.shape && now.shape->of.launches == 0 && call->function)
        now.shape->key = host_known_key(kernel, call->grid, call->block);
    return now.shape;
}

bool host_budget_knows(bool *has_shared) {
    *has_shared = now.shape->has_shared;
    return now.shape->is_known;
}

/* Takes some times: at once if the decision waits for one, else now and then. */
static void collect_some(const budget_shape *of) {
    static double collected;
    const bool is_open = of->launches > 0 && of->looks == 0 && of->bare_count == 0;
    if (!is_open && host_now() < collected + COLLECT_AGAIN)
        return;
    collected = host_now();
    host_budget_collect(ASKED_AT_ONCE);
}

static double guess_for(const host_call *call) {
    if (now.shape->of.launches > 0) /* its time without patches is used instead */
        return (double)INFINITY;
    const double known = KNOWN_MARGIN * host_known_seconds(now.shape->key), guess = guess_of(call);
    return known > 0 ? fmin(known, guess) : guess;
}

bool host_budget_asks_idle(const host_call *call, const budget_kernel *kernel) {
    collect_some(&now.shape->of);
    return kernel->is_wanted && !kernel->has_none &&
           budget_asks_idle(&budget, &now.shape->of, guess_for(call), host_now());
}

static double patching_of(const host_shape *shape) {
    return shape->is_known ? shape->context->modules[shape->module].patching : 0;
}

void host_budget_decide(const host_call *call, const budget_kernel *kernel) {
    const budget_ask ask = {.now = host_now(),
                            .guess = guess_for(call),
                            .change = patching_of(now.shape),
                            .is_patched = kernel->is_patched,
                            .is_idle = kernel->is_idle,
                            .is_only_counted = kernel->has_none || !kernel->is_wanted};
    now.has_none = kernel->has_none;
    now.expected = budget_expected(&budget, &now.shape->of, ask.guess);
    now.is_look = budget_decide(&budget, &now.shape->of, &ask);
}

bool host_budget_is_look(void) {
    return now.shape && now.is_look;
}

bool host_budget_is_first(void) {
    return now.shape && !now.was_seen && !now.has_none && now.shape->of.launches == 1 &&
           now.shape->grid[0] > 0 && !now.shape->is_other;
}

static double share_left(double share, double least, double used) {
    const double all = share * (host_now() - budget.started);
    return (all > least ? all : least) - used;
}

uint64_t host_budget_sample_bytes(void) {
    if (now.is_look || !host_budget_is_first())
        return 0;
    const double left = share_left(SAMPLE_SHARE, BUDGET_FLOOR, sampled[1]),
                 room = budget_free(&budget, host_now()), seconds = left < room ? left : room;
    return seconds > 0 ? (uint64_t)(seconds * SAMPLE_RATE) : 0;
}

bool host_budget_may_keep(void) {
    return share_left(PLACE_SHARE, PLACE_LEAST, sampled[0]) > 0;
}

void host_budget_kept(void) {
    if (now.shape)
        budget_kept(&now.shape->of, host_now());
}

void host_budget_sampled(double seconds, bool is_read) {
    sampled[is_read] += seconds;
}

void host_budget_start(const host_context *context, void *stream) {
    if (now.shape && now.shape->of.is_timed_next)
        begin_timing(context, stream);
}

unsigned host_budget_kind(void) {
    return now.kind > 0 ? now.kind : TABLE_TAG;
}

unsigned host_budget_first_kind(void) {
    return now.shape ? now.shape->kind[0] : 0;
}

void host_budget_launched(const host_context *context, const host_module *module,
                          host_function *function, bool is_seen) {
    now.was_seen |= is_seen;
    if (!now.shape || now.shape->grid[0] == 0)
        return;
    now.shape->module = (size_t)(module - context->modules);
    now.shape->ranges = host_ranges_hash();
    now.shape->function = function->index;
    if (!now.shape->is_known)
        host_shape_learn(now.shape, &now.call, function);
    now.shape->is_known = true;
    now.shape->inside += host_is_inside_ranges();
    if (is_seen)
        now.kind = host_shape_kind(now.shape, now.shape->of.looks + !now.is_look, function);
    now.shape->has_shared = function->has_shared;
    now.shape->has_none = !function->has_shared && now.adds_none;
}

void host_budget_exit(void *stream) {
    timing *one = now.timing;
    if (!now.shape)
        return;
    host_replay_end(now.shape);
    if (!now.is_look && now.was_seen) {
        budget_look_forced(&budget, &now.shape->of);
        now.expected = 0;
    }
    if (now.is_look && !now.was_seen) { /* the patches could not be put in */
        budget_look_dropped(&budget, &now.shape->of, now.expected);
    }
    if (one) {
        host_outside();
        const bool is_there = put_event(&one->events[1], stream);
        host_inside();
        one->is_look = now.was_seen;
        one->expected = now.expected;
        one->is_taken = is_there && (now.was_seen || !now.is_delayed);
        one->is_asked = false;
        taken_timings += one->is_taken;
    }
    if (now.was_seen && (!one || !one->is_taken))
        budget_look_assumed(&budget, &now.shape->of, now.expected);
    memset(&now, 0, sizeof now);
}

/* ---- What is known at the end ---- */

/* Adds the shape's launches to those of their kind; 0 if they make no requests. Those that were not
 * looked at are shared out among the kinds of the looks. */
static void add_kinds(const host_shape *one, smp_instrument_state *state) {
    const uint64_t launches = attach.settings.nvtx ? one->inside : one->of.launches,
                   all = launches * one->blocks, looks = one->of.looks;
    uint64_t left = all;
    for (uint64_t i = 0; i < looks && i < SHAPE_LOOKS && !one->has_none; i++) {
        const uint64_t seen = i + 1 < SHAPE_LOOKS ? 1 : looks - i;
        const unsigned kind = one->kind[i] > 0 ? one->kind[i] : one->kind[0];
        const uint64_t share = (uint64_t)((double)all * (double)seen / (double)looks);
        state->kind_seen[kind] += seen * one->blocks;
        state->kind_blocks[kind] += share;
        state->kind_first[kind] = kind != one->kind[0] ? one->kind[0] : state->kind_first[kind];
        left -= share < left ? share : left;
    }
    const unsigned first = one->has_none ? 0 : one->kind[0];
    state->kind_blocks[first] += left;
    state->kind_seen[first] += one->has_none ? all : 0;
    state->has_more_kinds |= one->has_more && !one->has_none;
}

void host_budget_times(int32_t function, smp_instrument_state *state) {
    state->timed = 0;
    state->nanoseconds = 0;
    const host_shape *one;
    for (size_t i = 0; (one = host_shape_at(i)); i++) {
        if (one->function != function)
            continue;
        add_quiet(one, state);
        add_kinds(one, state);
        if (one->of.bare_count == 0 || attach.settings.nvtx)
            continue; /* times outside the ranges cannot be told apart */
        state->timed += one->of.bare_count;
        state->timed_blocks += one->of.launches * one->blocks;
        state->nanoseconds += (uint64_t)llround(one->of.bare * (double)one->of.launches * 1e9);
    }
}

/* What was looked at of a kernel. */
typedef struct kernel_looks {
    bool has_looks, has_unseen; /* shapes with and without looks */
    bool has_more, has_again;   /* more launches of such a shape than looks; several looks at one */
} kernel_looks;

/* Fills one element per function, and returns their number; 0 if out of memory. The caller frees
 * the list. */
static size_t list_kernels(kernel_looks **list) {
    const host_shape *one;
    int32_t most = 0;
    for (size_t i = 0; (one = host_shape_at(i)); i++)
        most = one->function > most ? one->function : most;
    *list = calloc((size_t)most + 1, sizeof **list);
    for (size_t i = 0; *list && (one = host_shape_at(i)); i++) {
        if (one->function < 0 || one->has_none)
            continue;
        kernel_looks *kernel = &(*list)[one->function];
        kernel->has_looks |= one->of.looks > 0;
        kernel->has_unseen |= one->of.looks == 0;
        kernel->has_more |= one->of.looks > 0 && one->of.launches > one->of.looks;
        kernel->has_again |= one->of.looks > 1;
    }
    return *list ? (size_t)most + 1 : 0;
}

/* Sums are scaled by blocks. Blocks of another shape may do more, and those of later launches, too.
 */
static void note_scaled(void) {
    kernel_looks *list;
    const size_t count = list_kernels(&list);
    unsigned unlike = 0, once = 0;
    for (size_t i = 0; i < count; i++) {
        unlike += list[i].has_looks && list[i].has_unseen;
        once += list[i].has_more && !list[i].has_again;
    }
    free(list);
    if (unlike > 0)
        host_note("%u kernel%s also launched with other grids, blocks or arguments that were not "
                  "looked at: what is scaled rests on the others",
                  unlike, unlike == 1 ? " was" : "s were");
    if (once > 0)
        host_note("%u kernel%s: no two launches with the same arguments were observed, so scaled "
                  "sums are wrong where %s data change",
                  once, once == 1 ? "" : "s", once == 1 ? "its" : "their");
}

void host_budget_end(void) {
    uint64_t looks = 0, launches = 0, unseen = 0, counted = 0, shapes = 0;
    const host_shape *one;
    attach.writer.head->spent_ms = (uint32_t)((budget.fixed + budget.spent) * 1e3);
    if (host_is_budgeted())
        note_scaled();
    if (!host_is_budgeted() || host_clock() == 0)
        return;
    for (; (one = host_shape_at(shapes)); shapes++) {
        looks += one->of.looks;
        launches += one->of.launches;
        counted += one->quiet[0] + one->quiet[1];
        unseen += one->of.looks == 0 && !one->has_none;
    }
    host_note(
        "%.3f s: %.3f on start and end, %.3f on looks and changes (%.2f ms after %.2f); looked at "
        "%llu of %llu launches, only counted %llu; %llu of %llu shapes never looked at; patches "
        "take "
        "%.1f times",
        host_now() - budget.started, budget.fixed, budget.spent, budget.change * 1e3,
        budget.wait * 1e3, (unsigned long long)looks, (unsigned long long)launches,
        (unsigned long long)counted, (unsigned long long)unseen, (unsigned long long)shapes,
        budget.bare > 0 ? budget.patched / budget.bare : 0);
}
