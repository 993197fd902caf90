/* SPDX-License-Identifier: MIT */
/* Measures the candidates of a fix on a GPU. Internal to the analyzer. */
#pragma once

#include "fix_report.h"
#include "smp_probes.h"

enum { FIX_TRIALS_MAX = 96 };

/* One form of one array on the GPU: sums over all requests. */
typedef struct fix_trial {
    const fix_array *array;
    smp_fix_form form;
    size_t first, count; /* range of accesses */
    uint64_t predicted, measured;
    uint64_t unmeasured, open; /* requests not counted; requests without a rule */
    size_t differing;          /* accesses whose count differs from the prediction */
} fix_trial;

typedef struct fix_trials {
    smp_device device;
    const char *command; /* that measures them, for a recorded file */
    uint32_t count;
    fix_trial item[FIX_TRIALS_MAX];
    size_t access_count, done;
    smp_access *accesses;
    uint64_t *times;
    smp_reading *readings;
    size_t differing;
} fix_trials;

/* Runs the forms of every table, and other arrays unchanged. Always clear *out; on failure it holds
 * the measurements so far. */
smp_status fix_measure(const smp_fix *fix, smp_probe *probe, smp_progress_fn progress, void *user,
                       fix_trials *out, smp_error *error);
void fix_trials_clear(fix_trials *trials);
/* Writes the trials as a recorded file whose keys are lines of the batch format. */
bool fix_trials_record(FILE *file, const void *trials);
