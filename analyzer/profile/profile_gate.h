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
    int64_t max_ways, max_excess; /* wavefronts; -1 if none */
} smp_gate_bound;

typedef struct smp_gate_rule smp_gate_rule;

typedef struct smp_profile_gate {
    smp_gate_bound all;
    const char *file; /* file of the rules, owned by the caller; NULL if none */
    smp_gate_rule *rules;
    size_t rule_count;
} smp_profile_gate;

/* Adds the rules in `text`, which `file` holds. SMP_E_SYNTAX with "FILE:LINE:COLUMN: what is
 * wrong", or SMP_E_MEMORY. */
smp_status smp_gate_parse(const char *file, const char *text, size_t length, smp_profile_gate *out,
                          smp_error *error);
void smp_gate_clear(smp_profile_gate *gate);

/* Writes what exceeds the bound, "32-way, at most 2-way is allowed"; returns its length, 0 if
 * nothing does. */
size_t smp_gate_bound_words(const smp_gate_bound *bound, uint32_t ways, uint64_t excess, char *text,
                            size_t size);

/* True if it has no bounds. */
bool smp_gate_is_empty(const smp_profile_gate *gate);

/* True if the line exceeds its bound. */
bool smp_gate_breaks(const smp_profile_gate *gate, const smp_profile_line *line);

/* Writes "ways is 32, but at most 2 may be (rules.gate:3)" for a line above its bound; returns its
 * length. */
size_t smp_gate_words(const smp_profile_gate *gate, const smp_profile_line *line, char *text,
                      size_t size);

/* Writes why a gate could judge nothing, "no kernel was seen", and returns its length; 0 if it
 * could. `text` may be truncated. */
size_t smp_gate_unseen(const smp_profile_gate *gate, const smp_ranking *ranking, char *text,
                       size_t size);

/* Returns the line number of the `index`th rule that matches no line of the ranking; 0 if there are
 * no more. A mistyped rule would otherwise always pass. */
unsigned smp_gate_unused(const smp_profile_gate *gate, const smp_ranking *ranking, size_t index);

/* Returns the number of lines above their bounds. Notes each of them, and each rule that matches
 * none. */
uint32_t smp_gate_judge(const smp_profile_gate *gate, const smp_ranking *ranking,
                        const note_sink *notes);
