/* SPDX-License-Identifier: MIT */
/*
 * Shows where in a text an error is, with a caret below. Control characters, and those that change
 * the direction of writing, are shown as '?'.
 */
#include "source_line.h"

#include <stdio.h>

#include "style.h"
#include "visible_text.h"

enum { COLUMNS_MOST = 100, BESIDE = 3 };

/* Bytes of the first character of `text`; each character takes one column. */
static size_t step(const char *text, size_t length) {
    const size_t bytes = smp_utf8_bytes(text, length);
    return bytes > 0 ? bytes : 1;
}

static void put_character(FILE *out, const char *text, size_t length) {
    const size_t bytes = smp_visible_bytes(text, length);
    if (bytes > 0)
        (void)fwrite(text, 1, bytes, out);
    else
        fputc(*text == '\t' ? ' ' : '?', out);
}

void smp_caret_print(FILE *out, const char *text, size_t length, int position) {
    if (position < 0)
        return;
    const int known = smp_columns_known(out);
    const size_t columns =
        known > 0 && known < COLUMNS_MOST + BESIDE ? (size_t)known - BESIDE : COLUMNS_MOST;
    size_t at = (size_t)position < length ? (size_t)position : length;
    size_t start = at > columns * 3 / 4 ? at - columns / 2 : 0;
    size_t end = length - start > columns ? start + columns : length;
    fputs("  ", out);
    for (size_t i = start; i < end; i += step(text + i, end - i))
        put_character(out, text + i, end - i);
    fputs("\n  ", out);
    for (size_t i = start; i < at; i += step(text + i, end - i))
        fputc(' ', out);
    fputs("^\n", out);
}
