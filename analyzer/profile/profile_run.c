/* SPDX-License-Identifier: MIT */
/*
 * One run of a profile: given back, compared.
 */
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
