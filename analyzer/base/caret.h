/* SPDX-License-Identifier: MIT */
/*
 * Shows where in a text an error is.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Writes `text`, or the part of it around `position`, on one line of at most 100 columns and no
 * wider than the terminal, and a caret below the position. */
void smp_caret_print(FILE *out, const char *text, size_t length, int position);
