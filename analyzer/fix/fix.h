/* SPDX-License-Identifier: MIT */
/*
 * The solver behind `smemprobe fix`. The accesses of a layout are evaluated once, giving the
 * element that each lane accesses (fix_collect.c). A form maps elements to addresses
 * (fix_form.c); its price is the model's prediction for these addresses (fix_score.c).
 * fix_space.c and fix_linear.c search the spaces of forms, one array at a time, since the costs
 * of arrays add up. fix_place.c combines the arrays under the memory limit, and fix_verify.c
 * checks the written result with the front end. Internal to the analyzer.
 */
#pragma once

#include "fix_global.h"
#include "layout_view.h"
#include "list.h"
#include "smp_fix.h"
#include "tally.h"

enum {
    FIX_CLASSES_MAX = 16,
    FIX_PATTERNS_MAX = 1 << 16,
    FIX_FRONT_MAX = 24, /* forms kept per kind and array: each has fewer bytes or less excess */
    FIX_REASON_MAX = 200,
    FIX_ARCHS_MAX = 64,
};

/* Architectures with equal costs. */
typedef struct fix_class {
    smp_arch arch;   /* the one with the most memory per block */
    uint32_t weight; /* number of architectures */
} fix_class;

/* A distinct request: the elements that its lanes access. */
typedef struct fix_pattern {
    smp_access access; /* original offsets from the start of shared memory */
    uint32_t index[SMP_DIMS_MAX][SMP_LANES];
    uint32_t flat[SMP_LANES]; /* row-major number of the element */
    uint32_t rest[SMP_LANES]; /* byte within the element */
    uint32_t source;          /* access of the layout */
    bool is_open;             /* its cost depends on data and is not counted */
    uint64_t times;
    /* Excess on each class: without any conflict, and a lower bound for all layouts that keep the
     * array's units whole. */
    uint32_t floor[FIX_CLASSES_MAX], bound[FIX_CLASSES_MAX];
} fix_pattern;

/* Representative patterns: each other pattern costs as much as one of these, in every form of a
 * family. */
typedef struct fix_sample {
    uint32_t count;
    uint32_t *pattern; /* index into fix_array.patterns, worst first */
    uint64_t *times;
    uint64_t *rest; /* [class * (count + 1) + i]: sum of the bounds from pattern i on */
} fix_sample;

/* Ranked as in smp_fix.h: by excess, then transactions, both weighted by class, then by the rest.
 */
typedef struct fix_price {
    smp_tally cost;
    uint64_t bytes;
    uint32_t instructions;
} fix_price;

typedef struct fix_candidate {
    smp_fix_form form;
    fix_price price;
} fix_candidate;

typedef struct fix_front {
    uint32_t count;
    fix_candidate item[FIX_FRONT_MAX]; /* sorted by bytes, with falling excess */
} fix_front;

typedef struct fix_array {
    const smp_array *array; /* in the original layout */
    bool is_fixed;          /* must not change, because of `reason` */
    char reason[FIX_REASON_MAX];
    bool is_kept;         /* requested by smp_fix_options.keep */
    bool crosses_rows;    /* a vector crosses the end of a row */
    bool is_remote;       /* other blocks of the cluster access it */
    bool reads_data;      /* an index reads memory, so it must not be duplicated */
    uint32_t unit_bytes;  /* width of the widest vector, which must stay whole and aligned */
    uint32_t align_bytes; /* moving the array by a multiple of this changes no cost */
    uint32_t reach;       /* number of elements up to the last accessed or declared one */
    uint32_t pattern_count;
    fix_pattern *patterns;
    smp_access_set seen; /* their accesses, one per row, tagged with their source */
    uint8_t *vectors;    /* widest access to each 4-byte word */
    fix_sample all, shifted,
        mirrored; /* all patterns; without those equal after a shift; after an exclusive-or */
    smp_fix_form keep;
    fix_price before;
    uint64_t bound, floor; /* excess of every layout; excess without any conflict */
    fix_front *fronts;     /* [kind]; owned */
    fix_candidate chosen;
    uint32_t align_as; /* alignment needed in the declaration, or 0 */
} fix_array;

/* Lines for the user. */
typedef struct fix_note {
    const char *kind; /* static */
    char *text;       /* owned */
} fix_note;

typedef struct fix_notes {
    size_t count;
    fix_note *items; /* owned */
} fix_notes;

/* State of the progress callback, shared by nested searches. */
typedef struct fix_progress {
    smp_fix_progress_fn ask; /* may be NULL */
    void *user;
    smp_fix_phase phase;
    uint64_t work, next; /* predictions made; number at which to ask again */
    uint64_t done;       /* requests read or layouts evaluated */
    smp_fix_wish wish;   /* why the search ended */
    bool gives_up;       /* stop outside the search */
} fix_progress;

