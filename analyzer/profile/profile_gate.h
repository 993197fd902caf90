/* SPDX-License-Identifier: MIT */
/*
 * What lines of a program may cost: one bound for all, and rules by kernel and line, in a file:
 *
 *   # KERNEL          PLACE            BOUNDS
 *   ^sgemm            sgemm.cu:20-40   ways <= 2
 *   "scan<int, 4>"    *                ways <= 4  excess <= 1000
 *   *                 fft.cu           any
 *
 * KERNEL is a regular expression, as for --kernel (in quotes where it has blanks), PLACE a file
 * or the end of its path, with lines or without; * is any. The first rule that fits a line decides;
 * where none does, the bound for all.
 */
#pragma once

#include "note.h"
#include "smp_model.h"

/* profile_rank.h */
typedef struct smp_profile_line smp_profile_line;
typedef struct smp_ranking smp_ranking;

typedef struct smp_gate_bound {
    int64_t max_ways, max_excess; /* wavefronts; -1: none */
} smp_gate_bound;

typedef struct smp_gate_rule smp_gate_rule;

typedef struct smp_profile_gate {
    smp_gate_bound all;
    const char *file; /* of the rules, the caller's; NULL: none */
    smp_gate_rule *rules;
    size_t rule_count;
} smp_profile_gate;

/* Adds the rules in `text`, which `file` holds. SMP_E_SYNTAX with "FILE:LINE:COLUMN: what is
 * wrong", or SMP_E_MEMORY. */
smp_status smp_gate_parse(const char *file, const char *text, size_t length, smp_profile_gate *out,
                          smp_error *error);
void smp_gate_clear(smp_profile_gate *gate);

/* True if nothing is asked for. */
bool smp_gate_is_empty(const smp_profile_gate *gate);

/* True if the line costs more. */
bool smp_gate_breaks(const smp_profile_gate *gate, const smp_profile_line *line);

/* "ways is 32, but at most 2 may be (rules.gate:3)" of a line that costs more; its length. */
size_t smp_gate_words(const smp_profile_gate *gate, const smp_profile_line *line, char *text,
                      size_t size);

/* What a gate would have had to see to judge anything: "no kernel was seen"; 0: it has. `text` may
 * be cut; its length. */
size_t smp_gate_unseen(const smp_profile_gate *gate, const smp_ranking *ranking, char *text,
                       size_t size);

/* Rule number `index` that decides on no line of the ranking: its line in the file; 0: there are no
 * more. A rule that was mistyped would otherwise pass for good. */
unsigned smp_gate_unused(const smp_profile_gate *gate, const smp_ranking *ranking, size_t index);

/* profile_judge.c: how many lines cost more; each is noted, as is each rule that decides on none.
 */
uint32_t smp_gate_judge(const smp_profile_gate *gate, const smp_ranking *ranking,
                        const note_sink *notes);
