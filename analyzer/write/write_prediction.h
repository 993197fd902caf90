/* SPDX-License-Identifier: MIT */
/* Parts that several writers share for one access. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "layout_cost.h"
#include "smp_prediction.h"
#include "style.h"

/* Draws which bank delivers in which wavefront, in at most `rows` lines. */
void smp_bankmap_print(FILE *out, const smp_prediction *report, smp_style style, unsigned rows);

/* The unit into which an architecture splits global requests. */
static inline const char *smp_moved_word(const smp_arch *arch) {
    return arch->global_rule == SMP_GLOBAL_SECTORS ? "sector" : "transaction";
}
/* " coalesced 1 transaction, ...": a green or red verdict and its figures. */
void smp_painted_put(FILE *out, smp_style style, bool is_good, const char *verdict,
                     const char *text);
/* " 32-way bank conflict 32 wavefronts, ideal 1, excess 31", for costs with wavefronts. */
void smp_conflict_put(FILE *out, smp_style style, const smp_totals *totals);

/* Writes a list even for one report. */
void smp_prediction_json_array(FILE *out, const smp_prediction *reports, size_t count);

/* Byte offset of each lane; null for an inactive lane. */
json_t *smp_offsets_json(const smp_access *access);
