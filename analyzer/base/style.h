/* SPDX-License-Identifier: MIT */
/*
 * How texts for people are written.
 */
#ifndef STYLE_H
#define STYLE_H

#include <stdbool.h>
#include <stdio.h>

/* How a text writer may write. */
typedef struct smp_style {
    bool color;   /* ANSI colours */
    bool unicode; /* boxes and blocks; else ASCII */
} smp_style;

/* The escape sequence `color`, or "" where there are no colours. */
const char *smp_paint(smp_style style, const char *color);

/* Columns that a line written to `out` may have: COLUMNS of the environment, else the width of the
 * terminal that `out` is, else 78. At least 40. */
int smp_columns(FILE *out);
/* The same, and 0 where nothing says it: what goes to files and programs keeps whole lines. */
int smp_columns_known(FILE *out);

/* Prints words in lines of at most smp_columns, and of no more than 100, behind `label`, later
 * lines indented as far. */
void smp_wrapped_print(FILE *out, const char *label, const char *text);
/* The same on a line that has `indent` columns already. */
void smp_wrapped_rest(FILE *out, int indent, const char *text);
/* The same on a line that has `at` columns, with later lines indented by `hang`. */
void smp_wrapped_hang(FILE *out, int at, int hang, const char *text);
/* The same with the words in a colour (smp_paint), which ends with each line. */
void smp_wrapped_paint(FILE *out, const char *label, const char *text, const char *color);

#endif
