/* SPDX-License-Identifier: MIT */
/* The parts of a solution that `smemprobe fix` shows. Internal to the analyzer. */
#pragma once

#include "fix_text.h"

/* A form of one array, with the figures of a table. */
typedef struct fix_row {
    const fix_array *array;
    smp_fix_form form;
    fix_price price;
    bool fits; /* aligned and within a block's memory */
    bool is_chosen;
    uint32_t blocks; /* resident per SM of the first architecture */
} fix_row;

enum { FIX_ROWS_MAX = 8 };

/* fix_row.c: evaluates a form completely. */
fix_row fix_row_of(const smp_fix *fix, const fix_array *array, const smp_fix_form *form);
/* The best form of every kind and the unchanged array, best first. */
uint32_t fix_rows(const smp_fix *fix, const fix_array *array, fix_row out[FIX_ROWS_MAX]);
/* Blocks with `bytes` of shared memory that are resident on an SM of the first architecture. */
uint32_t fix_blocks(const smp_fix *fix, uint64_t bytes);
/* False if no layout was evaluated, since an array that conflicts must not change. */
bool fix_is_searched(const smp_fix *fix);
/* True for arrays with a choice worth showing. */
bool fix_is_shown(const fix_array *array);

/* The widest access of an array that is wider than `width`, or -1. */
int fix_widest_access(const smp_fix *fix, const fix_array *array, uint32_t width);

/* The shortened text of an access, "'ld tile[i][j]'", and of a form; both return `text`. */
enum { FIX_NAME_BYTES = 80, FIX_FORM_BYTES = 160 };
const char *fix_access_name(const smp_fix *fix, size_t access, char text[FIX_NAME_BYTES]);
const char *fix_form_name(const smp_fix_form *form, char text[FIX_FORM_BYTES]);

/* fix_progress.c: calls `add` for every line of a kind, or of all kinds (NULL). */
typedef void (*fix_line_fn)(void *user, const char *kind, const char *text);
void fix_notes_tell(const fix_notes *notes, const char *kind, fix_line_fn add, void *user);
/* fix_pitfalls.c: mistakes close to the solution, one line each. */
void fix_pitfalls(const smp_fix *fix, fix_line_fn add, void *user);
/* Why conflicts remain, and which accesses cause that. */
static inline void fix_obstacles(const smp_fix *fix, fix_line_fn add, void *user) {
    fix_notes_tell(&fix->obstacles, NULL, add, user);
}
/* Advice of one kind, or all (NULL). */
static inline void fix_advice(const smp_fix *fix, const char *kind, fix_line_fn add, void *user) {
    fix_notes_tell(&fix->advice, kind, add, user);
}

/* fix_why.c: explains why the chosen form works. Returns the length. */
size_t fix_why(const smp_fix *fix, const fix_array *array, char *text, size_t size);
