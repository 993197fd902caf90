/* SPDX-License-Identifier: MIT */
/*
 * Another program, run as if smemprobe were not there: its input, output and signals are its own.
 */
#ifndef SMP_CHILD_H
#define SMP_CHILD_H

#include "smp_model.h"

typedef struct child_end {
    long process;
    int exit_status; /* as a shell has it: 128 + signal */
    int signal;      /* that ended it; 0: none */
} child_end;

/* Runs argv[0] (looked up in PATH), with `environment` ("NAME=value", NULL-terminated) added to
 * ours, and waits. Signals that end programs go to it, not to us. `quiet`: it reads and writes
 * /dev/null (its errors stay ours). SMP_E_READ where it cannot be started: nothing was run. */
smp_status child_run(char *const argv[], const char *const environment[], bool quiet,
                     child_end *end, smp_error *error);

#endif
