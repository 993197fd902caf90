/* SPDX-License-Identifier: MIT */
/*
 * A grid may have billions of blocks, so no launch runs without an end: an alarm sets the flag that
 * the emulation looks at.
 */
#define _POSIX_C_SOURCE 200809L
#include "emulate_budget.h"
#include "command.h"
#include "number.h"
#include "say.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_USUAL = 600, SECONDS_MOST = 1000000000 };

static volatile int is_over;
static bool is_asked;
static uint64_t seconds = SECONDS_USUAL;

smp_status emulate_ask_limits(const char *text, emulate_limits *out, smp_error *error) {
    char block[32];
    const char *colon = strchr(text, ':');
    (void)snprintf(block, sizeof block, "%.*s", (int)strcspn(text, ":"), text);
    smp_status status = number_parse(block, "limit", INT64_MAX, &out->block, error);
    if (status == SMP_OK && colon)
        status = number_parse(colon + 1, "limit", INT64_MAX, &out->launch, error);
    return status == SMP_OK && (out->block == 0 || (colon && out->launch == 0))
               ? smp_error_set(error, SMP_E_USAGE, -1, "--limit 0: nothing would run")
               : status;
}

static void on_alarm(int number) {
    (void)number;
    is_over = 1;
}

smp_status emulate_budget_start(const arguments *args, smp_error *error) {
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    is_asked = has(args, OPTION_BUDGET);
    const smp_status status = is_asked ? number_parse(last_value(args, OPTION_BUDGET), "budget",
                                                      SECONDS_MOST, &seconds, error)
                                       : SMP_OK;
    if (status == SMP_OK && seconds > 0 && sigaction(SIGALRM, &action, NULL) == 0)
        (void)alarm((unsigned)seconds);
    return status;
}

const volatile int *emulate_budget_stop(void) {
    return &is_over;
}

void emulate_say_output(const smp_emulation *done) {
    if (done->output_dropped > 0)
        say_line("smemprobe: %" PRIu64
                 " calls of printf are not printed whole: a launch prints 1 MiB, as "
                 "CUDA's buffer holds where nothing else is set",
                 done->output_dropped);
}

int emulate_budget_say(const smp_emulation *done, smp_kernel_profile *kernel) {
    char text[240];
    if (!done->is_stopped)
        return 0;
    (void)snprintf(text, sizeof text,
                   "stopped after %" PRIu64 " s (--budget): %" PRIu64 " of %" PRIu64
                   " blocks or clusters had begun, and the figures are of what ran",
                   seconds, done->clusters_begun, done->cluster_count);
    say_line("smemprobe: %s%s", text, is_asked ? "" : "; --budget 0 is no limit");
    free(kernel->not_seen);
    kernel->not_seen = strdup(text);
    return !is_asked;
}
