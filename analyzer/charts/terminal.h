/* SPDX-License-Identifier: MIT */
/*
 * Charts in a terminal: one file for each form of panel (plot.h), which knows the columns of the
 * data but not the kind of chart. Internal to charts/.
 */
#pragma once

#include "csv_text.h"
#include "plot.h"
#include "style.h"

/* canvas.c: a grid of terminal cells that is filled in any order and printed line by line. */
typedef struct canvas_cell {
    char text[5];      /* one character, or "" for a blank */
    const char *color; /* an escape sequence, or "" */
} canvas_cell;

typedef struct canvas {
    unsigned width, height;
    canvas_cell *cells; /* owned */
} canvas;

/* Makes a blank canvas; false if out of memory. */
bool canvas_open(canvas *out, unsigned width, unsigned height);
void canvas_close(canvas *out);
/* Writes text from column x of line y, one character per cell, dropping what falls outside. Returns
 * the next column. `color` must outlive the canvas. */
unsigned canvas_put(canvas *out, unsigned x, unsigned y, const char *text, const char *color);
/* Prints all lines without trailing blanks. */
void canvas_print(const canvas *what, smp_style style, FILE *out);

/* chart_table.c: the data of a chart, read back by column names, as gnuplot does. */
typedef struct chart_table {
    char *text;    /* owned; holds the cells */
    csv_row names; /* column names */
    csv_row *rows; /* owned */
    size_t count;
} chart_table;

/* Reads all of `data` from its start. The caller always frees *out. */
smp_status chart_table_read(FILE *data, chart_table *out, smp_error *error);
void chart_table_free(chart_table *table);

/* The cell of a column; "" if it is empty or the column does not exist. */
const char *chart_text(const chart_table *table, size_t row, const char *column);
/* The number in a column, or the sum of columns: "loads+stores". Returns false if all are empty. */
bool chart_value(const chart_table *table, size_t row, const char *columns, double *out);

/* A panel being drawn. */
typedef struct terminal {
    FILE *out;
    smp_style style;
    unsigned columns;
    const chart_table *data;
    const plot_panel *panel;
    const char *only; /* only rows with this text in column `each`; NULL for all */
    bool is_last;     /* last of the panels of `each` */
} terminal;

static inline unsigned larger(unsigned a, unsigned b) {
    return a > b ? a : b;
}
/* Returns true if the series has this row. */
bool terminal_takes(const terminal *at, const plot_series *series, size_t row);
/* Number of series of a panel. */
size_t terminal_series(const plot_panel *panel);
/* The colour of a series, from 0; and of an amount, which changes with each doubling from 1. */
const char *terminal_color(size_t series);
const char *terminal_heat(double amount);
/* "1,234", "12.5" */
void terminal_number(double value, char *text, size_t size);
/* The distinct texts of a column, in order of appearance; free `texts`. */
typedef struct terminal_names {
    const char **texts;
    size_t count;
} terminal_names;
/* Index of a text among them, or their number if it is missing. */
size_t terminal_index(const terminal_names *names, const char *text);
smp_status terminal_distinct(const terminal *at, const char *column, terminal_names *out,
                             smp_error *error);

smp_status terminal_bars(const terminal *at, smp_error *error);
smp_status terminal_columns(const terminal *at, smp_error *error);
smp_status terminal_grid(const terminal *at, smp_error *error);
smp_status terminal_map(const terminal *at, smp_error *error);
