/* SPDX-License-Identifier: MIT */
/*
 * The time that emulation may take, and what is said of a launch that met an end.
 */
#ifndef SMP_EMULATE_BUDGET_H
#define SMP_EMULATE_BUDGET_H

#include "emulate.h"
#include "note.h"

enum { EMULATE_SECONDS_USUAL = 600, EMULATE_SECONDS_MOST = 1000000000 };

/* Starts the clock; 0 seconds: no limit. `is_asked`: the user said how long. */
void emulate_budget_start(uint64_t seconds, bool is_asked);
/* For smp_launch.stop. */
const volatile int *emulate_budget_stop(void);
/* Notes how many calls of printf had no room. */
void emulate_note_output(const smp_emulation *done, const note_sink *notes);
/* Notes how far a launch came that was stopped; what was not asked for is no success: 1, else 0. */
int emulate_budget_note(const smp_emulation *done, smp_kernel_profile *kernel,
                        const note_sink *notes);

#endif
