/* SPDX-License-Identifier: MIT */
/*
 * Text for a terminal that is narrower than what writes it takes for granted: lines that are too
 * long are broken. Rows of a table, all at the same columns, so that what stood below each other
 * still does; other lines between words, and behind their label.
 */
#ifndef SMP_FOLD_H
#define SMP_FOLD_H

#include <stddef.h>
#include <stdio.h>

/* A stream that passes to `to` what is written to it, in lines of at most `columns`. What is in it
 * appears with the next empty line, and at fclose, which leaves `to` open. NULL: out of memory. */
FILE *fold_open(FILE *to, int columns);
/* The end of a line that has `at` columns already, in lines of at most `columns`; those after the
 * first begin at column `hang`. Both leave room for text. */
void fold_rest(FILE *to, int columns, int at, int hang, const char *text, size_t length);
/* What fold_open does, for a text that is there. */
void fold_put(FILE *to, int columns, const char *text, size_t length);

#endif
