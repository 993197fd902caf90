/* SPDX-License-Identifier: MIT */
/*
 * The time that removing conflicts can save (model/FINDINGS.md, 13).
 *
 * A multiprocessor's data stage serves one wavefront per cycle. The blocks of a launch are
 * spread evenly, so the busiest multiprocessor has ceil(blocks / multiprocessors) of them and
 * serves that share of the wavefronts. The highest clock gives the least time for them. A kernel
 * with a lower clock, or whose warps wait for each other, can save up to 1.3 times the time of
 * its excess, but never more than the time beyond a copy of the same bytes or the remaining
 * wavefronts. Both factors come from 72 pairs of kernels on two GH100.
 */
#include "gain.h"

#include <math.h>
#include <stdbool.h>

#include "list.h"

#define ABOUT 0.85

/* NVIDIA's data sheets; the clock is the driver's (cudaDevAttrClockRate). */
static const smp_gpu_rates rows[] = {
    {"NVIDIA H100 80GB HBM3", 132, 1980000},
    {"NVIDIA H200", 132, 1980000},
};

const smp_gpu_rates *smp_gpu_rates_find(const char *name) {
    return ROWS_FIND(rows, name);
}

/* The share of all wavefronts on the multiprocessor with the most blocks. */
static double largest_share(double blocks, uint32_t multiprocessors) {
    const uint64_t whole = (uint64_t)(blocks / multiprocessors);
    const double most =
        (double)whole * multiprocessors < blocks ? (double)whole + 1 : (double)whole;
    return blocks > 0 ? most / blocks : 1.0 / multiprocessors;
}

smp_gain smp_gain_predict(const smp_gain_ask *ask) {
    const bool is_known = ask->multiprocessors > 0 && ask->clock_khz > 0;
    const double share =
        ask->share > 0 || !is_known ? ask->share : largest_share(ask->blocks, ask->multiprocessors);
    const double us = is_known ? share * 1e3 / ask->clock_khz : 0;
    const double excess_us = ask->excess * us, rest_us = (ask->wavefronts - ask->excess) * us;
    const double above_us = fmax(ask->time_us - fmax(rest_us, ask->copy_us), 0);
    return (smp_gain){.stage_us = fmin(ask->wavefronts * us, ask->time_us),
                      .most_us = fmin(SMP_GAIN_MOST * excess_us, above_us),
                      .about_us = ABOUT * fmin(excess_us, above_us)};
}
