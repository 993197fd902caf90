/* SPDX-License-Identifier: MIT */
/* The time limit, the progress line and the Ctrl-C of a search. */
#pragma once

#include "progress.h"
#include "smp_fix.h"

typedef struct fix_watch {
    progress_line line;
    double budget;      /* seconds */
    double begun;       /* start of the search; 0 before its first step */
    double shown;       /* last update of the line */
    double interrupted; /* time of Ctrl-C; 0 without one */
} fix_watch;

/* Sets the progress callback of `ask`; `watch` must outlive the search. */
void fix_watch_begin(fix_watch *watch, double budget, smp_fix_options *ask);
void fix_watch_end(fix_watch *watch);
