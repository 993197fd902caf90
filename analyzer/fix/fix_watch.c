/* SPDX-License-Identifier: MIT */
/* The time limit, the progress line and the Ctrl-C of a search. */
#include "fix_watch.h"

#include "seconds.h"

/* After Ctrl-C the best layout so far is still checked. */
#define CHECK_SECONDS 0.7
#define SHOWN_SECONDS 0.1

static void note_interrupt(fix_watch *w, double now) {
    if (!progress_goes_on() && w->interrupted == 0)
        w->interrupted = now;
}

/* Tells a search whether to continue. */
static smp_fix_wish look_at_clock(void *user, smp_fix_phase phase, uint64_t done) {
    static const char *const verbs[] = {[SMP_FIX_READING] = "requests evaluated:",
                                        [SMP_FIX_SEARCHING] = "layouts tried:",
                                        [SMP_FIX_CHECKING] = "requests checked:"};
    fix_watch *w = user;
    const double now = seconds_now();
    if (phase == SMP_FIX_SEARCHING && w->begun == 0)
        w->begun = now;
    if (now - w->shown >= SHOWN_SECONDS) {
        w->shown = now;
        w->line.verb = verbs[phase];
        (void)progress_step(&w->line, done);
    }
    note_interrupt(w, now);
    const bool has_grace = phase == SMP_FIX_CHECKING && now - w->interrupted < CHECK_SECONDS;
    if (w->interrupted > 0 && !has_grace)
        return SMP_FIX_INTERRUPT;
    return w->begun > 0 && now - w->begun >= w->budget ? SMP_FIX_OUT_OF_TIME : SMP_FIX_GO_ON;
}

void fix_watch_begin(fix_watch *watch, double budget, smp_fix_options *ask) {
    *watch = (fix_watch){.budget = budget};
    ask->progress = look_at_clock;
    ask->user = watch;
    progress_begin(&watch->line, "layouts tried:", 0);
}

void fix_watch_end(fix_watch *watch) {
    note_interrupt(watch, seconds_now());
    progress_end(&watch->line);
}
