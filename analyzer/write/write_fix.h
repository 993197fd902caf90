/* SPDX-License-Identifier: MIT */
/*
 * The writers of what fix found.
 */
#ifndef WRITE_FIX_H
#define WRITE_FIX_H

#include <stdio.h>

#include "fix_measure.h"
#include "profile_worth.h"
#include "style.h"

/* The report of a fix; `file`, `trials` and `worth` may be NULL, what else is there is for text. */
typedef struct fix_shown {
    const smp_fix *fix;
    const char *file;
    const fix_trials *trials;
    const fix_worth *worth;
    bool explains;
    smp_style style;
} fix_shown;

void fix_text(FILE *out, const fix_shown *shown);
void fix_json(FILE *out, const fix_shown *shown);
void fix_csv(FILE *out, const fix_shown *shown);

#endif
