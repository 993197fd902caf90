/* SPDX-License-Identifier: MIT */
/* Witnesses: counters or clocks. Internal to the analyzer. */
#pragma once

#include "note.h"
#include "smp_prediction.h"

typedef struct witness_choice {
    smp_witness first;
    bool and_clocks; /* "both": counters and clocks */
} witness_choice;

/* Measures by counters and, if `choice` says so, clocks; marks contradictions. Measurements not
 * reached are unchanged; see measured[i]->origin. */
smp_status witness_read(smp_probe *probe, const witness_choice *choice, const smp_access *accesses,
                        size_t count, smp_measured *const *measured, smp_progress_fn progress,
                        void *user, smp_error *error);
/* Adds clocks to the measurement of one access. */
smp_status witness_add_clocks(smp_probe *probe, const smp_access *access, smp_measured *measured,
                              smp_error *error);
/* Notes why clocks were used, if they were: `why` then has a status. */
void witness_explain_why(const smp_error *why, const note_sink *notes);
void witness_explain(const smp_probe *probe, const note_sink *notes);
