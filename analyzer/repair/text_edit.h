/* SPDX-License-Identifier: MIT */
/*
 * Changes of a text, and what two texts differ in as patch reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* `length` bytes at `at` become `text`. */
typedef struct text_edit {
    size_t at, length;
    char *text;
} text_edit;

typedef struct text_edits {
    text_edit *items;
    size_t count;
    bool has_failed; /* out of memory */
} text_edits;

/* Adds one. None may overlap another. */
void text_edits_add(text_edits *to, size_t at, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void text_edits_clear(text_edits *edits);
/* The changed text, malloc'ed; NULL: out of memory. */
char *text_edits_apply(text_edits *edits, const char *text, size_t length, size_t *out_length);

/* Writes the unified diff of a/NAME and b/NAME, nothing if the texts are equal. False: out of
 * memory. */
bool unified_diff(FILE *out, const char *name, const char *before, size_t before_length,
                  const char *after, size_t after_length);
