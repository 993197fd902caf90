/* SPDX-License-Identifier: MIT */
/*
 * smp_analyzer.h: ways to make accesses, and ways to show what they cost.
 *
 * A pattern is what people say ("stride 33, floats, the first 16 lanes"); it becomes an
 * smp_access, whose prediction and measurement form a report, which a writer prints. The command
 * line is rows over these: one row a command, an option, an output format.
 *
 * Functions that parse fill an smp_error with the position; nothing here prints except the writers,
 * to the stream they are given.
 */
#ifndef SMP_ANALYZER_H
#define SMP_ANALYZER_H

#include <stdio.h>

#include "smp_model.h"
#include "smp_probes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMP_SCHEMA_VERSION 1
#define SMP_PATTERN_TEXT_MAX 160

/* A constant stride over the lanes: lane l is at offset_bytes + l x stride x width_bytes. */
typedef struct smp_pattern {
    smp_op op;
    uint32_t width_bytes;
    uint32_t stride; /* in elements of width_bytes */
    uint32_t offset_bytes;
    uint32_t active_mask;
} smp_pattern;

/* stride 1, width 4, ld.shared, all lanes. */
smp_pattern smp_pattern_default(void);
/* Fills *out; SMP_E_OVERFLOW if a lane's offset does not fit. */
smp_status smp_pattern_access(const smp_pattern *pattern, smp_access *out, smp_error *error);
/* Canonical text: the options that reproduce the run, defaults left out except op, width and
 * stride:
 * "--op ld --width 4 --stride 33". Returns its length. */
size_t smp_pattern_format(const smp_pattern *pattern, char text[SMP_PATTERN_TEXT_MAX]);

/* One line of the batch format, "OP WIDTH MASK OFF0 ... OFF31 [: GOFF0 ... GOFF31]", offsets in
 * bytes. `length` excludes the newline. A blank or comment line gives SMP_OK with *is_empty true.
 * error->position is the column. */
smp_status smp_batch_parse(const char *line, size_t length, smp_access *out, bool *is_empty,
                           smp_error *error);
/* The canonical line, without newline; returns its length. `text` holds at least SMP_BATCH_TEXT_MAX
 * bytes. */
#define SMP_BATCH_TEXT_MAX 1152
size_t smp_batch_format(const smp_access *access, char *text);

/* What the measured column says. */
typedef enum smp_source { SMP_NOT_MEASURED, SMP_LIVE, SMP_RECORDED } smp_source;

typedef struct smp_measured {
    smp_source source;
    smp_status why;   /* why no GPU answered now; SMP_OK with SMP_LIVE */
    char reason[256]; /* the same in words: one clause */
    char device[64], driver[32], cuda[16], counter[128], date[16];
    /* Wavefronts or transactions, as predicted; SMP_NOT_COUNTED if the clocks do not tell. */
    uint64_t count;
    bool is_at_most; /* the clocks cannot tell `count` from less */
    bool has_cycles; /* that the second witness was asked, too, or alone */
    double cycles;
    bool clocks_differ; /* both were asked, and the clocks allow no such count */
} smp_measured;

/* Everything that is known of one access on one architecture. */
typedef struct smp_report {
    smp_arch arch;    /* a copy, with the bank mode in force */
    bool has_pattern; /* `pattern` describes the access; else only its batch line does */
    smp_pattern pattern;
    smp_access access;
    smp_status status; /* of smp_predict: SMP_OK or SMP_E_NOT_MODELLED */
    smp_counts counts;
    smp_measured measured;
} smp_report;

/* Predicts report->access on report->arch and looks for a measurement: with `probe` (may be NULL)
 * on its GPU if that is of this architecture, else in the recorded ones. `why_no_probe` is what a
 * report says that has neither. Fills status, counts and measured. */
void smp_report_fill(smp_report *report, smp_probe *probe, const smp_error *why_no_probe);
/* The text that reproduces the run: the pattern's options, or --access with the batch line. Returns
 * its length. */
size_t smp_report_pattern(const smp_report *report, char *text, size_t size);

/* Writes the sentence that says why: "stride 32 words shares a factor 32 with the 32 banks, so
 * ...". */
