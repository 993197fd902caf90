/* SPDX-License-Identifier: MIT */
/*
 * Shows where in a text an error is: the text, or the part of a long one around it, and a caret
 * below. Bytes that would disturb a terminal are shown as '?'.
 */
#include <stdbool.h>
#include <stdio.h>

#include "caret.h"

#define COLUMNS 100u

void smp_caret_print(FILE *out, const char *text, size_t length, int position) {
    if (position < 0)
        return;
    size_t at = (size_t)position < length ? (size_t)position : length;
    size_t start = at > COLUMNS * 3 / 4 ? at - COLUMNS / 2 : 0;
    size_t end = length - start > COLUMNS ? start + COLUMNS : length;
    fputs("  ", out);
    for (size_t i = start; i < end; i++) {
        unsigned char c = (unsigned char)text[i];
        fputc(c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : c, out);
    }
    fputs("\n  ", out);
    for (size_t i = start; i < at; i++) {
        bool continues = ((unsigned char)text[i] & 0xc0) == 0x80;
        if (!continues)
            fputc(' ', out);
    }
    fputs("^\n", out);
}
