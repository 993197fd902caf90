/* SPDX-License-Identifier: MIT */
/*
 * Charts in a terminal: one file per form of panel (plot.h), which knows columns of data and no
 * kind of chart. Internal to charts/.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include "canvas.h"
#include "chart_table.h"
#include "plot.h"

/* One panel in the making. */
typedef struct terminal {
    FILE *out;
    smp_style style;
    unsigned columns;
    const chart_table *data;
    const plot_panel *panel;
    const char *only; /* only rows with this text in column `each`; NULL: all */
    bool is_last;     /* of the panels of `each` */
} terminal;

/* True if the series takes this row. */
bool terminal_takes(const terminal *at, const plot_series *series, size_t row);
/* How many series a panel has. */
size_t terminal_series(const plot_panel *panel);
/* The colour of a series, counted from 0; of an amount, which changes with each doubling from 1 on.
 */
const char *terminal_color(size_t series);
const char *terminal_heat(double amount);
/* "1,234", "12.5" */
void terminal_number(double value, char *text, size_t size);
/* The different texts in a column, in order of appearance; free `texts`. */
typedef struct terminal_names {
    const char **texts;
    size_t count;
} terminal_names;
smp_status terminal_distinct(const terminal *at, const char *column, terminal_names *out,
                             smp_error *error);

smp_status terminal_bars(const terminal *at, smp_error *error);
smp_status terminal_columns(const terminal *at, smp_error *error);
smp_status terminal_grid(const terminal *at, smp_error *error);
smp_status terminal_map(const terminal *at, smp_error *error);

#endif
