/* SPDX-License-Identifier: MIT */
/*
 * What is said of candidates of a kernel (judged.h).
 */
#pragma once

#include <stdio.h>

#include "judged.h"
#include "style.h"

/* The document of one candidate: a line of JSON. */
void smp_judged_jsonl(FILE *out, const judged *of);

/* The name by which it is reported. */
const char *smp_judged_name(const judged_candidate *of);

typedef struct smp_judged_row {
    size_t index; /* as it was given */
    const char *name;
    judged_summary summary;
} smp_judged_row;

/* Sorts the rows: the best first, those that are not right last. */
void smp_judged_text(FILE *out, smp_judged_row *rows, size_t count, smp_style style);
