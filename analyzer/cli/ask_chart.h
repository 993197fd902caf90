/* SPDX-License-Identifier: MIT */
/*
 * What a chart shows.
 */
#pragma once

#include "ask.h"
#include "layout_source.h"
#include "plot.h"

typedef struct chart_ask {
    plot_ask plain;
    layout_source from; /* of plain.layout; its layout is NULL for other kinds */
} chart_ask;

/* Whether a kind looks at an option. */
bool chart_has_option(const plot_kind *kind, smp_option option);
/* What they mean to it where plot's own words do not fit, or NULL. */
const option_words *chart_words(const plot_kind *kind);
/* What `kind` shows of the options and the words behind it. Complains and returns the exit status;
 * *out must be cleared in any case. */
int ask_chart(const plot_kind *kind, const arguments *args, const char *const *words,
              unsigned count, chart_ask *out);
void chart_ask_clear(chart_ask *ask);
