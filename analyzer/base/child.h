/* SPDX-License-Identifier: MIT */
/* Runs another program, which keeps its own input, output and signals. */
#pragma once

#include "smp_model.h"

typedef struct child_end {
    long process;
    int exit_status; /* as in a shell: 128 + signal after a signal */
    int signal;      /* that ended it, or 0 */
    bool runs_on;    /* a process that it has started */
} child_end;

/* Variables for a program, "NAME=value" each, in addition to this process's own. */
enum { CHILD_VARIABLES_MAX = 24 };
typedef struct child_variables {
    char *list[CHILD_VARIABLES_MAX];
    unsigned count;
    bool has_failed; /* out of memory, which child_run reports */
} child_variables;

/* Adds one, given as a printf format. */
void child_set(child_variables *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds NAME=FIRST:VALUE with the current value of NAME, if it has one. */
void child_set_in_front(child_variables *to, const char *name, const char *first);
void child_variables_clear(child_variables *variables);

/* Runs argv[0] (looked up in PATH) with `variables` (NULL: none) added to the environment, and
 * waits. Signals that end programs go to it and not to this process. With `output`, the program
 * reads /dev/null and its standard output replaces this file. SMP_E_READ: it could not be started,
 * nothing ran. */
smp_status child_run(char *const argv[], const child_variables *variables, const char *output,
                     child_end *end, smp_error *error);

/* Sets a function that is called four times a second while a program runs; NULL for none. */
void child_while(void (*tick)(void));

/* What /proc/NUMBER/stat says behind the name, "STATE PARENT GROUP SESSION ...", in the caller's
 * `text` of `size` bytes; NULL if there is no such process. */
const char *child_stat(const char *number, char *text, size_t size);
