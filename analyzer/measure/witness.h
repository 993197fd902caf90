/* SPDX-License-Identifier: MIT */
/*
 * Witnesses: who says what an access cost. Internal to the analyzer.
 */
#pragma once

#include "note.h"
#include "smp_prediction.h"

typedef struct witness_choice {
    smp_witness first;
    bool and_clocks; /* "both": counters, and clocks beside them */
} witness_choice;

/* Asks both, the clocks only if `choice` says so; marks where the clocks do not fit. What was not
 * reached stays as it was: measured[i]->source says so. */
smp_status witness_read(smp_probe *probe, const witness_choice *choice, const smp_access *accesses,
                        size_t count, smp_measured *const *measured, smp_progress_fn progress,
                        void *user, smp_error *error);
/* Asks the clocks about one access that the counters have answered for. */
smp_status witness_add_clocks(smp_probe *probe, const smp_access *access, smp_measured *measured,
                              smp_error *error);
/* Says why clocks took over, if they did: `why` has a status then. */
void witness_explain_why(const smp_error *why, const note_sink *notes);
void witness_explain(const smp_probe *probe, const note_sink *notes);
