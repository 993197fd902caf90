/* SPDX-License-Identifier: MIT */
/*
 * Judges a profile by a gate: which lines exceed it, which rules match none, and whether there was
 * anything to judge.
 */
#include <inttypes.h>

#include "profile_gate.h"
#include "profile_rank.h"
#include "source_line.h"

static void note_line(const smp_profile_gate *gate, const smp_profile_line *line,
                      const note_sink *notes) {
    char words[400];
    (void)smp_gate_words(gate, line, words, sizeof words);
    if (line->frame)
        note_add(notes, "%s:%" PRIu32 ": error: %s",
                 line->frame->file ? smp_source_shown(line->frame->file) : "?", line->frame->line,
                 words);
    else
        note_add(notes, "%s+0x%" PRIx32 ": error: %s", line->kernel->name,
                 line->sites[0]->offset_bytes, words);
}

uint32_t smp_gate_judge(const smp_profile_gate *gate, const smp_ranking *ranking,
                        const note_sink *notes) {
    uint32_t above = 0;
    unsigned unused;
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        if (!smp_gate_breaks(gate, &ranking->lines[i]))
            continue;
        note_line(gate, &ranking->lines[i], notes);
        above++;
    }
    for (size_t i = 0; (unused = smp_gate_unused(gate, ranking, i)) > 0; i++)
        note_add(notes, "%s:%u: warning: this rule decides on no line", gate->file, unused);
    return above;
}
