/* SPDX-License-Identifier: MIT */
/*
 * Known violations of a gate, its debts. A check with a baseline fails only for violations that are
 * not in it or are worse than it says. A baseline can only shrink. It is text, one debt per line,
 * sorted, so that its diff shows what was fixed.
 */
#pragma once

#include "check_files.h"

typedef struct smp_debt {
    char *key;      /* "ARCH <tab> FILE <tab> RULE <tab> ACCESS" */
    uint64_t value; /* the bounded value: a larger one is worse than the known violation */
    uint64_t now;   /* the current value, if it was found */
    bool is_found;  /* it is still a violation */
    /* Its file was checked for its architecture, or no longer exists. */
    bool is_looked_at;
} smp_debt;

typedef struct smp_baseline {
    smp_debt *debts; /* sorted by key; one per violation */
    size_t count;
} smp_baseline;

/* SMP_E_READ if the file cannot be read, SMP_E_SYNTAX with the line if it is not a baseline. Always
 * clear it. */
smp_status smp_baseline_read(const char *path, smp_baseline *out, smp_error *error);
/* Violations that match a debt and are no worse become SMP_KNOWN; each uses up one debt. SMP_OK or
 * SMP_E_MEMORY. */
smp_status smp_baseline_apply(smp_baseline *baseline, smp_check *check, smp_error *error);
/* The number of checked debts that were not found: they are paid. */
size_t smp_baseline_paid(const smp_baseline *baseline);
void smp_baseline_clear(smp_baseline *baseline);

/* Applies the baseline file to `check` and reports how many debts are paid. `updates`: rewrites the
 * file without those, or creates it with all violations. */
smp_status smp_baseline_use(const char *path, bool updates, smp_check *check, smp_error *error);
