/* SPDX-License-Identifier: MIT */
/*
 * baseline.h: old debts of a gate. A baseline lists what is violated and known: a check that has
 * one fails only where something is violated that is not in it, or is worse than it says. It can
 * only shrink. Text, a debt a line, sorted, so that its own diff shows what was paid.
 */
#pragma once

#include "check_files.h"

typedef struct smp_debt {
    char *key;      /* "ARCH <tab> FILE <tab> RULE <tab> ACCESS" */
    uint64_t value; /* of what the rule bounds: more is worse than what is known */
    uint64_t now;   /* what it is, if it was found */
    bool is_found;  /* it is still violated */
    /* Its file was looked at, for its architecture, or is no longer there. */
    bool is_looked_at;
} smp_debt;

typedef struct smp_baseline {
    smp_debt *debts; /* sorted by key, as often as it is violated */
    size_t count;
} smp_baseline;

/* SMP_E_READ if the file cannot be read, SMP_E_SYNTAX with its line if it is no baseline. To be
 * cleared in any case. */
smp_status smp_baseline_read(const char *path, smp_baseline *out, smp_error *error);
/* Each violation that is in it and no worse becomes SMP_KNOWN, and its debt is found: one debt for
 * each. SMP_E_MEMORY. */
smp_status smp_baseline_apply(smp_baseline *baseline, smp_check *check, smp_error *error);
/* How many were looked for and not found: they are paid. */
size_t smp_baseline_paid(const smp_baseline *baseline);
void smp_baseline_clear(smp_baseline *baseline);

/* Takes the violations that the file knows from `check`, and notes how many are gone. `updates`:
 * writes it without these, or, where it is not there, with all violations. */
smp_status smp_baseline_use(const char *path, bool updates, smp_check *check, smp_error *error);
