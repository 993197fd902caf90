/* SPDX-License-Identifier: MIT */
/*
 * How texts for people are written: colours, and the width of lines.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* How a text writer may write. */
typedef struct smp_style {
    bool color;   /* ANSI colours */
    bool unicode; /* boxes and blocks; else ASCII */
} smp_style;

/* The escape sequence `color`, or "" if the style has no colours. */
const char *smp_paint(smp_style style, const char *color);

/* The columns of a line written to `out`: the environment's COLUMNS, else the width of the
 * terminal, else 78. At least 40. */
int smp_columns(FILE *out);
/* The same, but 0 if neither says it: output to files and programs keeps whole lines. */
int smp_columns_known(FILE *out);

/* Prints `label` and then words, in lines of at most smp_columns and at most 100 columns; later
 * lines are indented by the width of the label. */
void smp_wrapped_print(FILE *out, const char *label, const char *text);
/* The same on a line that already has `at` columns; later lines are indented by `hang`. */
void smp_wrapped_hang(FILE *out, int at, int hang, const char *text);
/* The same with coloured words (smp_paint); the colour ends with each line. */
void smp_wrapped_paint(FILE *out, const char *label, const char *text, const char *color);
