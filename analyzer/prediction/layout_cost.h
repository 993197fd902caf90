/* SPDX-License-Identifier: MIT */
/* Predictions for every access of a layout on one architecture. Internal to the analyzer. */
#pragma once

#include "smp_layout.h"
#include "smp_prediction.h"

typedef struct smp_layout_prediction {
    const char *file; /* NULL: from the command line */
    const smp_layout *layout;
    smp_arch arch; /* a copy, with the bank mode in force */
    size_t count;
    smp_totals *totals;     /* one per access */
    smp_measured *measured; /* for the worst requests; NULL if not looked up */
} smp_layout_prediction;

/* Evaluates all accesses. Free with smp_layout_prediction_clear, also after failure. On failure
 * *line and error->position give the place. */
smp_status smp_layout_prediction_fill(smp_layout_prediction *report, const char *file,
                                      const smp_layout *layout, const smp_arch *arch,
                                      unsigned *line, smp_error *error);
/* Measures the worst requests for which the model has a count or, if `probe` is NULL, looks them up
 * in the recordings. */
smp_status smp_layout_prediction_measure(smp_layout_prediction *report, smp_probe *probe,
                                         smp_error *error);
void smp_layout_prediction_clear(smp_layout_prediction *report);

/* The worst request of access `index`, with its measurement. */
void smp_layout_prediction_worst(const smp_layout_prediction *report, size_t index,
                                 smp_prediction *out);
/* Mean and standard deviation of the wavefronts (or transactions) of a request that depends on
 * given data; false if it does not. */
bool smp_layout_spread(const smp_totals *totals, double *mean, double *deviation);
/* The sums for one launch of the block. For random data, whose sums cover all draws, the rounded
 * mean per draw, so that figures are comparable. */
smp_totals smp_totals_of_launch(const smp_totals *totals);
/* True if costs and kind of evidence are equal. */
bool smp_totals_alike(const smp_totals *a, const smp_totals *b);
/* The sums of a single request. */
smp_totals smp_totals_of_one(const smp_prediction *one);
