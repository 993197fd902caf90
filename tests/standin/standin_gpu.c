/* SPDX-License-Identifier: MIT */
/*
 * The counters and the clock of the GPU that is not there. A wavefront or sector takes one cycle of
 * 1 GHz.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smp_probes.h"
#include "standin.h"

enum { COUNTERS_MAX = 64 };

static struct {
    const char *metric;
    double value;
} counters[COUNTERS_MAX];
static double clock_us;

static double *find(const char *metric) {
    size_t i = 0;
    while (i < COUNTERS_MAX - 1 && counters[i].metric && strcmp(counters[i].metric, metric) != 0)
        i++;
    if (!counters[i].metric)
        counters[i].metric = metric;
    return &counters[i].value;
}

static const smp_arch *own_arch(void) {
    const long cc = standin_number("cc", 90);
    const smp_arch *row = smp_arch_of_cc((int)(cc / 10), (int)(cc % 10));
    return row ? row : smp_arch_of_cc(9, 0);
}

uint64_t standin_cost(const smp_access *access) {
    smp_counts counts;
    if (smp_predict(own_arch(), access, &counts) != SMP_OK)
        return 0;
    const uint64_t cost =
        counts.valid & SMP_HAS_WAVEFRONTS ? counts.wavefronts_max : counts.transactions;
    const bool is_wrong = counts.active_lanes >= standin_number("wrong-lanes", 0);
    return cost + (uint64_t)(is_wrong ? standin_number("wrong", 0) : 0);
}

void standin_run_access(const smp_access *access, uint64_t times) {
    const smp_counter *row = smp_counter_of(access->op);
    const uint64_t cost = standin_cost(access) * times;
    if (row)
        *find(row->metric) += (double)cost;
    standin_spend((double)cost / 1e3);
}

void standin_count(smp_op op, uint64_t count) {
    const smp_counter *row = smp_counter_of(op);
    if (row && count > 0)
        *find(row->metric) += (double)count + (double)standin_number("wrong", 0);
    standin_spend((double)count / 1e3);
}

double standin_counter(const char *metric) {
    for (size_t i = 0; i < COUNTERS_MAX && counters[i].metric; i++)
        if (strcmp(counters[i].metric, metric) == 0)
            return counters[i].value;
    return 0;
}

void standin_spend(double microseconds) {
    clock_us += microseconds;
}

double standin_clock_us(void) {
    return clock_us;
}