struct smp_fix {
    const char *text;
    size_t length;
    smp_layout *layout;
    smp_fix_options options;
    int64_t skipped;  /* ignored access, or -1 */
    const char *only; /* name, in `text`, of the only array to search; NULL: all */
    uint32_t class_count;
    fix_class classes[FIX_CLASSES_MAX];
    uint32_t arch_count; /* architectures with all operations and enough memory */
    smp_arch archs[FIX_ARCHS_MAX];
    uint32_t array_count;
    fix_array arrays[SMP_ARRAYS_MAX];
    uint64_t limit_bytes;
    bool is_static_limit; /* limit_bytes is the limit without opt-in */
    bool is_cut_short;    /* some space was not searched completely */
    fix_progress own_progress, *progress;
    uint64_t scored;
    fix_notes obstacles; /* reasons why a conflict remains */
    fix_notes advice;    /* about global memory and the width of accesses */
    uint32_t global_count;
    fix_global globals[SMP_ARRAYS_MAX]; /* arrays in global memory that move more than needed */
    smp_layout *fixed;                  /* the written result, parsed */
    char *fixed_text;
    size_t fixed_length;
    smp_totals *before, *after; /* [arch * accesses + access] */
    smp_fix_result result;
};

/* Totals of an access on one architecture, before and after. */
static inline const smp_totals *fix_before(const smp_fix *fix, uint32_t arch, size_t access) {
    return &fix->before[arch * smp_layout_access_count(fix->layout) + access];
}
static inline const smp_totals *fix_after(const smp_fix *fix, uint32_t arch, size_t access) {
    return &fix->after[arch * smp_layout_access_count(fix->layout) + access];
}

/* fix_form.c */

/* A form, prepared for many elements. */
typedef struct fix_map {
    const smp_fix_form *form;
    uint32_t stride[SMP_DIMS_MAX];
    uint32_t element_bytes, columns;
    uint32_t column_mask; /* columns - 1 if that is a power of two, else 0 */
    int every_shift;      /* log2(form->every), or -1 if not a power of two */
} fix_map;

void fix_map_init(fix_map *map, const smp_fix_form *form);
/* Byte offsets of a pattern's elements from the start of the array. */
void fix_map_lanes(const fix_map *map, const fix_pattern *pattern, uint32_t out[SMP_LANES]);
/* Byte offsets of 32 elements from row-major number `first` on. */
void fix_map_elements(const fix_map *map, uint32_t first, uint32_t out[SMP_LANES]);
/* Memory needed for the first `reach` elements of the row-major array, in elements. */
uint64_t fix_form_elements(const smp_fix_form *form, uint32_t reach);
uint64_t fix_form_bytes(const smp_fix_form *form, uint32_t reach);
/* Additional integer instructions per index. */
uint32_t fix_form_instructions(const smp_fix_form *form);
/* True if the exclusive-or changes only the column, so that indices can be rewritten separately. */
bool fix_form_stays_in_row(const smp_fix_form *form);
/* True if not: C then needs one dimension, with room for elements beyond the last row. */
bool fix_form_is_flat(const smp_fix_form *form);

