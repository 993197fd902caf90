/* SPDX-License-Identifier: MIT */
/*
 * What several writers show of one access.
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

/* name, cc, banks, bank_bytes, evidence. */
json_t *smp_arch_json(const smp_arch *arch);
/* Where each lane's bytes begin; null for an inactive lane. */
json_t *smp_offsets_json(const smp_access *access);
/* What was measured, for other documents: an object or null. */
json_t *smp_measured_json(const smp_prediction *report);

#endif
