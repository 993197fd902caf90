/* SPDX-License-Identifier: MIT */
/*
 * The solver behind `smemprobe fix`. The accesses of a layout are evaluated once, to which element
 * of which array each lane wants (fix_collect.c); a form says where elements lie (fix_form.c); its
 * price is what the model predicts for the addresses that come out (fix_score.c). The spaces of
 * forms are walked in fix_space.c and fix_linear.c, one array at a time, for the costs of arrays
 * add up; fix_place.c puts them together under the memory limit and has the plain front end
 * check the written result. Internal to the analyzer.
 */
#pragma once

#include "fix_global.h"
#include "layout_view.h"
#include "smp_fix.h"
#include "tally.h"

enum {
    FIX_CLASSES_MAX = 16,
    FIX_PATTERNS_MAX = 1 << 16,
    FIX_FRONT_MAX =
        24, /* forms kept of one kind of one array: each has fewer bytes or less excess */
    FIX_REASON_MAX = 200,
    FIX_ARCHS_MAX = 64,
};

/* Architectures that cost alike. */
typedef struct fix_class {
    smp_arch arch;   /* of the largest block */
    uint32_t weight; /* how many there are */
} fix_class;

/* One request, equal ones only once: which elements its lanes want. */
typedef struct fix_pattern {
    smp_access access; /* offsets as written, from the start of shared memory */
    uint32_t index[SMP_DIMS_MAX][SMP_LANES];
    uint32_t flat[SMP_LANES]; /* row-major number of the element */
    uint32_t rest[SMP_LANES]; /* byte in the element */
    uint32_t source;          /* access of the layout */
    bool is_open;             /* its cost depends on data, so it counts nothing */
    uint64_t times;
    /* On each class, as excess: what is left without any conflict, and a bound that no layout beats
     * that keeps the units of the array whole. */
    uint32_t floor[FIX_CLASSES_MAX], bound[FIX_CLASSES_MAX];
} fix_pattern;

/* Patterns that stand for all: each one left out costs what one of these costs, in every form of a
 * family. */
typedef struct fix_sample {
    uint32_t count;
    uint32_t *pattern; /* index into fix_array.patterns, the worst first */
    uint64_t *times;
    uint64_t *rest; /* [class * (count + 1) + i]: the sum of the bounds from pattern i on */
} fix_sample;

/* Ranked as smp_fix.h says: by the excess and the transactions of all requests, on every class by
 * its weight, then by the rest. */
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
    fix_candidate item[FIX_FRONT_MAX]; /* by bytes, falling excess */
} fix_front;

typedef struct fix_array {
    const smp_array *array; /* of the layout as written */
    bool is_fixed;          /* must stay as it is: */
    char reason[FIX_REASON_MAX];
    bool is_kept;         /* asked for by smp_fix_options.keep */
    bool crosses_rows;    /* a vector goes beyond the end of a row */
    bool is_remote;       /* other blocks of the cluster read it */
    bool reads_data;      /* an index reads memory, so it must not be written twice */
    uint32_t unit_bytes;  /* width of the widest vector, whose bytes stay together and aligned */
    uint32_t align_bytes; /* moving the array by this much changes no cost */
    uint32_t reach;       /* elements up to the last one that is accessed or declared */
    uint32_t pattern_count;
    fix_pattern *patterns;
    smp_access_set seen; /* their accesses, row by row; tagged with their source */
    uint8_t *vectors;    /* the widest access to each 4-byte word */
    fix_sample all, shifted,
        mirrored; /* all; one for those that are equal when shifted; when xor-ed */
    smp_fix_form keep;
    fix_price before;
    uint64_t bound, floor; /* excess that every layout has; that is left without any conflict */
    fix_front *fronts;     /* [kind]; owned */
    fix_candidate chosen;
    uint32_t align_as; /* alignment that the declaration must ask for, 0: none */
} fix_array;

/* A line for the user, and lists of them. */
typedef struct fix_note {
    const char *kind; /* static */
    char *text;       /* owned */
} fix_note;

typedef struct fix_notes {
    size_t count;
    fix_note *items; /* owned */
} fix_notes;

/* How the caller is asked whether to go on. Searches within a search use the same one. */
typedef struct fix_progress {
    smp_fix_progress_fn ask; /* NULL: nobody is asked */
    void *user;
    smp_fix_phase phase;
    uint64_t work, next; /* predictions made; how many to make before asking again */
    uint64_t done;       /* requests read or layouts weighed */
    smp_fix_wish wish;   /* what ended the search */
    bool gives_up;       /* outside the search */
} fix_progress;

