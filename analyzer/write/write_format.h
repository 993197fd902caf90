/* SPDX-License-Identifier: MIT */
/*
 * The formats of each document and their writers. One list per document declares the writers, fills
 * the rows (format_rows.c), and names the formats for help and messages. A writer is called
 * smp_DOCUMENT_FORMAT.
 */
#pragma once

#include <stdio.h>

#include "check_files.h"
#include "compare.h"
#include "explain_counters.h"
#include "fix_measure.h"
#include "format.h"
#include "layout_cost.h"
#include "profile_annotate.h"
#include "profile_worth.h"
#include "profile_write.h"
#include "repair.h"
#include "smp_verify.h"
#include "sweep.h"
#include "write_doctor.h"
#include "write_prediction.h"
#include "write_table.h"

/* In the order of help; the first is the default. */
#define SMP_PREDICTION_FORMS(X, of) \
    X(of, TEXT, text) X(of, JSON, json) X(of, CSV, csv) X(of, MD, md) X(of, HTML, html)
#define SMP_LAYOUT_FORMS SMP_PREDICTION_FORMS
#define SMP_COMPARE_FORMS SMP_PREDICTION_FORMS
#define SMP_TABLE_FORMS(X, of) X(of, TEXT, text) X(of, JSON, json) X(of, CSV, csv) X(of, MD, md)
#define SMP_EXPLAIN_FORMS(X, of) X(of, TEXT, text) X(of, JSON, json) X(of, CSV, csv)
#define SMP_SWEEP_FORMS SMP_EXPLAIN_FORMS
#define SMP_VERIFY_FORMS SMP_EXPLAIN_FORMS
#define SMP_FIX_FORMS(X, of) SMP_EXPLAIN_FORMS(X, of) X(of, HTML, html)
#define SMP_REPAIR_FORMS(X, of) \
    X(of, TEXT, text)           \
    X(of, JSON, json)           \
    X(of, PATCH, patch) X(of, HTML, html) X(of, SARIF, sarif) X(of, GITHUB, github)
#define SMP_DOCTOR_FORMS(X, of) X(of, TEXT, text) X(of, JSON, json)
#define SMP_CHECK_FORMS(X, of) \
    X(of, TEXT, text) X(of, JSON, json) X(of, HTML, html) SMP_VERDICT_FORMS(X, of)
#define SMP_ANNOTATE_FORMS(X, of) X(of, TEXT, text) X(of, MD, md)

/* The names of a list, separated by blanks. */
#define SMP_FORM_NAME(of, id, name) " " #name
#define SMP_FORMATS(forms) (forms(SMP_FORM_NAME, ) + 1)
#define SMP_CODE_FORMATS "smp cuda cute" /* forms of --emit, also for fix */
#define SMP_BATCH_FORMATS "csv jsonl trace"

/* A stream of accesses, one per row. */
enum { SMP_BATCH_ROW_MAX = 256 };

typedef struct smp_batch_form {
    const char *header; /* text before the rows, or "" */
    /* Writes the row of input line `line`, at most SMP_BATCH_ROW_MAX bytes, and returns its end. */
    char *(*row)(char *at, uint64_t line, const smp_access *access, const smp_counts *counts);
} smp_batch_form;

extern const smp_batch_form smp_batch_csv, smp_batch_jsonl;

/* The rows that were verified, and the result. */
typedef struct smp_verify_shown {
    const smp_verify_job *job;
    const smp_verify_result *result;
    const smp_device *device;
    const smp_arch *arch;
    const char *date; /* "2026-01-31" */
    bool by_clocks, interrupted;
} smp_verify_shown;

/* Writes the access that differs, for which the CSV has no columns. */
void smp_verify_mismatch_text(FILE *out, const smp_verify_shown *c, smp_style style);

/* How much of a layout's report a text shows. */
typedef struct smp_layout_show {
    bool is_table; /* a table, in which equal architectures share a row */
    bool explains; /* each access's whole bank map, and the arrays' maps */
    smp_style style;
} smp_layout_show;

/* Writes which element is in which bank, for the shared arrays of a layout. */
void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch);

/* A report of fix. `file`, `trials` and `worth` may be NULL; the other optional parts are for text.
 */
