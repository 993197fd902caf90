/* SPDX-License-Identifier: MIT */
/*
 * Layouts as reports: every access of one layout on one architecture. Internal to the analyzer.
 */
#pragma once

#include "smp_layout.h"
#include "smp_prediction.h"

typedef struct smp_layout_prediction {
    const char *file; /* NULL: from the command line */
    const smp_layout *layout;
    smp_arch arch; /* a copy, with the bank mode in force */
    size_t count;
    smp_totals *totals;     /* one an access */
    smp_measured *measured; /* for their worst requests; NULL: not looked up */
} smp_layout_prediction;

/* Evaluates all accesses. `totals` must be freed with smp_layout_prediction_clear, also after
 * failure; on failure *line and error->position name the place. */
smp_status smp_layout_prediction_fill(smp_layout_prediction *report, const char *file,
                                      const smp_layout *layout, const smp_arch *arch,
                                      unsigned *line, smp_error *error);
/* Measures the worst requests that the model has a count for, or, where `probe` is NULL, looks them
 * up among what is recorded. */
smp_status smp_layout_prediction_measure(smp_layout_prediction *report, smp_probe *probe,
                                         smp_error *error);
void smp_layout_prediction_clear(smp_layout_prediction *report);

/* The worst request of access `index` as a report of its own, with what was measured of it. */
void smp_layout_prediction_worst(const smp_layout_prediction *report, size_t index,
                                 smp_prediction *out);
/* The mean and the standard deviation of the wavefronts (or transactions) of a request that given
 * data decide; false: no data decide it. */
bool smp_layout_spread(const smp_totals *totals, double *mean, double *deviation);
/* The sums of one launch of the block. With random data, whose sums are over all draws, the rounded
 * mean of the draws, so that figures of such accesses can stand beside others. */
smp_totals smp_totals_of_launch(const smp_totals *totals);
/* Whether they cost the same, as far as is known, by evidence of one kind. */
bool smp_totals_alike(const smp_totals *a, const smp_totals *b);
/* A single access as the sums of one request. */
smp_totals smp_totals_of_one(const smp_prediction *one);
