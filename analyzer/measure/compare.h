/* SPDX-License-Identifier: MIT */
/* Variants of kernels side by side. Internal to the analyzer. */
#pragma once

#include "gain.h"
#include "note.h"
#include "record_file.h"
#include "smp_forecast.h"
#include "smp_prediction.h"

enum { COMPARE_ROWS_MAX = 32, COMPARE_CASES_MAX = 128, COMPARE_FAMILIES_MAX = 32 };

/* A size given by the user. */
typedef struct compare_size {
    uint64_t rows, columns;
    bool is_one_number; /* `rows` elements, or a square matrix with `rows` rows */
} compare_size;

/* The question. Empty lists take the family's defaults. */
typedef struct compare_ask {
    const smp_kernel_family *families[COMPARE_FAMILIES_MAX]; /* at least one */
    compare_size sizes[COMPARE_CASES_MAX];
    smp_element elements[COMPARE_CASES_MAX];
    uint32_t clusters[COMPARE_CASES_MAX];
    char variants[COMPARE_ROWS_MAX][40];
    size_t family_count, size_count, element_count, cluster_count, variant_count;
    bool is_picked;       /* only `variants`, not all */
    const smp_arch *arch; /* used without a GPU, or with is_arch_given */
    bool is_arch_given;   /* otherwise the GPU's, if there is one */
    int device;
    record_target record;
    const note_sink *notes;
} compare_ask;

typedef struct compare_row {
    const smp_kernel_variant *variant;
    smp_forecast forecast;
    smp_origin origin;
    char why[256]; /* reason for SMP_NOT_MEASURED */
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
    char gpu[64]; /* the driver's name of the measuring GPU; "" if none */
} comparison;

/* Fills family, case and variants of all cases; the caller frees *out, also after failure. */
smp_status compare_cases(const compare_ask *ask, comparison **out, size_t *count, smp_error *error);
/* Predicts, measures or looks up, and records. After failure, *done is the number of complete
 * cases: Ctrl-C stops between two measured variants. */
smp_status compare_run(const compare_ask *ask, comparison *cases, size_t count, size_t *done,
                       smp_error *error);

/* Both for a single case. */
smp_status compare_fill(const compare_ask *ask, comparison *c, smp_error *error);
/* True if all counts equal the prediction. */
bool compare_is_exact(const compare_row *row);
/* True if counts differ from the prediction of a variant that should be predicted exactly. */
bool compare_differs(const comparison *c, const compare_row *row);
/* Counted wavefronts of shared memory: loads, stores and atomics. */
uint64_t compare_counted_wavefronts(const compare_row *row);
/* Counted sectors of global memory. */
uint64_t compare_counted_sectors(const compare_row *row);
/* Necessary bytes per second in billions; 0 if not timed. */
double compare_gb_per_s(const comparison *c, const compare_row *row);
/* Gain from removing the excess wavefronts of a timed row; all 0 if not timed, not predicted, or
 * the rule does not cover the GPU. */
smp_gain compare_gain(const comparison *c, const compare_row *row);
/* Predicted resident blocks per multiprocessor; 0 for host code. */
uint32_t compare_predicted_blocks(const comparison *c, const compare_row *row);
/* The row of the variant `name`, or NULL. */
const compare_row *compare_find(const comparison *c, const char *name);

/* compare_record.c: fill a row from the recordings, or from an earlier run of `command`; false if
 * there is none. Writes all rows of a compare_recording that were measured now. */
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
