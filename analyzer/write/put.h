/* SPDX-License-Identifier: MIT */
/*
 * put.h: values as the writers print them. What is not known is an empty field of CSV, "-" in a
 * table and null in JSON (base/json_text.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "style.h"
#include "visible_text.h"

/* 1234567 as "1,234,567"; it stands until eight more are asked for. */
const char *count_text(uint64_t value);
/* A label and words by a printf format, at most 2047 bytes, as smp_wrapped_print writes them. */
void put_wrapped(FILE *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A printf format of numbers and of texts that are others': what %s and %.*s stand for is written
 * by `escape`, also of NULL, which is nothing; there are no other widths and precisions of texts.
 */
typedef void put_escape(FILE *out, const char *text, size_t length);
void put_escaped(FILE *out, put_escape *escape, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with smp_visible_put: for terminals. */
#define put_visible(out, ...) put_escaped(out, smp_visible_put, __VA_ARGS__)
/* A field behind a comma. */
void put_csv_count(FILE *out, bool is_known, uint64_t value);
/* The same of a number with three decimals. */
void put_csv_real(FILE *out, bool is_known, double value);
/* A comma and a terminated text as put_csv_text writes it. */
void put_csv_field(FILE *out, const char *text);
/* A text in quotes, with its own doubled; NULL is empty. A spreadsheet must not take it for a
 * formula, nor a terminal for a command: before =, +, - and @ at its beginning stands an
 * apostrophe, and what is not to be seen (escapes, ends of lines, tabs) is its number, as "\x1b".
 */
void put_csv_text(FILE *out, const char *text, size_t length);
/* "4", "2-4" or "-", in a column of `width`. */
void put_range(FILE *out, int width, bool is_known, uint64_t low, uint64_t high);
/* A unified diff; removed and added lines have the colours of their signs. */
void put_diff(FILE *out, const char *patch, smp_style style);
const char *put_diff_color(smp_style style, char sign);
/* "" or "s". */
const char *plural(uint64_t count);
