/* SPDX-License-Identifier: MIT */
/*
 * The writers of measured sweeps.
 */
#ifndef WRITE_PROBE_H
#define WRITE_PROBE_H

#include <stdio.h>

#include "style.h"
#include "sweep.h"

/* Where it was measured, and a table; nothing if there are no rows. */
void smp_sweep_text(FILE *out, const sweep *all, smp_style style);
/* As of predict, but always an array. */
void smp_sweep_json(FILE *out, const sweep *all, smp_style style);
void smp_sweep_csv(FILE *out, const sweep *all, smp_style style);

#endif
