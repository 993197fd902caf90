/* SPDX-License-Identifier: MIT */
/*
 * What `smemprobe fix` shows of a solution. Internal to the analyzer.
 */
#pragma once

#include "fix_text.h"

/* A form of one array, in numbers that a table shows. */
typedef struct fix_row {
    const fix_array *array;
    smp_fix_form form;
    fix_price price;
    bool fits; /* the hardware can run it: aligned, and not larger than a block's memory */
    bool is_chosen;
    uint32_t blocks; /* resident on an SM of the first architecture */
} fix_row;

enum { FIX_ROWS_MAX = 8 };

/* fix_row.c: weighs any form of an array completely. */
fix_row fix_row_of(const smp_fix *fix, const fix_array *array, const smp_fix_form *form);
/* The best of every kind and the array as it is, best first. */
uint32_t fix_rows(const smp_fix *fix, const fix_array *array, fix_row out[FIX_ROWS_MAX]);
/* Blocks with `bytes` of shared memory that one SM of the first architecture holds. */
uint32_t fix_blocks(const smp_fix *fix, uint64_t bytes);
/* False where no layout was weighed, since an array that conflicts must stay as it is. */
bool fix_is_searched(const smp_fix *fix);
/* True for arrays that have a choice worth showing. */
bool fix_is_shown(const fix_array *array);

/* What one access costs in one form on one architecture. */
typedef struct fix_cost {
    bool fits, is_misaligned;
    bool is_open;     /* some of it is not modelled */
    bool takes_steps; /* on CC 1.x, with one way */
    smp_tally sum;
} fix_cost;

fix_cost fix_cost_of(const fix_array *array, const smp_fix_form *form, const smp_arch *arch,
                     size_t source);
/* The widest access of an array that is wider than `width`; -1: there is none. */
int fix_widest_access(const smp_fix *fix, const fix_array *array, uint32_t width);

/* "'ld tile[i][j]'", shortened, and the short text of a form; both return `text`. */
enum { FIX_NAME_BYTES = 80, FIX_FORM_BYTES = 160 };
const char *fix_access_name(const smp_fix *fix, size_t access, char text[FIX_NAME_BYTES]);
const char *fix_form_name(const smp_fix_form *form, char text[FIX_FORM_BYTES]);

/* fix_progress.c: calls `add` with every line of one kind, or of all kinds (NULL). */
typedef void (*fix_line_fn)(void *user, const char *kind, const char *text);
void fix_notes_tell(const fix_notes *notes, const char *kind, fix_line_fn add, void *user);
/* fix_pitfalls.c: what would have gone wrong, one line each. */
void fix_pitfalls(const smp_fix *fix, fix_line_fn add, void *user);
/* Why nothing frees all accesses, and which of them prevents it. */
static inline void fix_obstacles(const smp_fix *fix, fix_line_fn add, void *user) {
    fix_notes_tell(&fix->obstacles, NULL, add, user);
}
/* Advice of one kind, or all of it (NULL). */
static inline void fix_advice(const smp_fix *fix, const char *kind, fix_line_fn add, void *user) {
    fix_notes_tell(&fix->advice, kind, add, user);
}

/* fix_why.c: why the chosen form of an array works. Returns the length. */
size_t fix_why(const smp_fix *fix, const fix_array *array, char *text, size_t size);
