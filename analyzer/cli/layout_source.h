/* SPDX-License-Identifier: MIT */
/* The layout of the command line: a file, or accesses and options. */
#pragma once

#include "ask.h"
#include "smp_layout.h"

/* A layout and where it came from. */
typedef struct layout_source {
    smp_layout *layout;
    const char *file; /* NULL for accesses and options */
    char *text;       /* the file's text */
    size_t length;
    const char *const *words; /* owned by the caller: the file, or the accesses */
    unsigned count;
} layout_source;

/* Options that are also lines of a layout file; their names are its keywords. Constants come before
 * their uses. */
enum { LAYOUT_OPTIONS = 8 };
extern const smp_option layout_options[LAYOUT_OPTIONS];

/* Reads the layout file that the arguments name, or the accesses that they are, with the options.
 * Reports errors and returns the exit status. Always clear *out. */
int layout_source_read(const arguments *args, const char *const *words, unsigned count,
                       layout_source *out);
/* The same for a default array and default accesses. */
int layout_source_example(const arguments *args, const char *shared, const char *const *access,
                          layout_source *out);
/* Reports an error in `line` of the file, or in access number `line`, from 1. */
int layout_source_complain(const layout_source *from, unsigned line, const smp_error *error);
void layout_source_clear(layout_source *from);
/* The architectures of --arch, else of the file, else sm_90. */
smp_status layout_source_archs(const arguments *args, const layout_source *from, arch_list *out,
                               smp_error *error);
/* The options of a layout, then the accesses or the file, as the lines of one layout file, which
 * the caller frees; NULL if out of memory. layout_options_given counts the lines of options. */
char *layout_source_text(const arguments *args, const layout_source *from, size_t *length);
unsigned layout_options_given(const arguments *args);
/* Whether the arguments contain an access in source text, a layout file or an array. */
bool layout_source_is_given(const arguments *args);