size_t smp_report_why(const smp_report *report, char *text, size_t size);

/* ---- Layouts: source text as input ----------------------------------------------------- */

/*
 * A layout is what surrounds an access in a kernel: arrays, block, loops, constants. It is filled
 * from statements, one a line of a .smp file or one an option of the command line; each access
 * is then evaluated for every warp of the block and every iteration of its loops.
 *
 * The texts given to smp_layout_add and _add_lines stay the caller's and must live as long as the
 * layout.
 */
typedef struct smp_layout smp_layout;

enum { SMP_LAYOUT_LOOPS_MAX = 8 };

/* NULL: out of memory. */
smp_layout *smp_layout_new(void);
void smp_layout_free(smp_layout *layout);

/* Adds one statement; `keyword` ("shared", "for", ...) is what the text would begin with, or NULL
 * if it stands there. A blank text or comment is fine. error->position is the column, counted
 * from 0. `line` is remembered for messages. */
smp_status smp_layout_add(smp_layout *layout, const char *keyword, const char *text, size_t length,
                          unsigned line, smp_error *error);
/* Adds the lines of a whole file; *line is the line that an error is in. */
smp_status smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, unsigned *line,
                                smp_error *error);
size_t smp_layout_access_count(const smp_layout *layout);
/* Architectures named by "arch" statements; 0: none. */
size_t smp_layout_arch_count(const smp_layout *layout);
const smp_arch *smp_layout_arch(const smp_layout *layout, size_t index);
/* Threads of the block in x, y, z. */
void smp_layout_block(const smp_layout *layout, uint32_t block[3]);
/* Bytes of shared memory that the declared arrays take. */
uint64_t smp_layout_shared_bytes(const smp_layout *layout);
/* SMP_E_RANGE if the arrays are more than a block can have on `arch`. */
smp_status smp_layout_check_memory(const smp_layout *layout, const smp_arch *arch,
                                   smp_error *error);

typedef struct smp_layout_access {
    const char *text; /* as it was written; not terminated */
    size_t length;
    bool is_implied; /* from an assignment: the text does not name the operation */
    unsigned line;
    smp_op op;
    uint32_t width_bytes; /* per lane and instruction */
    uint32_t parts;       /* instructions that one object takes (float3: 3) */
} smp_layout_access;

void smp_layout_access_at(const smp_layout *layout, size_t index, smp_layout_access *out);

/* One request of many: in which warp, in which iteration. */
typedef struct smp_request_place {
    uint32_t warp;
    uint32_t part;
    uint32_t loops;                       /* bit i: loop i runs around it */
    int64_t values[SMP_LAYOUT_LOOPS_MAX]; /* of the loop variables */
} smp_request_place;

/* Writes "warp 3, j = 8"; returns its length. */
size_t smp_request_place_format(const smp_layout *layout, const smp_request_place *place,
                                char *text, size_t size);
/* Name of a loop variable, not terminated. */
const char *smp_layout_loop_name(const smp_layout *layout, unsigned loop, size_t *length);

/* What one access costs over the whole block. `valid` has the bits of smp_counts. */
typedef struct smp_totals {
    smp_status status; /* SMP_OK, or SMP_E_NOT_MODELLED: then only `requests` and `worst` count */
    smp_evidence evidence;
    const char *note; /* why not modelled, or a caveat; NULL if none; static */
    uint32_t valid;
    uint32_t warps, active_warps; /* of the block; with at least one active lane */
    uint64_t requests;
    uint64_t wavefronts_min, wavefronts_max, ideal, excess;
    uint32_t ways; /* of the worst request */
    uint64_t transactions, bytes;
    uint64_t ideal_sectors; /* sum of min(transactions, ceil(active lanes x bytes a lane / 32)) */
    bool warps_alike;       /* all warps that take part cost the same */
    smp_request_place worst_place;
    smp_access worst;
    smp_counts worst_counts;
} smp_totals;

/* Evaluates access `index` on `arch`. On failure *line is the line of the statement that failed and
 * error->position the column in it. */
smp_status smp_layout_evaluate(const smp_layout *layout, const smp_arch *arch, size_t index,
                               smp_totals *out, unsigned *line, smp_error *error);

