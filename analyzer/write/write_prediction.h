/* SPDX-License-Identifier: MIT */
/*
 * The writers of reports of one access.
 */
#ifndef WRITE_PREDICTION_H
#define WRITE_PREDICTION_H

#include <jansson.h>
#include <stdio.h>

#include "smp_prediction.h"
#include "style.h"

/* Which bank delivers in which wavefront, as a picture of at most `rows` lines. */
void smp_bankmap_print(FILE *out, const smp_prediction *report, smp_style style, unsigned rows);

/* Also of one report a list. */
void smp_prediction_json_array(FILE *out, const smp_prediction *reports, size_t count);

/* What was measured, for other documents: an object or null. */
json_t *smp_measured_json(const smp_prediction *report);

/* The slots of write_format.h: one report, or the same access on several architectures. `style` is
 * for text. */
void smp_prediction_text(FILE *out, const smp_prediction *reports, size_t count, smp_style style);
void smp_prediction_json(FILE *out, const smp_prediction *reports, size_t count, smp_style style);
void smp_prediction_csv(FILE *out, const smp_prediction *reports, size_t count, smp_style style);

#endif
