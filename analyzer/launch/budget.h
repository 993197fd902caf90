/* SPDX-License-Identifier: MIT */
/* The time limit of an emulation, and what is reported about a launch that ended early. */
#pragma once

#include "emulate.h"
#include "note.h"

enum { EMULATE_SECONDS_USUAL = 600, EMULATE_SECONDS_MOST = 1000000000 };

/* Starts the clock; 0 seconds means no limit. `asked`: the option by which the user set the limit;
 * NULL: it is the usual one. */
void emulate_budget_start(uint64_t seconds, const char *asked);
/* Ends the time now. Async-signal-safe. */
void emulate_budget_end(void);
/* The flag for smp_launch.stop. */
const volatile int *emulate_budget_stop(void);
/* How a launch ended, beside its figures. */
typedef struct emulate_end {
    const char *of;        /* name of the launch in messages */
    const char *why;       /* completes "NAME uses a texture, which `why`" */
    const char *not_seen;  /* the same for the profile: "which was not kept" */
    bool is_judged_before; /* the same run was reported for another architecture: findings are not
                              repeated */
    const note_sink *notes;
    bool is_refused; /* set if the launch needs something that is missing */
    bool is_stopped; /* set if the default time limit stopped the launch: no success */
} emulate_end;

/* Moves the findings into the last kernel of *profile and adds notes: dropped printf calls, and how
 * far a stopped launch came. */
smp_status emulate_take_end(emulate_end *end, const smp_function *function,
                            const smp_emulation *done, smp_profile *profile, smp_error *error);
