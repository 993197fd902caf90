/* SPDX-License-Identifier: MIT */
/*
 * The writers of what counters mean.
 */
#ifndef WRITE_EXPLAIN_H
#define WRITE_EXPLAIN_H

#include <stdio.h>

#include "explain_counters.h"
#include "style.h"

void ncu_explain_text(FILE *out, const ncu_export *export_, smp_style style);
/* The style is for text. */
void ncu_explain_csv(FILE *out, const ncu_export *export_, smp_style style);
void ncu_explain_json(FILE *out, const ncu_export *export_, smp_style style);

#endif
