/* SPDX-License-Identifier: MIT */
/*
 * What the files of the command plot say to each other.
 */
#ifndef GALLERY_H
#define GALLERY_H

#include "ask_chart.h"

/* What follows the kind. */
typedef struct plot_operands {
    const char *const *words;
    unsigned count;
} plot_operands;

/* cmd_plot.c: draws one chart into `path` (NULL: standard output); `what` keeps its texts. The exit
 * status; has complained. */
int plot_one(const plot_kind *kind, const arguments *args, const plot_operands *operands,
             const plot_target *target, const char *path, plot *what);
/* cmd_plot.c: a format by its name, with --theme. */
smp_status plot_choose_target(const arguments *args, const char *name, plot_target *out,
                              smp_error *error);

/* gallery.c: every chart, or the kinds among the words, and an index, into the folder that -o
 * names; the other words are recorded files. The exit status. */
int plot_gallery(const arguments *args, const plot_operands *operands);

#endif
