/* SPDX-License-Identifier: MIT */
/* Edits of a text, and the unified diff of two texts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Replaces `length` bytes at `at` by `text`. */
typedef struct text_edit {
    size_t at, length;
    char *text;
} text_edit;

typedef struct text_edits {
    text_edit *items;
    size_t count;
    bool has_failed; /* out of memory */
} text_edits;

/* Adds an edit. Edits must not overlap. */
void text_edits_add(text_edits *to, size_t at, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void text_edits_clear(text_edits *edits);
/* Size in bytes of `inserted` at that place: its lines end as those around them do. */
size_t text_edit_size(const char *inserted, const char *text, size_t at);
/* Whether two edits change the same bytes, so that they cannot be applied. Sorts them by place. */
bool text_edits_overlap(text_edits *edits);
/* Returns the changed text, malloc'ed; NULL if out of memory. */
char *text_edits_apply(text_edits *edits, const char *text, size_t length, size_t *out_length);

/* Receives a run of changed lines: `count` from `first` on (from 1) become `text`; 0: it is
 * inserted before `first`. False stops. */
typedef bool line_change_fn(void *user, const char *name, size_t first, size_t count,
                            const char *text, size_t length);
/* Writes the unified diff of a/NAME and b/NAME, or nothing if the texts are equal, and tells its
 * changes (`told` may be NULL). False if out of memory, or if `told` returned false. */
bool unified_diff(FILE *out, const char *name, const char *before, size_t before_length,
                  const char *after, size_t after_length, line_change_fn *told, void *user);
