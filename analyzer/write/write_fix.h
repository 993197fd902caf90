/* SPDX-License-Identifier: MIT */
/*
 * What fix found, as it is shown.
 */
#ifndef WRITE_FIX_H
#define WRITE_FIX_H

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

#endif
