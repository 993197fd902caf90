/* SPDX-License-Identifier: MIT */
/*
 * Where in a text an error is, shown to people.
 */
#ifndef CARET_H
#define CARET_H

#include <stddef.h>
#include <stdio.h>

/* Writes `text` in one line of at most 100 columns, and no more than a terminal has, around
 * `position`, and below it a caret. */
void smp_caret_print(FILE *out, const char *text, size_t length, int position);

#endif
