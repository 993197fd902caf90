/* SPDX-License-Identifier: MIT */
/*
 * Values as the writers print them. An unknown value is an empty field in CSV, "-" in a
 * table and null in JSON (base/json_text.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "style.h"
#include "visible_text.h"

/* 1234567 as "1,234,567"; valid for eight more calls. */
const char *count_text(uint64_t value);
/* A label and a formatted text of at most 2047 bytes, wrapped by smp_wrapped_print. */
void put_wrapped(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* printf for numbers and foreign texts: the texts of %s and %.*s are written by `escape` (NULL as
 * nothing). Texts take no other width or precision. */
typedef void put_escape(FILE *out, const char *text, size_t length);
void put_escaped(FILE *out, put_escape *escape, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* put_escaped for terminals. */
#define put_visible(out, ...) put_escaped(out, smp_visible_put, __VA_ARGS__)
/* A comma, and the number if it is known. */
void put_csv_count(FILE *out, bool is_known, uint64_t value);
/* put_csv_count for a number with three decimals. */
void put_csv_real(FILE *out, bool is_known, double value);
/* A comma, and a terminated text written by put_csv_text. */
void put_csv_field(FILE *out, const char *text);
/* A quoted text with its quotes doubled; NULL is empty. So that no spreadsheet sees a formula and
 * no terminal a command, an apostrophe precedes a leading =, +, - or @, and control characters are
 * escaped as "\x1b". */
void put_csv_text(FILE *out, const char *text, size_t length);
/* "4", "2-4" or "-", in a column of `width`. */
void put_range(FILE *out, int width, bool is_known, uint64_t low, uint64_t high);
/* A unified diff with colored removed and added lines. */
void put_diff(FILE *out, const char *patch, smp_style style);
const char *put_diff_color(smp_style style, char sign);
/* "" for 1, otherwise "s". */
const char *plural(uint64_t count);