struct smp_fix {
    const char *text;
    size_t length;
    smp_layout *layout;
    smp_fix_options options;
    int64_t skipped;  /* the access that is left out; -1: none */
    const char *only; /* the only array that is then searched: its name in `text`; NULL: all */
    uint32_t class_count;
    fix_class classes[FIX_CLASSES_MAX];
    uint32_t arch_count; /* architectures that have all operations and the memory */
    smp_arch archs[FIX_ARCHS_MAX];
    uint32_t array_count;
    fix_array arrays[SMP_ARRAYS_MAX];
    uint64_t limit_bytes;
    bool is_static_limit; /* limit_bytes is what a kernel gets without opting in to more */
    bool is_cut_short;    /* some space was not searched to its end */
    fix_progress own_progress, *progress;
    uint64_t scored;
    fix_notes obstacles; /* what stands in the way */
    fix_notes advice;    /* on global memory and on the width of accesses */
    uint32_t global_count;
    fix_global globals[SMP_ARRAYS_MAX]; /* arrays in global memory that move too much */
    smp_layout *fixed;                  /* the written result, read again */
    char *fixed_text;
    size_t fixed_length;
    smp_totals *before, *after; /* [arch * accesses + access] */
    smp_fix_result result;
};

/* Totals of an access on one architecture, as written and in the fixed version. */
static inline const smp_totals *fix_before(const smp_fix *fix, uint32_t arch, size_t access) {
    return &fix->before[arch * smp_layout_access_count(fix->layout) + access];
}
static inline const smp_totals *fix_after(const smp_fix *fix, uint32_t arch, size_t access) {
    return &fix->after[arch * smp_layout_access_count(fix->layout) + access];
}

/* fix_form.c */

/* A form made ready for many elements. */
typedef struct fix_map {
    const smp_fix_form *form;
    uint32_t stride[SMP_DIMS_MAX];
    uint32_t element_bytes, columns;
    uint32_t column_mask; /* columns - 1 if that is a power of two, else 0 */
    int every_shift;      /* log2(form->every), -1 if it is no power of two */
} fix_map;

void fix_map_init(fix_map *map, const smp_fix_form *form);
/* Where the elements of all lanes of a pattern lie: bytes from the start of the array. */
void fix_map_lanes(const fix_map *map, const fix_pattern *pattern, uint32_t out[SMP_LANES]);
/* Elements of memory that the form needs for the first `reach` elements of the row-major array. */
uint64_t fix_form_elements(const smp_fix_form *form, uint32_t reach);
uint64_t fix_form_bytes(const smp_fix_form *form, uint32_t reach);
/* Integer instructions that an index takes in addition to a plain one. */
uint32_t fix_form_instructions(const smp_fix_form *form);
/* The exclusive-or changes the column alone, so that indices may be rewritten one by one. */
bool fix_form_stays_in_row(const smp_fix_form *form);
/* It does not, so C declares one dimension, with room for the elements that leave the last row. */
bool fix_form_is_flat(const smp_fix_form *form);

