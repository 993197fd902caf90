/* SPDX-License-Identifier: MIT */
/*
 * The layout that the command line gives: a file, or accesses and options.
 */
#pragma once

#include "command.h"
#include "smp_layout.h"

/* What the command line gave as layout. */
typedef struct layout_source {
    smp_layout *layout;
    const char *file; /* NULL: accesses and options */
    char *text;       /* of the file */
    size_t length;
    const char *const *words; /* the caller's: the file, or the accesses */
    unsigned count;
} layout_source;

/* Options that are lines of a layout file, too: their names are its keywords. They stand in the
 * order in which they are needed: constants before what uses them. */
enum { LAYOUT_OPTIONS = 8 };
extern const smp_option layout_options[LAYOUT_OPTIONS];

/* Reads the layout file that the words name, or the accesses that they are and their options.
 * Complains and returns the exit status; *out must be cleared in any case. */
int layout_source_read(const arguments *args, const char *const *words, unsigned count,
                       layout_source *out);
/* The same of an array and an access that the user did not have to give. */
int layout_source_example(const arguments *args, const char *shared, const char *const *access,
                          layout_source *out);
/* Shows what is wrong in `line` of the file, or in access number `line`, counted from 1. */
int layout_source_complain(const layout_source *from, unsigned line, const smp_error *error);
void layout_source_clear(layout_source *from);
/* True if there is an access in source text, a layout file or an array among the arguments. */
bool layout_source_is_given(const arguments *args);
