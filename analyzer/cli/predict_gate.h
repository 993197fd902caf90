/* SPDX-License-Identifier: MIT */
/* --max-ways and --max-excess of accesses that are predicted. */
#pragma once

#include "command.h"
#include "smp_layout.h"

typedef struct predict_gate {
    int64_t max_ways, max_excess; /* -1 if not given */
    unsigned judged, broken;      /* accesses times architectures */
} predict_gate;

smp_status predict_gate_ask(const arguments *args, predict_gate *out, smp_error *error);
/* Judges one access and reports what exceeds a limit. `text` is the access as given, or NULL if
 * given by options. */
void predict_gate_judge(predict_gate *gate, const smp_arch *arch, const smp_totals *totals,
                        const char *text, size_t length);
/* The exit status: 1 if a limit was exceeded; 3, with a message, if nothing could be judged. */
int predict_gate_end(const predict_gate *gate);
