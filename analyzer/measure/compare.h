/* SPDX-License-Identifier: MIT */
/*
 * compare.h: the variants of kernels side by side. Internal to the analyzer.
 */
#pragma once

#include "gain.h"
#include "note.h"
#include "record_file.h"
#include "smp_forecast.h"
#include "smp_prediction.h"

enum { COMPARE_ROWS_MAX = 32, COMPARE_CASES_MAX = 128, COMPARE_FAMILIES_MAX = 32 };

/* A size as people say it. */
typedef struct compare_size {
    uint64_t rows, columns;
    bool is_one_number; /* `rows`: that many elements, or rows and columns of a matrix */
} compare_size;

/* What is asked. A list of no entries: as the family has it. */
typedef struct compare_ask {
    const smp_kernel_family *families[COMPARE_FAMILIES_MAX]; /* at least one */
    compare_size sizes[COMPARE_CASES_MAX];
    smp_element elements[COMPARE_CASES_MAX];
    uint32_t clusters[COMPARE_CASES_MAX];
    char variants[COMPARE_ROWS_MAX][40];
    size_t family_count, size_count, element_count, cluster_count, variant_count;
    bool is_picked;       /* only `variants`; else all */
    const smp_arch *arch; /* where no GPU answers, or with is_arch_given */
    bool is_arch_given;   /* else that of the GPU, if there is one */
    int device;
    record_target record;
    const note_sink *notes;
} compare_ask;

typedef struct compare_row {
    const smp_kernel_variant *variant;
    smp_forecast forecast;
    smp_origin origin;
    char why[256]; /* of SMP_NOT_MEASURED */
    smp_kernel_result measured;
} compare_row;

typedef struct comparison {
    const smp_kernel_family *family;
    smp_kernel_case problem;
    const smp_arch *arch;
    compare_row rows[COMPARE_ROWS_MAX];
    size_t count;
    bool is_picked; /* the variants were named */
    char provenance[256];
    char gpu[64]; /* that measured, as the driver names it; "": none */
} comparison;

/* Fills family, case and variants of everything that is asked; the caller frees *out, also after
 * failure. */
smp_status compare_cases(const compare_ask *ask, comparison **out, size_t *count, smp_error *error);
/* Predicts, measures or looks up, and records. *done, after failure, is how many cases are
 * complete: Ctrl-C stops between two measured variants. */
smp_status compare_run(const compare_ask *ask, comparison *cases, size_t count, size_t *done,
                       smp_error *error);

/* Both where one case is asked. */
smp_status compare_fill(const compare_ask *ask, comparison *c, smp_error *error);
/* Equal in all that is predicted and counted. */
bool compare_is_exact(const compare_row *row);
/* Counted, and not what was predicted, though the variant claims to be predicted exactly. */
bool compare_differs(const comparison *c, const compare_row *row);
/* Wavefronts of shared memory that were counted: loads, stores and atomics. */
uint64_t compare_counted_wavefronts(const compare_row *row);
/* Sectors of global memory that were counted. */
uint64_t compare_counted_sectors(const compare_row *row);
/* Billions of bytes that had to be moved, a second; 0 if it was not timed. */
double compare_gb_per_s(const comparison *c, const compare_row *row);
/* What removing the excess wavefronts of a timed row is worth; all 0 where nothing is timed or
 * predicted, or the rule does not know the GPU. */
smp_gain compare_gain(const comparison *c, const compare_row *row);
/* Blocks that a multiprocessor holds at once, computed; 0 for what runs on the host. */
uint32_t compare_predicted_blocks(const comparison *c, const compare_row *row);
/* Of the rows, that of the variant `name`; NULL if it is not compared. */
const compare_row *compare_find(const comparison *c, const char *name);

/* compare_record.c: fills what is recorded of a row; false if nothing is. The same of what an
 * earlier run of `command` measured. Writes all rows that were measured now, of a
 * compare_recording. */
typedef struct compare_recording {
    const smp_device *device;
    const comparison *cases;
    size_t count;
    const char *command;
} compare_recording;

bool compare_find_recorded(comparison *c, compare_row *row);
bool compare_take_earlier(const comparison *c, compare_row *row, const smp_device *device,
                          const char *command);
bool compare_write_records(FILE *file, const void *recording);