/* The value of an integer expression in each lane of a warp of the block, with what the layout
 * defines; loop variables have their first value. *type is C's type of it: "int", "unsigned", "long
 * long" or "unsigned long long", whose bits the int64_t holds. */
smp_status smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length,
                            int64_t values[SMP_LANES], const char **type, smp_error *error);

/* "expect ways <= 1": a promise about the access before it. */
typedef struct smp_layout_expect {
    size_t access;
    const smp_arch *arch; /* NULL: holds on every architecture */
    const char *text;
    size_t length;
    unsigned line;
} smp_layout_expect;

size_t smp_layout_expect_count(const smp_layout *layout);
void smp_layout_expect_at(const smp_layout *layout, size_t index, smp_layout_expect *out);
/* True if `totals` (of its access) keep it; else `reason` (may be NULL) says what they are. */
bool smp_layout_expect_holds(const smp_layout *layout, size_t index, const smp_totals *totals,
                             char *reason, size_t size);

/* ---- Whole kernels ----------------------------------------------------------------------- */

enum { SMP_SITES_MAX = 32, SMP_SITE_NAME_MAX = 48 };

/* One access in the source of a kernel, over a whole run. */
typedef struct smp_site {
    char name[SMP_SITE_NAME_MAX]; /* "tile read" */
    smp_op op;
    uint32_t width_bytes;
    uint64_t requests;
    uint32_t ways;                      /* of the worst request; shared memory */
    uint64_t wavefronts, ideal, excess; /* shared memory */
    uint64_t sectors, ideal_sectors;    /* global and cluster memory */
} smp_site;

/* What a run of a kernel asks of memory, by the model. */
typedef struct smp_forecast {
    smp_status status; /* SMP_OK; SMP_E_NOT_MODELLED: `why` says what is not known */
    char why[160];
    smp_traffic traffic;
    uint64_t wavefronts, ideal, excess; /* of shared memory, sums over all sites */
    uint64_t sectors, ideal_sectors;    /* of global memory */
    uint32_t ways;                      /* of the worst request of shared memory */
    size_t site_count;
    smp_site sites[SMP_SITES_MAX];
} smp_forecast;

/* Predicts one run of `variant`: evaluates its script for each class of blocks, or follows its
 * trace over the input that family->fill makes (`in`, or made here where that is NULL). What runs
 * on the host costs nothing. Failures other than SMP_E_NOT_MODELLED are faults of the script. */
smp_status smp_kernel_forecast(const smp_arch *arch, const smp_kernel_family *family,
                               const smp_kernel_variant *variant, const smp_kernel_case *problem,
                               const void *in, smp_forecast *out, smp_error *error);

/* Writes `text` in one line of at most 100 columns around `position`, and below it a caret. */
void smp_caret_print(FILE *out, const char *text, size_t length, int position);

/* ---- Hunting for mismatches -------------------------------------------------------------- */

/* Seeded accesses that look for trouble: strides, permutations, few banks, few words, pairs of
 * lanes and near misses of them, sparse masks, rows of a matrix, lanes inside one word, and
 * addresses around the edges of sectors and segments. */

/* splitmix64; any seed will do. */
typedef struct smp_random {
    uint64_t state;
} smp_random;

uint64_t smp_random_next(smp_random *random);
/* 0 .. limit-1; limit at least 1. */
uint32_t smp_random_below(smp_random *random, uint32_t limit);

/* Fills *out with a valid access of `op` and `width_bytes`: aligned, inside `limit_bytes` of
 * shared memory, at least one lane whose address counts. Entries of inactive lanes are garbage. */
void smp_random_access(smp_random *random, smp_op op, unsigned width_bytes, uint32_t limit_bytes,
                       smp_access *out);
/* The same, with the global addresses of all lanes in one aligned block of `span_bytes`. */
void smp_random_access_within(smp_random *random, smp_op op, unsigned width_bytes,
                              uint32_t limit_bytes, uint64_t span_bytes, smp_access *out);

enum { SMP_SHRINK_CANDIDATES_MAX = 64 };

/* The first of `count` candidates that still shows the difference, or `count` if none does. All
 * candidates of a call can be tried at once, which is what a GPU wants. */
