/* SPDX-License-Identifier: MIT */
/*
 * A grid may have billions of blocks, so no launch runs without an end: an alarm sets the flag that
 * the emulation looks at.
 */
#define _POSIX_C_SOURCE 200809L
#include "budget.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int is_over;
static bool was_asked;
static uint64_t budget;

static void on_alarm(int number) {
    (void)number;
    is_over = 1;
}

void emulate_budget_start(uint64_t seconds, bool is_asked) {
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    was_asked = is_asked;
    budget = seconds;
    if (seconds > 0 && sigaction(SIGALRM, &action, NULL) == 0)
        (void)alarm((unsigned)seconds);
}

const volatile int *emulate_budget_stop(void) {
    return &is_over;
}

void emulate_note_output(const smp_emulation *done, const note_sink *notes) {
    if (done->output_dropped > 0)
        note_add(notes,
                 "%" PRIu64 " calls of printf are not printed whole: a launch prints 1 MiB, as "
                 "CUDA's buffer holds where nothing else is set",
                 done->output_dropped);
}

int emulate_budget_note(const smp_emulation *done, smp_kernel_profile *kernel,
                        const note_sink *notes) {
    char text[240];
    if (!done->is_stopped)
        return 0;
    (void)snprintf(text, sizeof text,
                   "stopped after %" PRIu64 " s (--budget): %" PRIu64 " of %" PRIu64
                   " blocks or clusters had begun, and the figures are of what ran",
                   budget, done->clusters_begun, done->cluster_count);
    note_add(notes, "%s%s", text, was_asked ? "" : "; --budget 0 is no limit");
    free(kernel->not_seen);
    kernel->not_seen = strdup(text);
    return !was_asked;
}