typedef struct fix_shown {
    const smp_fix *fix;
    const char *file;
    const fix_trials *trials;
    const fix_worth *worth;
    bool explains;
    smp_style style;
} fix_shown;

/* A repair of the source `path`. */
typedef struct smp_repair_shown {
    const repair *found;
    const char *path, *arch;
    smp_style style;
    bool of_races; /* repairs races, not layouts */
} smp_repair_shown;

/* An annotated source. */
typedef struct smp_annotate_view {
    const smp_annotation *annotation;
    const smp_profile_view *profile; /* the worst lines of the profile, with repairs */
    uint32_t first, last;            /* lines to show; `first` 0: all */
} smp_annotate_view;

/* ---- The writers of each document ---- */

/* One access on one or several architectures. The style is for text. */
typedef void smp_prediction_writer(FILE *out, const smp_prediction *reports, size_t count,
                                   smp_style style);
/* The accesses of a layout. JSON is an object, or an array for several architectures. */
typedef void smp_layout_writer(FILE *out, const smp_layout_prediction *reports, size_t count,
                               const smp_layout_show *show);
/* The variants of kernels, by case. */
typedef void smp_compare_writer(FILE *out, const comparison *cases, size_t count);
typedef void smp_table_writer(FILE *out, const smp_table *table);
/* Explained hardware counters. */
typedef void smp_explain_writer(FILE *out, const ncu_export *counters, smp_style style);
typedef void smp_fix_writer(FILE *out, const fix_shown *shown);
/* Results of check. */
typedef void smp_check_writer(FILE *out, const smp_check *check, smp_style style);
/* A measured sweep: its device, and a table unless there are no rows. JSON is always an array. */
typedef void smp_sweep_writer(FILE *out, const sweep *all, smp_style style);
typedef void smp_verify_writer(FILE *out, const smp_verify_shown *c, smp_style style);
typedef void smp_repair_writer(FILE *out, const smp_repair_shown *shown);
/* What was repaired, as the text document begins. */
void smp_repair_head(FILE *out, const smp_repair_shown *shown);
typedef void smp_doctor_writer(FILE *out, const doctor *found, smp_style style);
/* An annotated source. */
typedef void smp_annotate_writer(FILE *out, const smp_annotate_view *view, smp_style style);

#define SMP_DOCUMENT_FORMS(X)           \
    SMP_PREDICTION_FORMS(X, prediction) \
    SMP_LAYOUT_FORMS(X, layout)         \
    SMP_COMPARE_FORMS(X, compare)       \
    SMP_TABLE_FORMS(X, table)           \
    SMP_EXPLAIN_FORMS(X, explain)       \
    SMP_FIX_FORMS(X, fix)               \
    SMP_CHECK_FORMS(X, check)           \
    SMP_PROFILE_FORMS(X, profile)       \
    SMP_AGAINST_FORMS(X, against)       \
    SMP_SWEEP_FORMS(X, sweep)           \
    SMP_VERIFY_FORMS(X, verify)         \
    SMP_REPAIR_FORMS(X, repair)         \
    SMP_DOCTOR_FORMS(X, doctor)         \
    SMP_ANNOTATE_FORMS(X, annotate)
SMP_DOCUMENT_FORMS(SMP_FORM_DECLARE)

/* The writers of one format; NULL if a document does not have it. */
typedef struct smp_format_row {
    smp_prediction_writer *prediction;
    smp_layout_writer *layout;
    smp_compare_writer *compare;
    smp_table_writer *table;
    smp_explain_writer *explain;
    smp_fix_writer *fix;
    smp_check_writer *check;
    smp_profile_writer *profile, *against; /* `against` writes view->before and view->against */
    smp_sweep_writer *sweep;
    smp_verify_writer *verify;
    smp_repair_writer *repair;
    smp_doctor_writer *doctor;
    smp_annotate_writer *annotate;
    bool has_room;   /* shows all worst lines of a profile: a page, remarks */
    bool is_verdict; /* shows passes and failures of a profile, even without a gate */
    bool (*code)(FILE *out, const smp_fix *fix); /* returns false if the disk is full */
    const smp_batch_form *batch;                 /* writes a stream row by row; traces have none */
} smp_format_row;

const smp_format_row *smp_format_row_of(smp_format format);
