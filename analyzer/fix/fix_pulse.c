/* SPDX-License-Identifier: MIT */
/*
 * Asking the caller whether to go on: often enough that a wish is heard within milliseconds, seldom
 * enough that asking costs nothing. There is no clock here: time is the caller's.
 */
#include "fix.h"

enum { WORK_BETWEEN = 2048 };

static bool is_wanted(const fix_pulse *pulse) {
    return pulse->phase == SMP_FIX_SEARCHING ? pulse->wish == SMP_FIX_GO_ON : !pulse->gives_up;
}

bool fix_is_wanted(const smp_fix *fix) {
    return !fix->pulse || is_wanted(fix->pulse);
}

bool fix_goes_on(const smp_fix *fix, uint32_t work) {
    fix_pulse *pulse = fix->pulse;
    if (!pulse || !pulse->ask)
        return true;
    pulse->work += work;
    if (pulse->work < pulse->next)
        return is_wanted(pulse);
    pulse->next = pulse->work + WORK_BETWEEN;
    smp_fix_wish wish = pulse->ask(pulse->user, pulse->phase, pulse->done);
    if (pulse->phase == SMP_FIX_SEARCHING && pulse->wish == SMP_FIX_GO_ON)
        pulse->wish = wish;
    else if (pulse->phase != SMP_FIX_SEARCHING)
        pulse->gives_up |= wish == SMP_FIX_INTERRUPT;
    return is_wanted(pulse);
}

bool fix_request_goes_on(void *user) {
    const smp_fix *fix = user;
    if (fix->pulse)
        fix->pulse->done++;
    return fix_goes_on(fix, 1);
}

void fix_phase_begin(smp_fix *fix, smp_fix_phase phase) {
    if (!fix->pulse)
        return;
    fix->pulse->phase = phase;
    fix->pulse->done = 0;
}

smp_status fix_interrupted(smp_error *error) {
    return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
}
