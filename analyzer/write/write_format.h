/* SPDX-License-Identifier: MIT */
/*
 * write_format.h: which document can be written in which format, and by what. One row a format, one
 * slot a document; NULL: the document has no such form. The names of a document's formats stand
 * beside it for the help and the messages of the command line; a test holds them against the rows.
 */
#ifndef WRITE_FORMAT_H
#define WRITE_FORMAT_H

#include <stdio.h>

#include "check_files.h"
#include "compare.h"
#include "explain_counters.h"
#include "fix_measure.h"
#include "format.h"
#include "layout_cost.h"
#include "profile_annotate.h"
#include "profile_file.h"
#include "profile_worth.h"
#include "profile_write.h"
#include "smp_trace.h"
#include "smp_verify.h"
#include "sweep.h"
#include "write_doctor.h"
#include "write_prediction.h"
#include "write_table.h"

#define SMP_REPORT_FORMATS "text json csv md html"
#define SMP_COMPARE_FORMATS "text json csv md html"
#define SMP_TABLE_FORMATS "text json csv md"
#define SMP_EXPLAIN_FORMATS "text json csv"
#define SMP_FIX_FORMATS "text json csv html"
#define SMP_CODE_FORMATS "smp cuda cute" /* of fix, too: what --emit knows */
#define SMP_SWEEP_FORMATS "text json csv"
#define SMP_VERIFY_FORMATS "text json csv"
#define SMP_DOCTOR_FORMATS "text json"
#define SMP_BATCH_FORMATS "csv jsonl"
#define SMP_CHECK_FORMATS "text json html github junit sarif gitlab gcc"
#define SMP_TRACE_FORMATS "trace" /* of batch, too */
#define SMP_PROFILE_FORMATS "text json csv md html github junit sarif gitlab gcc"
#define SMP_AGAINST_FORMATS "text json md html"
#define SMP_KEPT_FORMATS "smprof" /* of a profile, too: all of it, for report */
#define SMP_ANNOTATE_FORMATS "text md"

/* All accesses of a stream, a row each. */
enum { SMP_BATCH_ROW_MAX = 256 };

typedef struct smp_batch_form {
    const char *header; /* what comes first, or "" */
    /* Writes the row of input line `line`, with its end, and returns where it ends; at most
     * SMP_BATCH_ROW_MAX bytes. */
    char *(*row)(char *at, uint64_t line, const smp_access *access, const smp_counts *counts);
} smp_batch_form;

extern const smp_batch_form smp_batch_csv, smp_batch_jsonl;

/* What was verified, and what came of it. */
typedef struct smp_verify_shown {
    const smp_verify_job *job;
    const smp_verify_result *result;
    const smp_device *device;
    const smp_arch *arch;
    const char *date; /* "2026-01-31" */
    bool by_clocks, interrupted;
} smp_verify_shown;

/* The access that differs; the rows of CSV have no place for it. */
void smp_verify_mismatch_text(FILE *out, const smp_verify_shown *c, smp_style style);

/* What a text shows. */
typedef struct smp_layout_show {
    bool is_table; /* one line for architectures that are alike */
    bool explains; /* the whole bank map of each access, and the maps of the arrays */
    smp_style style;
} smp_layout_show;

/* Which element lies in which bank, for the shared arrays of a layout. */
void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch);

/* The report of a fix; `file`, `trials` and `worth` may be NULL, what else is there is for text. */
typedef struct fix_shown {
    const smp_fix *fix;
    const char *file;
    const fix_trials *trials;
    const fix_worth *worth;
    bool explains;
    smp_style style;
} fix_shown;

/* An annotated source, as it is shown. */
typedef struct smp_annotate_view {
    const smp_annotation *annotation;
    const smp_profile_view *profile; /* the profile's worst lines, with repairs */
    uint32_t first, last;            /* lines shown; first 0: all */
} smp_annotate_view;

/* ---- The writers of each document ---- */

/* The style is for text. One access on one architecture or on several. */
typedef void smp_prediction_writer(FILE *out, const smp_prediction *reports, size_t count,
                                   smp_style style);
smp_prediction_writer smp_prediction_text, smp_prediction_json, smp_prediction_csv,
    smp_prediction_md, smp_prediction_html;

/* The accesses of a layout. JSON is an object; for several architectures an array of them. */
typedef void smp_layout_writer(FILE *out, const smp_layout_prediction *reports, size_t count,
                               const smp_layout_show *show);
smp_layout_writer smp_layout_text, smp_layout_json, smp_layout_csv, smp_layout_md, smp_layout_html;

/* The variants of kernels, case by case. */
typedef void smp_compare_writer(FILE *out, const comparison *cases, size_t count);
smp_compare_writer compare_put_text, compare_put_json, compare_put_csv, compare_put_md,
    smp_compare_html;

typedef void smp_table_writer(FILE *out, const smp_table *table);
smp_table_writer smp_table_text, smp_table_json, smp_table_csv, smp_table_md;

/* What counters mean. */
typedef void smp_explain_writer(FILE *out, const ncu_export *counters, smp_style style);
smp_explain_writer ncu_explain_text, ncu_explain_json, ncu_explain_csv;

typedef void smp_fix_writer(FILE *out, const fix_shown *shown);
smp_fix_writer fix_text, fix_json, fix_csv, smp_fix_html;

/* What a check found; the last four are remarks (check_remarks.c). */
typedef void smp_check_writer(FILE *out, const smp_check *check, smp_style style);
smp_check_writer smp_check_text, smp_check_json, smp_check_html, smp_check_junit, smp_check_sarif,
    smp_check_gitlab, smp_check_github, smp_check_gcc;

/* A sweep that was measured: where, and a table; nothing if there are no rows. JSON is always an
 * array. */
typedef void smp_sweep_writer(FILE *out, const sweep *all, smp_style style);
smp_sweep_writer smp_sweep_text, smp_sweep_json, smp_sweep_csv;

typedef void smp_verify_writer(FILE *out, const smp_verify_shown *c, smp_style style);
smp_verify_writer smp_verify_text, smp_verify_json, smp_verify_csv;

typedef void smp_doctor_writer(FILE *out, const doctor *found, smp_style style);
smp_doctor_writer smp_doctor_text, smp_doctor_json;

typedef void smp_annotate_writer(FILE *out, const smp_annotate_view *view, smp_style style);
smp_annotate_writer smp_annotate_text, smp_annotate_md;

typedef struct smp_format_row {
    const char *name;
    smp_prediction_writer *report; /* SMP_REPORT_FORMATS */
    smp_layout_writer *layout;     /* the same formats */
    smp_compare_writer *comparison;
    smp_table_writer *table;
    smp_explain_writer *explained;
    smp_fix_writer *fix;
    smp_check_writer *check;
    smp_profile_writer *profile, *against; /* the second of two: view->before, view->against */
    bool has_room;   /* a profile's worst lines are not counted: a page, remarks */
    bool is_verdict; /* of a profile: what failed and what did not, also without a gate */
    /* The profile itself: what report reads. */
    smp_status (*kept)(FILE *out, const smp_profile *profile, smp_error *error);
    bool (*code)(FILE *out, const smp_fix *fix); /* false: the disk is full */
    smp_sweep_writer *measured;
    smp_verify_writer *verified;
    smp_doctor_writer *examined;
    const smp_batch_form *batch; /* a stream: a row at a time */
    smp_trace_writer *(*trace)(FILE *out);
    smp_annotate_writer *annotated;
} smp_format_row;

const smp_format_row *smp_format_row_of(smp_format format);

#endif
