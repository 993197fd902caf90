/* SPDX-License-Identifier: MIT */
/* Reports of judged candidates (judged.h). */
#pragma once

#include <stdio.h>

#include "judged.h"
#include "style.h"

/* Writes the document of one candidate as a line of JSON. */
void smp_judged_jsonl(FILE *out, const judged *of);

/* The candidate's name in reports. */
const char *smp_judged_name(const judged_candidate *of);

typedef struct smp_judged_row {
    size_t index; /* position in the input */
    const char *name;
    judged_summary summary;
} smp_judged_row;

/* Sorts the rows, best first and incorrect ones last, and writes a table. */
void smp_judged_text(FILE *out, smp_judged_row *rows, size_t count, smp_style style);
