/* SPDX-License-Identifier: MIT */
/*
 * Tables of facts.
 */
#pragma once

#include <stdio.h>

enum { SMP_CELLS_MAX = 12, SMP_CELL_SIZE = 200 };

/* One line of a table, as text. */
typedef struct smp_cells {
    char text[SMP_CELLS_MAX][SMP_CELL_SIZE];
} smp_cells;

#define SMP_CELL_PUT(out, cell, ...) (void)snprintf((out)->text[cell], SMP_CELL_SIZE, __VA_ARGS__)

typedef struct smp_table {
    const char *name, *about; /* for the help; what stands above the table, NULL: the same */
    const char *title;
    const char *const *columns; /* names */
    unsigned column_count;
    /* How text shows each column: 'c' a cell, '#' the same and a number, 'w' the last cell,
     * wrapped, 'b' in lines below the row, 'n' the number of a note below the table, '-' not at
     * all. */
    const char *shows;
    /* What each column is in JSON: 's' a text, '#' the number that it begins with, 'N' all its
     * numbers, 'W' its words, 'L' what commas separate, 'E' evidence, a letter each. In CSV the
     * same: numbers and words with blanks between them, items with semicolons, evidence a column
     * each. */
    const char *values;
    const char *const *parts; /* what the letters of evidence are of, NULL at the end */
    size_t (*count)(void);
    void (*fill)(size_t index, smp_cells *out);
} smp_table;