typedef size_t (*smp_shrink_fn)(void *user, const smp_access *candidates, size_t count);

/* Makes *access as small as it gets: first fewer lanes, then lower offsets, for as long as a
 * step helps. Entries of inactive lanes become 0. */
void smp_access_shrink(smp_access *access, smp_shrink_fn first_that_shows, void *user);

/* ---- Verification ------------------------------------------------------------------------ */

/* Random accesses, predicted against measured. Sums over groups of accesses are compared; a sum
 * that differs is measured again one by one until the access is found, which is then reduced to
 * the smallest that still differs. */

enum { SMP_VERIFY_ROWS_MAX = 5 * SMP_OP_COUNT };

/* One operation of one width. */
typedef struct smp_verify_row {
    smp_op op;
    uint32_t width_bytes;
    uint64_t accesses;     /* compared so far */
    uint64_t not_modelled; /* drawn, but without a prediction, and so not compared */
} smp_verify_row;

/* Measures sums[i] of accesses i x group .., all of one operation and width. */
typedef smp_status (*smp_verify_measure_fn)(void *user, const smp_access *accesses, size_t count,
                                            size_t group, uint64_t *sums, size_t *done,
                                            smp_error *error);

typedef struct smp_verify_job {
    const smp_arch *arch;
    smp_verify_row rows[SMP_VERIFY_ROWS_MAX];
    size_t row_count;
    uint64_t count; /* accesses to compare, of all rows together; 0: no end */
    double seconds; /* stop after these; 0: no end */
    uint64_t seed;
    size_t group; /* accesses whose costs are summed in one measurement */
    smp_verify_measure_fn measure;
    void *user;
    bool (*progress)(void *user, uint64_t done); /* false stops; may be NULL */
} smp_verify_job;

typedef struct smp_verify_result {
    uint64_t accesses, groups;
    uint64_t unconfirmed; /* groups whose sum differed once, and not when measured again */
    double seconds;
    bool differs;       /* then: */
    bool only_in_group; /* the sum differs again and again, but no access of it does alone */
    smp_access found, smallest;
    uint64_t predicted, measured; /* of `smallest`; of the group if only_in_group */
} smp_verify_result;

/* Every operation and width for which the model has a rule on `arch`, if only an assumed one, and
 * that a counter sees alone. `ops` and `widths` (bit w: w bytes) restrict it; 0 is all. */
void smp_verify_rows(const smp_arch *arch, uint32_t ops, uint32_t widths, smp_verify_job *job);

/* What `access` should cost in its counter's unit; false if the model does not say. */
bool smp_verify_predict(const smp_arch *arch, const smp_access *access, uint64_t *out);

/* Until the count, the time, the first access that differs, or the progress says so
 * (SMP_E_INTERRUPTED, with a good *result so far). */
smp_status smp_verify_run(smp_verify_job *job, smp_verify_result *result, smp_error *error);

/* ---- Fixing layouts -------------------------------------------------------------------- */

/*
 * smp_fix_solve looks for the layout of each shared array that costs all given accesses the fewest
 * excess wavefronts, then the fewest remote sectors, bytes and index instructions. Each kind is
 * searched to its end within bounds, so that "there is none" is a proof for them:
 *   PAD      every dimension but the first by less than a period of the banks (128 bytes, on
 *            Kepler 256); of one dimension, after each 2^k elements or lane stride; structs in
 *            steps of their alignment
 *   XOR      all Swizzle<B,M,S> with |S| >= B that keep the widest vector whole, write bank bits
 *            and read bits that the index has
 *   LINEAR   bank bits ^= row bits on one or two diagonals; where every request is affine over
 *            GF(2), and banks are 32 of 4 bytes, all matrices
 *   ROTATE   steps of up to 64 vectors a row, or every 2, 4, 8 or 16 rows
 *   PAD_XOR  the paddings of the innermost dimension, each with every swizzle
 * excess_bound holds for every layout whatever that keeps the vectors whole.
 */