/* fix_progress.c: appends a line; one that finds no memory is left out. */
void fix_note_add(fix_notes *notes, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fix_notes_clear(fix_notes *notes);

/* fix_global.c: what another order of each array in global memory would move. */
void fix_globals_find(smp_fix *fix);
/* fix_global_apply.c: writes the best of these into the fixed text where that is possible, and
 * checks it: every lane of every request must go where the change says, at the promised number of
 * sectors. */
smp_status fix_globals_apply(smp_fix *fix, smp_error *error);
/* fix_wide.c: where one access of 8 or 16 bytes can do what several do. */
void fix_wide_find(smp_fix *fix);

/* fix_progress.c */

/* Counts `work` predictions, and asks the caller now and then; false: stop. */
bool fix_goes_on(const smp_fix *fix, uint32_t work);
/* The same after one request was evaluated; `user` is the fix. */
bool fix_request_goes_on(void *user);
/* False if the caller has asked to stop; asks nothing. */
bool fix_is_wanted(const smp_fix *fix);
void fix_phase_begin(smp_fix *fix, smp_fix_phase phase);
smp_status fix_interrupted(smp_error *error);

/* fix_collect.c: fills the arrays with the patterns of all accesses but the skipped one. */
smp_status fix_collect(smp_fix *fix, unsigned *line, smp_error *error);
void fix_array_clear(fix_array *array);
static inline uint32_t fix_log2(uint32_t value) {
    return 31u - (uint32_t)__builtin_clz(value);
}
static inline bool fix_is_power(uint32_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/* fix_rewrite.c: true if an access mentions `array` only as elements with all indices, so that new
 * indices can be written. */
bool fix_is_indexed(const char *text, size_t length, const smp_array *array);

/* fix_sample.c: finds the patterns that are enough to weigh each family. */
bool fix_sample_all(const smp_fix *fix, fix_array *array);

/* fix_score.c */

/* What the model predicts for `access`, which is `pattern` in some form. */
smp_status fix_predict(const smp_arch *arch, const fix_pattern *pattern, const smp_access *access,
                       smp_counts *out);
/* Passes that a group of lanes takes in any layout in addition to those for its words: 16-byte
 * accesses of 2.x. */
uint32_t fix_passes_beyond_words(const smp_arch *arch, const smp_counts *counts, unsigned group);
/* Fills floor and bound of every pattern and of the array, and its price as it is. */
smp_status fix_judge(const smp_fix *fix, fix_array *array);
/* The price of `form`; false if the hardware would refuse it, or if it has more excess than
 * `limit`.
 */
bool fix_score(const smp_fix *fix, const fix_array *array, const smp_fix_form *form,
               const fix_sample *sample, uint64_t limit, fix_price *out);
/* -1, 0, 1: a is better, as good, worse. */
int fix_price_compare(const fix_price *a, const fix_price *b);
/* Weighs one form, and keeps it if it is better than those known of its kind. */
void fix_weigh(smp_fix *fix, fix_array *array, const smp_fix_form *form, const fix_sample *sample);
/* The best of one kind, or of all kinds with `kind` SMP_FIX_KIND_COUNT; NULL: none. At most
 * `bytes` more than as it is. */
const fix_candidate *fix_best(const fix_array *array, smp_fix_kind kind, uint64_t bytes);
/* True if nothing better can be found: the bound is reached, and no byte is added. */
bool fix_is_settled(const fix_array *array);

/* fix_place.c: places the chosen forms in memory; false if they would overlap. */
bool fix_place_all(smp_fix *fix, uint64_t *bytes);
/* Chooses one form for each array, within the limit; false if nothing fits. */
bool fix_choose(smp_fix *fix);

/* fix_verify.c: writes the layout file, reads it again, and compares every lane of every request
 * with what the solver counted on; fills `after` and the file's text. */
smp_status fix_verify(smp_fix *fix, smp_error *error);
/* The pattern of an access of layout access `source`, or NULL. */
fix_pattern *fix_pattern_find(const fix_array *array, const smp_access *access, uint32_t source);

/* fix_obstacle.c: finds out why nothing frees all accesses. */
void fix_obstacles_find(smp_fix *fix);

/* fix_solve.c: searches for what *fix, whose layout was read, asks; on failure as smp_fix_solve. */
smp_status fix_solve(smp_fix *fix, unsigned *line, smp_error *error);
/* The same problem for one array without one of its accesses; NULL if it can't be
 * solved. */
smp_fix *fix_solve_without(const smp_fix *fix, const fix_array *array, size_t access);

/* fix_space.c, fix_linear.c: the families. */
void fix_search_pads(smp_fix *fix, fix_array *array);
void fix_search_swizzles(smp_fix *fix, fix_array *array);
void fix_search_rotations(smp_fix *fix, fix_array *array);
void fix_search_padded_swizzles(smp_fix *fix, fix_array *array);
void fix_search_linear(smp_fix *fix, fix_array *array);
/* The array is of structs that could have bytes added, as far as its accesses go. */
bool fix_is_widenable(const smp_fix *fix, const fix_array *array);
/* Another array of the same struct, which would get these bytes, too; NULL: there is none. */
const smp_array *fix_type_sharer(const smp_fix *fix, const fix_array *array);
/* Bytes after which banks repeat on every class. */
uint32_t fix_period_bytes(const smp_fix *fix);
/* Bits of the element's index that choose the bank, [*low, *high), without those within a unit. */
void fix_bank_bits(const smp_fix *fix, const fix_array *array, uint32_t *low, uint32_t *high);

/* fix_collect.c: reads `text` as a layout. */
smp_status fix_read(const char *text, size_t length, smp_layout **out, unsigned *line,
                    smp_error *error);
/* True if forms of this kind are searched. */
static inline bool fix_searches(const smp_fix *fix, smp_fix_kind kind) {
    return fix->options.kinds == 0 || (fix->options.kinds >> kind & 1);
}
/* True if access `index` of the layout reaches the array. */
static inline bool fix_reaches(const smp_fix *fix, size_t index, const fix_array *array) {
    return smp_layout_target(fix->layout, index) == array->array;
}
