/* SPDX-License-Identifier: MIT */
/*
 * The writers of layouts.
 */
#ifndef WRITE_LAYOUT_H
#define WRITE_LAYOUT_H

#include <stdio.h>

#include "layout_cost.h"
#include "style.h"

/* What a text shows. */
typedef struct smp_layout_show {
    bool is_table; /* one line for architectures that are alike */
    bool explains; /* the whole bank map of each access, and the maps of the arrays */
    smp_style style;
} smp_layout_show;

/* The slots of write_format.h. JSON is an object; for several architectures an array of them. */
void smp_layout_text(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show);
void smp_layout_json(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show);
void smp_layout_csv(FILE *out, const smp_layout_prediction *reports, size_t count,
                    const smp_layout_show *show);

/* Which element lies in which bank, for the shared arrays of a layout. */
void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch);

#endif
