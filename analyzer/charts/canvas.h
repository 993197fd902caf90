/* SPDX-License-Identifier: MIT */
/*
 * A grid of terminal cells that is filled in any order and printed line by line.
 */
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>
#include <stdio.h>

#include "style.h"

typedef struct canvas_cell {
    char text[5];      /* one character; "": a blank */
    const char *color; /* an escape sequence, or "" */
} canvas_cell;

typedef struct canvas {
    unsigned width, height;
    canvas_cell *cells; /* owned */
} canvas;

/* Blank; false: out of memory. */
bool canvas_open(canvas *out, unsigned width, unsigned height);
void canvas_close(canvas *out);
/* Writes text from column x of line y on, one character per cell; what falls outside is dropped.
 * Returns the column behind it. `color` must live as long as the canvas. */
unsigned canvas_put(canvas *out, unsigned x, unsigned y, const char *text, const char *color);
/* Prints all lines, without blanks at their ends. */
void canvas_print(const canvas *what, smp_style style, FILE *out);

#endif
