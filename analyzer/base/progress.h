/* SPDX-License-Identifier: MIT */
/*
 * Long work: a line on the terminal that says how far it is and how long it will take, and Ctrl-C
 * as a wish to stop soon instead of the end of the process. Internal to the analyzer.
 */
#ifndef SMP_PROGRESS_H
#define SMP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress_line {
    const char *verb; /* "measured"; NULL: Ctrl-C only, no line is shown */
    uint64_t total;   /* 0: unknown */
    bool is_shown;    /* standard error is a terminal */
    double start_seconds;
} progress_line;

/* Takes over SIGINT until progress_end. Within another's, Ctrl-C stops both. */
void progress_begin(progress_line *line, const char *verb, uint64_t total);
/* Shows the line anew; false if the user wants to stop. */
bool progress_step(const progress_line *line, uint64_t done);
/* False if the user wants to stop, for work that knows no line; always true outside of one. */
bool progress_goes_on(void);
/* Clears the line. */
void progress_end(const progress_line *line);
/* Makes way for a message; the next step shows the line again. */
void progress_clear(void);

/* On a terminal, a line without end that the next takes the place of; "" only clears it. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes "1,234,567"; returns its length. */
size_t progress_number(uint64_t number, char text[32]);

#endif
