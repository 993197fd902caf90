/* SPDX-License-Identifier: MIT */
/* Tables of facts. */
#pragma once

#include <stdio.h>

enum { SMP_CELLS_MAX = 12, SMP_CELL_SIZE = 200 };

/* One row of a table, as text. */
typedef struct smp_cells {
    char text[SMP_CELLS_MAX][SMP_CELL_SIZE];
} smp_cells;

#define SMP_CELL_PUT(out, cell, ...) (void)snprintf((out)->text[cell], SMP_CELL_SIZE, __VA_ARGS__)

typedef struct smp_table {
    const char *name, *about;   /* shown in lists and help */
    const char *title;          /* above the table; NULL: `about` */
    const char *const *columns; /* column names */
    unsigned column_count;
    /* How text shows each column: 'c' a cell, '#' a cell with a number, 'w' the last cell, wrapped,
     * 'b' in lines below the row, 'n' the number of a note below the table, '-' not at all. */
    const char *shows;
    /* How JSON shows each column: 's' a text, '#' its leading number, 'N' all its numbers, 'W' its
     * words, 'L' its comma-separated items, 'E' evidence, one letter each. CSV does the same:
     * numbers and words are separated by blanks, items by semicolons, and each letter of evidence
     * has a column. */
    const char *values;
    const char *const *parts; /* what each letter of evidence is about, ending in NULL */
    size_t (*count)(void);
    void (*fill)(size_t index, smp_cells *out);
} smp_table;
