/* SPDX-License-Identifier: MIT */
/*
 * A source with the user's headers in the place of their #include lines, so that one text holds
 * all that the source model reads, and all that a repair may change. Marks stand where a header
 * begins and ends, and hide lines that only a header may have.
 */
#pragma once

#include "smp_model.h"

enum { JOINED_FILES = 32 };

typedef struct joined {
    char *text; /* NULL: no header has what is needed, or some cannot be joined */
    size_t length;
    char *paths[JOINED_FILES]; /* the source and its headers */
    unsigned count;            /* 0 if there is no text */
} joined;

/* Joins headers of the source at `path`, which `text` holds: those in quotes from the folder of the
 * including file, and those that a -I of `flags` finds, if that is a relative path or leads into
 * the project or the current folder. Other headers, such as the toolkit's, remain #include lines. A
 * header that is included twice must have a guard, and the first time must not be under a
 * condition. `needed`: what some header must contain, such as "__shared__", or "". Returns
 * false if a header cannot be joined. The caller clears *out. */
bool joined_make(const char *path, const char *text, size_t length, const char *const *flags,
                 uint32_t flag_count, const char *needed, joined *out);
void joined_clear(joined *of);

/* The part of file `index` in the joined text or a changed one, malloc'ed; NULL if out of memory.
 */
char *joined_part(const char *text, size_t length, unsigned index, size_t *out_length);
/* Converts a line of the joined text to a line of the file paths[*index]. */
unsigned joined_line(const joined *of, unsigned line, unsigned *index);
