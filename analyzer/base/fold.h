/* SPDX-License-Identifier: MIT */
/*
 * Breaks lines that are too long for a narrow terminal. Rows of a table are all broken at the same
 * columns, so that columns stay columns; other lines are broken between words and continue indented
 * behind their label.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* A stream that passes what is written to it on to `to`, in lines of at most `columns`. Text is
 * passed on with the next empty line and at fclose, which leaves `to` open. NULL: out of memory. */
FILE *fold_open(FILE *to, int columns);
/* Writes the rest of a line that already has `at` columns, in lines of at most `columns`; later
 * lines begin at column `hang`. Both must leave room for text. */
void fold_rest(FILE *to, int columns, int at, int hang, const char *text, size_t length);
/* Does what fold_open does with a whole text. */
void fold_put(FILE *to, int columns, const char *text, size_t length);
