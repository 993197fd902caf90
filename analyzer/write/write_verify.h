/* SPDX-License-Identifier: MIT */
/*
 * The writers of verifications.
 */
#ifndef WRITE_VERIFY_H
#define WRITE_VERIFY_H

#include <stdio.h>

#include "smp_probes.h"
#include "smp_verify.h"
#include "style.h"

typedef struct smp_verify_shown {
    const smp_verify_job *job;
    const smp_verify_result *result;
    const smp_device *device;
    const smp_arch *arch;
    const char *date; /* "2026-01-31" */
    bool by_clocks, interrupted;
} smp_verify_shown;

void smp_verify_text(FILE *out, const smp_verify_shown *c, smp_style style);
void smp_verify_json(FILE *out, const smp_verify_shown *c, smp_style style);
void smp_verify_csv(FILE *out, const smp_verify_shown *c, smp_style style);
/* The access that differs; the rows of CSV have no place for it. */
void smp_verify_mismatch_text(FILE *out, const smp_verify_shown *c, smp_style style);

#endif
