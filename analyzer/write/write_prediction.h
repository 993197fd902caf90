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

/* Where each lane's bytes begin; null for an inactive lane. */
json_t *smp_offsets_json(const smp_access *access);

#endif
