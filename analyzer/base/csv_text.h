/* SPDX-License-Identifier: MIT */
/*
 * csv_text.h: comma-separated values, read in place. Internal to analyzer/.
 */
#ifndef SMP_CSV_TEXT_H
#define SMP_CSV_TEXT_H

#include "smp_model.h"

/* Where the reading is. The text is written to and must have one byte of room behind it. */
typedef struct csv_text {
    char *at, *end;
    unsigned line; /* of `at`, counted from 1 */
} csv_text;

/* One row; the cells are terminated strings inside the text. Free `cells`. */
typedef struct csv_row {
    char **cells;
    size_t count, room;
    unsigned line; /* that it begins in */
} csv_row;

/* Reads the next row, which has no cells at the end of the text. Quoted cells may hold commas,
 * line ends and doubled quotes. SMP_E_SYNTAX for a quote that does not end. */
smp_status csv_next(csv_text *text, csv_row *row, smp_error *error);

/* A number as people and profilers write it: "1,234", "12.5", "3.2e+06", with blanks around. False
 * for anything else ("", "n/a", "5 (0.1; 0.2)"). */
bool csv_number(const char *text, double *out);

#endif
