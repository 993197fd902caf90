/* SPDX-License-Identifier: MIT */
/*
 * Runs another program as if smemprobe were not there: its input, output and signals are its own.
 */
#ifndef SMP_CHILD_H
#define SMP_CHILD_H

#include "smp_model.h"

typedef struct child_end {
    long process;
    int exit_status; /* as in a shell: 128 + signal after a signal */
    int signal;      /* that ended it; 0: none */
} child_end;

/* Variables that are set for a program, beside ours: "NAME=value" each. */
enum { CHILD_VARIABLES_MAX = 16 };
typedef struct child_variables {
    char *list[CHILD_VARIABLES_MAX];
    unsigned count;
    bool has_failed; /* out of memory, which child_run reports */
} child_variables;

/* Adds one, by a printf format. */
void child_set(child_variables *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* NAME=FIRST, and behind a colon what NAME is now. */
void child_set_in_front(child_variables *to, const char *name, const char *first);
void child_variables_clear(child_variables *variables);

/* Runs argv[0] (looked up in PATH), with `variables` (NULL: none) added to our environment, and
 * waits. Signals that end programs go to it, not to us. `quiet`: it reads and writes
 * /dev/null (its errors stay ours). SMP_E_READ where it cannot be started: nothing was run. */
smp_status child_run(char *const argv[], const child_variables *variables, bool quiet,
                     child_end *end, smp_error *error);

#endif
