/* SPDX-License-Identifier: MIT */
/*
 * Charts for plot: one, or all of them.
 */
#pragma once

#include "ask_chart.h"
#include "command.h"
#include "format.h"
#include "style.h"

/* What follows the kind. */
typedef struct plot_operands {
    const char *const *words;
    unsigned count;
} plot_operands;

/* Draws one chart into `path` (NULL: standard output); `what` keeps its texts. The exit status; has
 * complained. */
int plot_one(const plot_kind *kind, const arguments *args, const plot_operands *operands,
             const plot_target *target, const char *path, plot *what);
/* Every chart, or the kinds among the words, and an index, into the folder that -o names; the other
 * words are recorded files. The exit status. */
int plot_gallery(const arguments *args, const plot_operands *operands);
/* How a chart in that format comes out, with --theme. */
smp_status plot_choose_target(const arguments *args, smp_format format, plot_target *out,
                              smp_error *error);
