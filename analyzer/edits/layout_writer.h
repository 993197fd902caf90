/* SPDX-License-Identifier: MIT */
/* Shared by the files that write a layout. */
#pragma once

#include "layout_edit.h"
#include "layout_factor.h"
#include "shared_names.h"

/* A generated function that maps an index to a place. Names with equal elements share one. */
typedef struct layout_helper {
    char name[140];
    layout_change change; /* in elements of those names */
    size_t at;            /* where it is inserted: before all its callers */
} layout_helper;

enum { LAYOUT_HELPERS_MAX = 2 * SHARED_NAMES_MAX };

typedef struct layout_helpers {
    layout_helper list[LAYOUT_HELPERS_MAX];
    unsigned count;
} layout_helpers;

typedef struct layout_writer {
    const char *text;
    const host_scope *scope; /* meaning of names in the kernel; NULL if unknown */
    const shared_names *names;
    unsigned name;               /* name whose uses are being written */
    const layout_change *change; /* in elements of that name */
    const layout_change *whole;  /* in elements of the array */
    layout_helpers *helpers;
    text_edits *edits;
    char *why;
} layout_writer;

/* Stores why the layout cannot be written, and returns false. */
bool layout_refuse(const layout_writer *w, size_t at, const char *what);

/* layout_helper.c: whether an index contains another use of the array, which cannot be rewritten
 * at the same time. */
bool layout_is_nested(const layout_writer *w, const shared_use *use);

/* layout_helper.c: wraps the index in a call of a function that layout_helpers_write adds. */
void layout_call_helper(const layout_writer *w, host_span index);
void layout_helpers_write(const char *text, const layout_helpers *helpers, text_edits *edits);
/* Returns the beginning of the function that contains `at`, before its comment if other text
 * precedes it. */
size_t layout_function_begin(const char *text, size_t at);
/* Inserts whole lines at that place, separated by an empty line. */
void layout_insert(const char *text, size_t at, const char *lines, text_edits *edits);
/* Converts the change to elements of another type. False if it does not fit. */
bool layout_scale(const char *text, host_span type, layout_change *change);
/* '-' if elements are taken away, else '+'. */
char layout_sign(int32_t pad);
/* Writes " * 4", or nothing for 1. */
void layout_times_text(uint32_t factor, char out[24]);

/* layout_rows.c: lengthens the rows where the text gives their length. False if it does not. */
bool layout_lengthen(const layout_writer *w, host_span length);
bool layout_lengthen_factors(const layout_writer *w, host_span index);
/* Whether the index has such a row length as a factor. */
bool layout_has_row(const layout_writer *w, host_span index);
void layout_lengthen_extent(const layout_writer *w, host_span extent);

/* layout_launch.c: increases the dynamic bytes in this file's launches of the kernel that declares
 * the array. Refuses if there is no such launch, or one is not understood. */
bool layout_lengthen_launches(const layout_writer *w);

/* layout_struct.c: makes struct elements longer. */
bool layout_write_struct(const layout_writer *w);
/* layout_apart.c: turns an array of structs into a struct of arrays. */
bool layout_write_apart(const layout_writer *w);
