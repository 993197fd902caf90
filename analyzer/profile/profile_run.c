/* SPDX-License-Identifier: MIT */
/*
 * One run of a profile: given back, copied, compared.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

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

static bool copy_text(const char *from, char **to) {
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

bool smp_run_copy(const smp_run *from, smp_run *to) {
    *to = (smp_run){.engine = from->engine, .process = from->process};
    if (copy_text(from->command, &to->command) && copy_text(from->device, &to->device) &&
        copy_text(from->driver, &to->driver) && copy_text(from->date, &to->date) &&
        copy_text(from->host, &to->host) && copy_text(from->memory, &to->memory) &&
        copy_text(from->ended, &to->ended))
        return true;
    smp_run_clear(to);
    return false;
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

void smp_profile_drop_run(smp_profile *profile) {
    smp_run_clear(&profile->runs[--profile->run_count]);
}
