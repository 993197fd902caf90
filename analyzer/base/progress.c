/* SPDX-License-Identifier: MIT */
/* The progress line. The signal handler only sets a flag. */
#include "progress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "seconds.h"
#include "style.h"
#include "text_buffer.h"

static volatile sig_atomic_t interrupted;
static struct sigaction action_before;
static bool has_line; /* a progress line is on the terminal */
static void (*volatile also_then)(void);
static unsigned depth; /* lines that have begun and not ended */

/* The second Ctrl-C ends the program. A signal right after the first counts as the same one:
 * timeout(1) signals a program and then its group. */
static void on_interrupt(int number) {
    static double first_seconds;
    if (!interrupted) {
        first_seconds = seconds_now();
        interrupted = 1;
        if (also_then)
            also_then();
    } else if (seconds_now() > first_seconds + 0.25) {
        (void)sigaction(number, &action_before, NULL);
        (void)raise(number);
    }
}

void progress_begin(progress_line *line, const char *verb, uint64_t total) {
    struct sigaction action = {.sa_handler = on_interrupt};
    memset(line, 0, sizeof *line);
    line->verb = verb;
    line->total = total;
    line->is_shown = verb && isatty(STDERR_FILENO) != 0;
    line->start_seconds = seconds_now();
    if (depth++ > 0)
        return;
    interrupted = 0;
    (void)sigaction(SIGINT, &action, &action_before);
}

void progress_on_interrupt(void (*also)(void)) {
    also_then = also;
}

/* Cuts the line at the terminal's edge: a second line could not be erased. */
static void put_line(const char *text) {
    const int columns = smp_columns(stderr), length = (int)strlen(text);
    const bool is_long = length >= columns;
    fprintf(stderr, "\r%.*s%s\033[K", is_long ? columns - 4 : length, text, is_long ? "..." : "");
    (void)fflush(stderr);
    has_line = text[0] != '\0';
}

static void show(const progress_line *line, uint64_t done) {
    char now[32], all[32], text[200];
    text_buffer out = TEXT_BUFFER(text);
    double seconds = seconds_now() - line->start_seconds;
    double rate = seconds > 0 ? (double)done / seconds : 0;
    (void)text_grouped(done, now);
    text_add(&out, "%s %s", line->verb, now);
    if (line->total > 0) {
        (void)text_grouped(line->total, all);
        text_add(&out, " of %s", all);
    }
    if (rate > 0 && line->total > done)
        text_add(&out, ", %.0f s left", (double)(line->total - done) / rate + 0.5);
    put_line(text);
}

bool progress_step(const progress_line *line, uint64_t done) {
    if (line->is_shown)
        show(line, done);
    return !interrupted;
}

bool progress_step_of(void *line, size_t done, size_t total) {
    (void)total;
    return progress_step(line, done);
}

void progress_end(const progress_line *line) {
    if (line->is_shown)
        progress_clear();
    if (--depth > 0)
        return;
    (void)sigaction(SIGINT, &action_before, NULL);
    interrupted = 0;
}

void progress_clear(void) {
    if (has_line)
        put_line("");
}

bool progress_goes_on(void) {
    return !interrupted;
}

void progress_say(const char *format, ...) {
    va_list values;
    char text[200];
    if (!isatty(STDERR_FILENO))
        return;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put_line(text);
}
