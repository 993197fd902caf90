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

/* Prints words in lines of at most 78 columns behind `label`, later lines indented as far. */
void smp_wrapped_print(FILE *out, const char *label, const char *text);
/* The same with the words in a colour (smp_paint), which ends with each line. */
void smp_wrapped_paint(FILE *out, const char *label, const char *text, const char *color);

#endif
