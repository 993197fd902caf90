/* SPDX-License-Identifier: MIT */
/*
 * The data of a chart, read back by column names, as gnuplot does.
 */
#ifndef CHART_TABLE_H
#define CHART_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "csv_text.h"

typedef struct chart_table {
    char *text;    /* owned; the cells lie in it */
    csv_row names; /* of the columns */
    csv_row *rows; /* owned */
    size_t count;
} chart_table;

/* Reads all of `data` from its start. Free *out in any case. */
smp_status chart_table_read(FILE *data, chart_table *out, smp_error *error);
void chart_table_free(chart_table *table);

/* The cell of a column; "" if it is empty or there is no such column. */
const char *chart_text(const chart_table *table, size_t row, const char *column);
/* The number in a column, or the sum of several columns: "loads+stores". False if all are empty. */
bool chart_value(const chart_table *table, size_t row, const char *columns, double *out);

#endif
