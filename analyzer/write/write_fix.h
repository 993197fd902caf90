/* SPDX-License-Identifier: MIT */
/*
 * The writers of what fix found.
 */
#ifndef WRITE_FIX_H
#define WRITE_FIX_H

#include <stdio.h>

#include "fix_measure.h"
#include "style.h"

/* The report. `file` and `trials` may be NULL. */
void fix_print(FILE *out, const smp_fix *fix, const char *file, smp_style style, bool explains);
void fix_json(FILE *out, const smp_fix *fix, const fix_trials *trials);
void fix_csv(FILE *out, const smp_fix *fix);

void fix_trials_print(FILE *out, const fix_trials *trials, smp_style style);

#endif
