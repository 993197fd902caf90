/* SPDX-License-Identifier: MIT */
/* How texts for people are written: colours, and the width of lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "smp_model.h"

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

/* ---- fold.c: a stream that breaks lines ---- */

/* A stream that passes what is written to it on to `to`, in lines of at most `columns`. Text is
 * passed on with the next empty line and at fclose, which leaves `to` open. NULL if out of memory.
 */
FILE *fold_open(FILE *to, int columns);
/* Writes the rest of a line that already has `at` columns, in lines of at most `columns`; later
 * lines begin at column `hang`. Both must leave room for text. */
void fold_rest(FILE *to, int columns, int at, int hang, const char *text, size_t length);
/* Like fold_open, for a whole text. */
void fold_put(FILE *to, int columns, const char *text, size_t length);

/* ---- pager.c: what is longer than the screen ---- */

/* If standard output is a terminal, starts the pager that SMEMPROBE_PAGER or PAGER names, else
 * less; it shows what is written to the stream. NULL if there is no pager, or none is wanted ("cat"
 * or ""). `first`: less begins at this regular expression, and its key n goes to the next match;
 * NULL: at the top. */
FILE *pager_open(const char *first);
/* Waits until the user has closed it. SMP_E_WRITE: the pager could not be run. */
smp_status pager_close(FILE *pager, smp_error *error);
