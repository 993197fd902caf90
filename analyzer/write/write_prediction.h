/* SPDX-License-Identifier: MIT */
/*
 * What several writers show of one access.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "layout_cost.h"
#include "smp_prediction.h"
#include "style.h"

/* Which bank delivers in which wavefront, as a picture of at most `rows` lines. */
void smp_bankmap_print(FILE *out, const smp_prediction *report, smp_style style, unsigned rows);

/* What requests of global memory are split into there. */
static inline const char *smp_moved_word(const smp_arch *arch) {
    return arch->global_rule == SMP_GLOBAL_SECTORS ? "sector" : "transaction";
}
/* "  coalesced   1 transaction, ...": a verdict, green or red, and what it stands on. */
void smp_painted_put(FILE *out, smp_style style, bool is_good, const char *verdict,
                     const char *text);
/* "  32-way bank conflict   32 wavefronts, ideal 1, excess 31", of costs that have wavefronts. */
void smp_conflict_put(FILE *out, smp_style style, const smp_totals *totals);

/* Also of one report a list. */
void smp_prediction_json_array(FILE *out, const smp_prediction *reports, size_t count);

/* Where each lane's bytes begin; null for an inactive lane. */
json_t *smp_offsets_json(const smp_access *access);
