/* SPDX-License-Identifier: MIT */
/*
 * The writers of layouts.
 */
#ifndef WRITE_LAYOUT_H
#define WRITE_LAYOUT_H

#include <jansson.h>
#include <stdio.h>

#include "layout_cost.h"
#include "style.h"

/* With `explains`, the whole bank map of each access, and the maps of the arrays. */
void smp_layout_prediction_text(FILE *out, const smp_layout_prediction *report, smp_style style,
                                bool explains);
/* A table for each access, one line for architectures that are alike. */
void smp_layout_prediction_table(FILE *out, const smp_layout_prediction *reports, size_t count);
void smp_layout_prediction_csv(FILE *out, const smp_layout_prediction *reports, size_t count);
/* An object; for several architectures an array of them. */
void smp_layout_prediction_json(FILE *out, const smp_layout_prediction *reports, size_t count);
/* The slots of write_format.h; what to show is for text. */
typedef struct smp_layout_show {
    bool is_table; /* one line for architectures that are alike */
    bool explains; /* the whole bank map of each access, and the maps of the arrays */
    smp_style style;
} smp_layout_show;

void smp_layout_text_any(FILE *out, const smp_layout_prediction *reports, size_t count,
                         const smp_layout_show *show);
void smp_layout_json_any(FILE *out, const smp_layout_prediction *reports, size_t count,
                         const smp_layout_show *show);
void smp_layout_csv_any(FILE *out, const smp_layout_prediction *reports, size_t count,
                        const smp_layout_show *show);

/* One access as an object, for other documents. */
json_t *smp_layout_access_json(const smp_layout_prediction *report, size_t index);

/* Which element lies in which bank, for the shared arrays of a layout. */
void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch);

#endif
