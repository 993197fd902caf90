/* SPDX-License-Identifier: MIT */
/*
 * Progress of long work: a line on the terminal that says how far it is and how long it will take.
 * Meanwhile Ctrl-C asks the work to stop soon, and does not end the process. Internal to the
 * analyzer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress_line {
    const char *verb; /* "measured"; NULL: Ctrl-C only, no line is shown */
    uint64_t total;   /* 0: unknown */
    bool is_shown;    /* standard error is a terminal */
    double start_seconds;
} progress_line;

/* Takes over SIGINT until progress_end. If one work runs inside another, Ctrl-C stops both. */
void progress_begin(progress_line *line, const char *verb, uint64_t total);
/* `also` is called by the handler of the first Ctrl-C, too, from now on; NULL: nothing. */
void progress_on_interrupt(void (*also)(void));
/* Updates the line; false if the user wants to stop. */
bool progress_step(const progress_line *line, uint64_t done);
/* The same as a callback: `line` is the progress_line, `total` is known. */
bool progress_step_of(void *line, size_t done, size_t total);
/* The same for work that has no line; always true if none has begun. */
bool progress_goes_on(void);
/* Clears the line. */
void progress_end(const progress_line *line);
/* Clears the line for a message; the next step shows it again. */
void progress_clear(void);

/* On a terminal, writes a line without newline that the next one replaces. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
