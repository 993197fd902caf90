/* SPDX-License-Identifier: MIT */
/*
 * What is shown of a layout.
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

/* Which element lies in which bank, for the shared arrays of a layout. */
void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch);

#endif
