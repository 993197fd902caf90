/* SPDX-License-Identifier: MIT */
/*
 * --max-ways and --max-excess of accesses that are predicted.
 */
#pragma once

#include "command.h"
#include "smp_layout.h"

typedef struct predict_gate {
    int64_t max_ways, max_excess; /* -1: not asked for */
    unsigned judged, broken;      /* accesses, each on each architecture */
} predict_gate;

smp_status predict_gate_ask(const arguments *args, predict_gate *out, smp_error *error);
/* One access; what is above a bound is said. `text`: as it was given, NULL: by options. */
void predict_gate_judge(predict_gate *gate, const smp_arch *arch, const smp_totals *totals,
                        const char *text, size_t length);
/* The exit status: 1 above a bound; 3, and said, where nothing could be judged. */
int predict_gate_end(const predict_gate *gate);
