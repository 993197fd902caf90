/* SPDX-License-Identifier: MIT */
/*
 * The time that emulate may take: --budget, else ten minutes.
 */
#ifndef SMP_EMULATE_BUDGET_H
#define SMP_EMULATE_BUDGET_H

#include "command.h"
#include "emulate.h"

typedef struct emulate_limits {
    uint64_t block, launch; /* warp instructions; 0: as usual */
} emulate_limits;

/* --limit: "N" or "N:M". SMP_E_USAGE. */
smp_status emulate_ask_limits(const char *text, emulate_limits *out, smp_error *error);
/* Starts the clock. SMP_E_USAGE. */
smp_status emulate_budget_start(const arguments *args, smp_error *error);
/* For smp_launch.stop. */
const volatile int *emulate_budget_stop(void);
/* Says how many calls of printf had no room. */
void emulate_say_output(const smp_emulation *done);
/* Says how far a launch came that was stopped; what was not asked for is no success: 1, else 0. */
int emulate_budget_say(const smp_emulation *done, smp_kernel_profile *kernel);

#endif
