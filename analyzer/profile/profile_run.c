/* SPDX-License-Identifier: MIT */
/*
 * One run of a profile: begun, ended, given back, compared.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profile.h"
#include "profile_order.h"

void smp_run_clear(smp_run *run) {
    free(run->command);
    free(run->device);
    free(run->driver);
    free(run->date);
    free(run->host);
    free(run->memory);
    free(run->ended);
    memset(run, 0, sizeof *run);
}

int smp_run_compare(const smp_run *a, const smp_run *b) {
    int order = text_compare(a->date, b->date);
    if (order == 0)
        order = text_compare(a->host, b->host);
    if (order != 0)
        return order;
    COMPARE_NUMBERS(a->process, b->process);
    COMPARE_NUMBERS(a->engine, b->engine);
    order = text_compare(a->memory, b->memory);
    if (order != 0)
        return order;
    order = text_compare(a->command, b->command);
    if (order == 0)
        order = text_compare(a->device, b->device);
    if (order == 0)
        order = text_compare(a->driver, b->driver);
    return order != 0 ? order : text_compare(a->ended, b->ended);
}

smp_run *smp_profile_begin_run(smp_profile *profile, smp_engine engine, const char *command,
                               const char *device) {
    char date[32];
    struct tm utc;
    const time_t now = time(NULL);
    smp_run *run = smp_profile_add_run(profile);
    if (!run)
        return NULL;
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    run->engine = engine;
    run->command = strdup(command);
    run->device = device ? strdup(device) : NULL;
    run->date = strdup(date);
    return run->command && run->date && (run->device || !device) ? run : NULL;
}

void smp_profile_note_end(smp_profile *profile, uint64_t process, int signal, bool keeps) {
    char text[600];
    for (uint32_t i = 0; signal != 0 && i < profile->run_count; i++) {
        smp_run *run = &profile->runs[i];
        const char *before = keeps && run->ended ? run->ended : "";
        if (run->process != process)
            continue;
        (void)snprintf(text, sizeof text, "killed by signal %d (%s)%s%s", signal, strsignal(signal),
                       before[0] ? "; " : "", before);
        char *copy = strdup(text);
        if (copy) {
            free(run->ended);
            run->ended = copy;
        }
    }
}
