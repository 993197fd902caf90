/* SPDX-License-Identifier: MIT */
/*
 * The subject of a sentence of `fix`: one random array, the form it was given, and
 * the cost of its accesses in any form, by the tests' own reference; judges of obstacles.
 */
#pragma once

#include "fix_problem.h"
#include "sentence_reader.h"

typedef struct matter {
    const fix_problem *p;
    const smp_fix *fix;
    smp_fix_form keep, chosen;
    uint32_t numbers;           /* elements as declared */
    uint64_t max_bytes;         /* 0: no limit */
    const struct matter *other; /* the array beside it, or NULL */
} matter;

bool matter_is_text(const claim_slot *slot, const char *text);
const problem_access *matter_access(const matter *m, const claim_slot *slot);
bool matter_form(const matter *m, const claim_slot *slot, smp_fix_form *out);
uint32_t matter_place(const matter *m, const smp_fix_form *form, uint32_t number);
problem_cost matter_cost(const matter *m, const problem_access *a, const smp_fix_form *form);
bool matter_frees(const matter *m, const problem_access *a, const smp_fix_form *form);
bool matter_frees_all(const matter *m, const smp_fix_form *form, const smp_arch *arch);
uint64_t matter_excess(const matter *m, const smp_fix_form *form);

/* True if the sentence with these slots is true of the matter. */
bool judge_without(const matter *m, const claim_slot *s);
bool judge_never_free(const matter *m, const claim_slot *s);
bool judge_spaces(const matter *m, const claim_slot *s);
bool judge_together(const matter *m, const claim_slot *s);
bool judge_steps(const matter *m, const claim_slot *s);
bool judge_memory(const matter *m, const claim_slot *s);
bool judge_placed(const matter *m, const claim_slot *s);
bool judge_type(const matter *m, const claim_slot *s);
bool judge_stride(const matter *m, const claim_slot *s);
bool judge_fixed(const matter *m, const claim_slot *s);