/* fix_progress.c: appends a line, or drops it if out of memory. */
void fix_note_add(fix_notes *notes, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fix_notes_clear(fix_notes *notes);

/* fix_global.c: finds better orders of the arrays in global memory. */
void fix_globals_find(smp_fix *fix);
/* fix_global_apply.c: writes the best of these into the fixed text where possible, and checks that
 * every lane of every request is at its new address, with the promised number of sectors. */
smp_status fix_globals_apply(smp_fix *fix, smp_error *error);
/* fix_wide.c: finds accesses that one access of 8 or 16 bytes can replace. */
void fix_wide_find(smp_fix *fix);

/* fix_progress.c */

/* Counts `work` predictions and calls the callback now and then; false: stop. */
bool fix_goes_on(const smp_fix *fix, uint32_t work);
/* The same after one request; `user` is the fix. */
bool fix_request_goes_on(void *user);
/* False if the caller has asked to stop; does not call back. */
bool fix_is_wanted(const smp_fix *fix);
void fix_phase_begin(smp_fix *fix, smp_fix_phase phase);
smp_status fix_interrupted(smp_error *error);

/* fix_collect.c: fills the arrays with the patterns of all accesses except the skipped one. */
smp_status fix_collect(smp_fix *fix, unsigned *line, smp_error *error);
void fix_array_clear(fix_array *array);
static inline uint32_t fix_log2(uint32_t value) {
    return 31u - (uint32_t)__builtin_clz(value);
}
static inline bool fix_is_power(uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/* fix_rewrite.c: true if an access uses `array` only with all indices, so that they can be
 * rewritten. */
bool fix_is_indexed(const char *text, size_t length, const smp_array *array);

/* fix_sample.c: finds the representative patterns of each family. */
bool fix_sample_all(const smp_fix *fix, fix_array *array);

/* fix_score.c */

/* Predicts `access`, which is `pattern` in some form. */
smp_status fix_predict(const smp_arch *arch, const fix_pattern *pattern, const smp_access *access,
                       smp_counts *out);
/* Additional passes of a group of lanes in any layout: 16-byte accesses of 2.x. */
uint32_t fix_passes_beyond_words(const smp_arch *arch, const smp_counts *counts, unsigned group);
/* Computes floor and bound of every pattern and of the array, and its current price. */
smp_status fix_judge(const smp_fix *fix, fix_array *array);
/* Computes the price of `form`; false if the hardware rejects it or its excess exceeds `limit`. */
bool fix_score(const smp_fix *fix, const fix_array *array, const smp_fix_form *form,
               const fix_sample *sample, uint64_t limit, fix_price *out);
/* -1, 0 or 1: a is better, equal or worse. */
int fix_price_compare(const fix_price *a, const fix_price *b);
/* Evaluates a form and keeps it if it is better than the known ones of its kind. */
void fix_weigh(smp_fix *fix, fix_array *array, const smp_fix_form *form, const fix_sample *sample);
/* The best form of a kind, or of all kinds (SMP_FIX_KIND_COUNT), with at most `bytes` additional
 * bytes; NULL if there is none. */
const fix_candidate *fix_best(const fix_array *array, smp_fix_kind kind, uint64_t bytes);
/* True if nothing can be better: the bound is reached without additional bytes. */
bool fix_is_settled(const fix_array *array);

/* fix_place.c: places the chosen forms in memory; false if they overlap. */
bool fix_place_all(smp_fix *fix, uint64_t *bytes);
/* Chooses a form for each array within the limit; false if nothing fits. */
bool fix_choose(smp_fix *fix);

/* fix_verify.c: writes the layout file, parses it and compares every lane of every request with the
 * solver's; fills `after` and the file's text. */
smp_status fix_verify(smp_fix *fix, smp_error *error);
/* The pattern of a request of layout access `source`, or NULL. */
fix_pattern *fix_pattern_find(const fix_array *array, const smp_access *access, uint32_t source);

/* fix_obstacle.c: finds the reasons why conflicts remain. */
void fix_obstacles_find(smp_fix *fix);

/* fix_solve.c: solves *fix, whose layout has been read; fails like smp_fix_solve. */
smp_status fix_solve(smp_fix *fix, unsigned *line, smp_error *error);
/* Solves the problem for one array without one of its accesses; NULL if that fails. */
smp_fix *fix_solve_without(const smp_fix *fix, const fix_array *array, size_t access);

/* fix_space.c, fix_linear.c: the families of forms. */
void fix_search_pads(smp_fix *fix, fix_array *array);
void fix_search_swizzles(smp_fix *fix, fix_array *array);
void fix_search_rotations(smp_fix *fix, fix_array *array);
void fix_search_padded_swizzles(smp_fix *fix, fix_array *array);
void fix_search_linear(smp_fix *fix, fix_array *array);
/* True if the array's accesses allow padding its structs. */
bool fix_is_widenable(const smp_fix *fix, const fix_array *array);
/* Another array of the same struct, or NULL. */
const smp_array *fix_type_sharer(const smp_fix *fix, const fix_array *array);
/* Period of the banks on all classes, in bytes. */
uint32_t fix_period_bytes(const smp_fix *fix);
/* Bits [*low, *high) of the element's index choose the bank, without those within a unit. */
void fix_bank_bits(const smp_fix *fix, const fix_array *array, uint32_t *low, uint32_t *high);

/* fix_collect.c: parses `text` as a layout. */
smp_status fix_read(const char *text, size_t length, smp_layout **out, unsigned *line,
                    smp_error *error);
static inline bool fix_searches(const smp_fix *fix, smp_fix_kind kind) {
    return fix->options.kinds == 0 || (fix->options.kinds >> kind & 1);
}
/* True if access `index` of the layout uses the array. */
static inline bool fix_reaches(const smp_fix *fix, size_t index, const fix_array *array) {
    return smp_layout_target(fix->layout, index) == array->array;
}
