/* SPDX-License-Identifier: MIT */
/* The content of a chart. */
#pragma once

#include "ask.h"
#include "command.h"
#include "format.h"
#include "layout_source.h"
#include "plot.h"
#include "style.h"

typedef struct chart_ask {
    plot_ask plain;
    layout_source from; /* source of plain.layout; NULL layout for other kinds */
} chart_ask;

/* The words that may follow "plot": the kinds, and "all" (`kind` NULL below). */
const char *chart_kind_word(size_t index, const char **summary);
smp_status chart_kind_find(const char *name, const plot_kind **out, smp_error *error);
/* Whether a kind takes an option. */
bool chart_takes(const plot_kind *kind, smp_option option);
/* A kind's help texts that differ from plot's own, or NULL. */
const option_words *chart_words(const plot_kind *kind);
/* Reads the options and arguments of `kind`. Reports errors and returns the exit status. Always
 * clear *out. */
int ask_chart(const plot_kind *kind, const arguments *args, const char *const *words,
              unsigned count, chart_ask *out);
void chart_ask_clear(chart_ask *ask);

/* The arguments after the kind. */
typedef struct plot_operands {
    const char *const *words;
    unsigned count;
} plot_operands;

/* Refuses options that the kind does not use, and extra arguments. */
smp_status check_chart_options(const plot_kind *kind, const arguments *args,
                               const plot_operands *operands, smp_error *error);
/* ---- one_chart.c ---- */

/* Draws one chart into `path` (NULL for standard output); `what` keeps its texts. Reports errors
 * and returns the exit status. */
int plot_one(const plot_kind *kind, const arguments *args, const plot_operands *operands,
             const plot_target *target, const char *path, plot *what);
/* Draws every chart, or the named kinds, with an index, into the folder of -o. Other arguments are
 * recorded files. Returns the exit status. */
int plot_gallery(const arguments *args, const plot_operands *operands);
/* How to draw a chart in that format, with --theme. */
smp_status plot_choose_target(const arguments *args, smp_format format, plot_target *out,
                              smp_error *error);
