/* SPDX-License-Identifier: MIT */
/*
 * The time that emulation may take, and what is said of a launch that met an end.
 */
#pragma once

#include "emulate.h"
#include "note.h"

enum { EMULATE_SECONDS_USUAL = 600, EMULATE_SECONDS_MOST = 1000000000 };

/* Starts the clock; 0 seconds: no limit. `is_asked`: the user said how long. */
void emulate_budget_start(uint64_t seconds, bool is_asked);
/* It is over now. Async-signal-safe. */
void emulate_budget_end(void);
/* For smp_launch.stop. */
const volatile int *emulate_budget_stop(void);
/* What a launch came to, beside its figures. */
typedef struct emulate_end {
    const char *of;        /* the launch, for messages */
    const char *why;       /* what ended at a texture or a surface uses one "which `why`" */
    const char *not_seen;  /* the same for the profile: "which was not kept" */
    bool is_judged_before; /* the same run, judged by another architecture: no findings again */
    const note_sink *notes;
    bool is_refused; /* set: it needs what is not here */
    bool is_stopped; /* set: the time ended it, which was not asked for: no success */
} emulate_end;

/* Takes findings and how it ended into the last kernel of *profile, and notes them: calls of printf
 * that had no room, how far it came that was stopped. */
smp_status emulate_take_end(emulate_end *end, const smp_function *function,
                            const smp_emulation *done, smp_profile *profile, smp_error *error);
