/* SPDX-License-Identifier: MIT */
#include "access_gate.h"

void access_gate_judge(access_gate *gate, const smp_arch *arch, const smp_totals *totals,
                       const char *text, size_t length) {
    const smp_gate_bound each[] = {{gate->bound.max_ways, -1}, {-1, gate->bound.max_excess}};
    bool is_above = false;
    char words[160];
    if (!(totals->valid & SMP_HAS_WAVEFRONTS))
        return;
    for (unsigned i = 0; i < 2; i++) {
        if (smp_gate_bound_words(&each[i], totals->ways, totals->excess, words, sizeof words) == 0)
            continue;
        is_above = true;
        note_add(gate->notes, "%s: %s%s%.*s%s", arch->name, words, text ? ", for '" : "",
                 (int)length, text ? text : "", text ? "'" : "");
    }
    gate->judged++;
    gate->broken += is_above;
}
