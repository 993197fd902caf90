/* SPDX-License-Identifier: MIT */
/* Comma-separated values, read in place. Internal to analyzer/. */
#pragma once

#include "smp_model.h"

/* A text being read. It is written to, and must have one byte of room behind it. */
typedef struct csv_text {
    char *at, *end;
    unsigned line; /* of `at`, counted from 1 */
} csv_text;

/* One row; the cells are terminated strings inside the text. Free `cells`. */
typedef struct csv_row {
    char **cells;
    size_t count;
    unsigned line; /* where it begins */
} csv_row;

/* Reads the next row, which has no cells at the end of the text. Quoted cells may hold commas,
 * line ends and doubled quotes. SMP_E_SYNTAX for a quote that does not end. */
smp_status csv_next(csv_text *text, csv_row *row, smp_error *error);

/* The index of the cell with this text; -1 if there is none. */
int csv_find(const csv_row *row, const char *text);

/* Above this a double does not hold every whole number. */
#define CSV_COUNT_MAX 9007199254740992.0

typedef enum csv_value {
    CSV_NO_VALUE, /* no digit, or several values in one cell: "", "n/a", "5 (0.1; 0.2)" */
    CSV_VALUE,
    CSV_BAD_VALUE /* not a count: "1.234,5", "-5", "12,34", too large */
} csv_value;

/* A count as profilers write it: "1,234", "12.5", "3.2e+06", with blanks around. */
csv_value csv_count(const char *text, double *out);
