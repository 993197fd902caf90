/* SPDX-License-Identifier: MIT */
/*
 * What a chart shows.
 */
#pragma once

#include "ask.h"
#include "command.h"
#include "format.h"
#include "layout_source.h"
#include "plot.h"
#include "style.h"

typedef struct chart_ask {
    plot_ask plain;
    layout_source from; /* of plain.layout; its layout is NULL for other kinds */
} chart_ask;

/* What may follow `plot`: the kinds, and all of them (`kind` NULL, below). */
const char *chart_kind_word(size_t index, const char **summary);
smp_status chart_kind_find(const char *name, const plot_kind **out, smp_error *error);
/* Whether it takes an option. */
bool chart_takes(const plot_kind *kind, smp_option option);
/* What they mean to it where plot's own words do not fit, or NULL. */
const option_words *chart_words(const plot_kind *kind);
/* What `kind` shows of the options and the words behind it. Complains and returns the exit status;
 * *out must be cleared in any case. */
int ask_chart(const plot_kind *kind, const arguments *args, const char *const *words,
              unsigned count, chart_ask *out);
void chart_ask_clear(chart_ask *ask);

/* What follows the kind. */
typedef struct plot_operands {
    const char *const *words;
    unsigned count;
} plot_operands;

/* An option that the kind does not look at must not seem to have worked, nor a word too many. */
smp_status check_chart_options(const plot_kind *kind, const arguments *args,
                               const plot_operands *operands, smp_error *error);
/* ---- one_chart.c ---- */

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
