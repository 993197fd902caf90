/* SPDX-License-Identifier: MIT */
/* The kinds of charts. */
#include "plot.h"

/* In the order of the gallery. */
static const plot_kind *const kinds[] = {&plot_stride,  &plot_heatmap,   &plot_archs,
                                         &plot_bankmap, &plot_agreement, &plot_cluster,
                                         &plot_compare};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

const plot_kind *const *plot_kinds(size_t *count) {
    *count = KIND_COUNT;
    return kinds;
}
