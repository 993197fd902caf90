/* SPDX-License-Identifier: MIT */
/* Judges predicted accesses by a bound. */
#pragma once

#include "layout_cost.h"
#include "profile_gate.h"

typedef struct access_gate {
    smp_gate_bound bound;
    const note_sink *notes;  /* told what exceeds it */
    unsigned judged, broken; /* accesses times architectures */
} access_gate;

/* `text` is the access as given; NULL if it was given by options. */
void access_gate_judge(access_gate *gate, const smp_arch *arch, const smp_totals *totals,
                       const char *text, size_t length);
