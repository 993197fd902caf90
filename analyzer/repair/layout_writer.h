/* SPDX-License-Identifier: MIT */
/*
 * What the parts of writing a layout share.
 */
#pragma once

#include "layout_edit.h"
#include "layout_factor.h"
#include "shared_names.h"

/* A function that says where an element lies; names of equal elements share one. */
typedef struct layout_helper {
    char name[140];
    layout_change change; /* in their elements */
    size_t at;            /* in front of all that call it */
} layout_helper;

enum { LAYOUT_HELPERS_MAX = 2 * SHARED_NAMES_MAX };

typedef struct layout_helpers {
    layout_helper list[LAYOUT_HELPERS_MAX];
    unsigned count;
} layout_helpers;

typedef struct layout_writer {
    const char *text;
    const host_scope *scope; /* what names mean in the kernel; NULL: not known */
    const shared_names *names;
    unsigned name;               /* whose uses are written */
    const layout_change *change; /* in its elements */
    const layout_change *whole;  /* in the array's */
    layout_helpers *helpers;
    text_edits *edits;
    char *why;
} layout_writer;

/* Why the layout cannot be written: false. */
bool layout_refuse(const layout_writer *w, size_t at, const char *what);

/* layout_helper.c: an index of the array inside of one cannot be written at the same time. */
bool layout_is_nested(const layout_writer *w, const shared_use *use);

/* layout_helper.c: the index goes through a function, which layout_helpers_write adds. */
void layout_call_helper(const layout_writer *w, host_span index);
void layout_helpers_write(const char *text, const layout_helpers *helpers, text_edits *edits);
/* In front of the function that holds `at`, and of its comment where something stands before. */
size_t layout_function_begin(const char *text, size_t at);
/* Whole lines at that place, and a line between them and what stands there. */
void layout_insert(const char *text, size_t at, const char *lines, text_edits *edits);
/* In the elements of a pointer to another type. False: they do not fit. */
bool layout_scale(host_span type, layout_change *change);
/* " * 4"; nothing for 1. */
void layout_times_text(uint32_t factor, char out[24]);

/* layout_rows.c: makes rows longer where the text says how long they are. False: it does not. */
bool layout_lengthen(const layout_writer *w, host_span length);
bool layout_lengthen_factors(const layout_writer *w, host_span index);
void layout_lengthen_extent(const layout_writer *w, host_span extent);

/* layout_launch.c: the bytes of the launches of the kernel that declares it, which are in this
 * file. False: none is. */
bool layout_lengthen_launches(const layout_writer *w);

/* layout_struct.c: elements that are structs get longer. */
bool layout_write_struct(const layout_writer *w);
/* layout_apart.c: an array of structs becomes a struct of arrays. */
bool layout_write_apart(const layout_writer *w);