typedef enum smp_fix_kind {
    SMP_FIX_KEEP,    /* as it is */
    SMP_FIX_PAD,     /* unused elements at the end of each row, or after each so many elements */
    SMP_FIX_XOR,     /* Swizzle<B,M,S> in CuTe's sense, on the index of the element */
    SMP_FIX_LINEAR,  /* bank bits exclusive-ored with any sums of row bits */
    SMP_FIX_ROTATE,  /* (column + step x row) % columns */
    SMP_FIX_PAD_XOR, /* padded rows and a swizzle */
    SMP_FIX_KIND_COUNT
} smp_fix_kind;

enum { SMP_FIX_DIMS_MAX = 4, SMP_FIX_TERMS_MAX = 16 };

/* index ^= (index & mask) >> shift, or << -shift. */
typedef struct smp_fix_term {
    uint32_t mask;
    int32_t shift;
} smp_fix_term;

/* Where the elements of one array lie. All but element_bytes counts elements. */
typedef struct smp_fix_form {
    smp_fix_kind kind;
    uint32_t dim_count;
    uint32_t extent[SMP_FIX_DIMS_MAX]; /* as declared; the first is 0 if it is open */
    uint32_t pad[SMP_FIX_DIMS_MAX];    /* added to the extent */
    uint32_t every, insert;            /* of one dimension: `insert` unused after each `every` */
    uint32_t term_count;               /* all terms act on the same index, that after padding */
    smp_fix_term term[SMP_FIX_TERMS_MAX];
    uint32_t bits, base;                   /* Swizzle<bits,base,shift> of one term */
    int32_t shift;                         /* its sign is CuTe's */
    uint32_t step, divide;                 /* (column + step x (row / divide)) % columns */
    uint32_t element_bytes, element_extra; /* bytes added to each element, a struct */
} smp_fix_form;

/* The byte at which byte `offset` of the row-major array lies. */
uint64_t smp_fix_form_offset(const smp_fix_form *form, uint64_t offset);
/* "Swizzle<5,0,5>", "[32][33]": short, for tables. Returns its length. */
size_t smp_fix_form_text(const smp_fix_form *form, char *text, size_t size);

typedef struct smp_fix_options {
    const smp_arch *archs; /* copies with their bank modes; all count alike */
    size_t arch_count;
    bool skips_archs;   /* leaves out those that lack an operation or the memory; else they fail */
    uint32_t kinds;     /* bit k: smp_fix_kind k is searched; 0: all */
    uint64_t max_bytes; /* of shared memory; 0: what a block can have */
    const char *const *keep; /* names of arrays that stay as they are */
    size_t keep_count;
    smp_progress_fn progress; /* may be NULL; returning false stops with SMP_E_INTERRUPTED */
    void *user;
} smp_fix_options;

typedef struct smp_fix smp_fix;

/* Solves for the accesses of a layout file's text, which must live as long as *out. On failure
 * *line and error->position name the place and *out is NULL. */
smp_status smp_fix_solve(const char *text, size_t length, const smp_fix_options *options,
                         smp_fix **out, unsigned *line, smp_error *error);
/* Takes NULL. */
void smp_fix_free(smp_fix *fix);

/* What is wrong, and how far it can be put right; sums over all architectures. */
typedef struct smp_fix_result {
    bool is_needed; /* some access conflicts */
    bool is_free;   /* no access conflicts any more */
    bool is_better; /* some array should change */
    bool is_proven; /* every space was searched to its end */
    uint64_t excess_before, excess_after, excess_bound;
    uint64_t bytes_before, bytes_after;
    uint64_t candidates; /* that were weighed */
} smp_fix_result;

smp_fix_result smp_fix_result_of(const smp_fix *fix);
/* The form chosen for the shared array of that name; false if there is none. */
bool smp_fix_form_of(const smp_fix *fix, const char *name, smp_fix_form *out);
/* Writes the layout file of the fixed version: the same text, with declarations, indices and
 * expectations put right. False, here and below: `out` has an error. */
bool smp_fix_write_layout(FILE *out, const smp_fix *fix);
/* Writes declarations and index expressions in CUDA C, or CuTe's layouts. */
bool smp_fix_write_cuda(FILE *out, const smp_fix *fix);
bool smp_fix_write_cute(FILE *out, const smp_fix *fix);

#ifdef __cplusplus
}
#endif
#endif
