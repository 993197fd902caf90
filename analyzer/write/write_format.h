/* SPDX-License-Identifier: MIT */
/*
 * write_format.h: which document can be written in which format, and by what. One row a format, one
 * slot a document; NULL: the document has no such form. The names of a document's formats stand
 * beside it for the help and the messages of the command line; a test holds them against the rows.
 */
#ifndef WRITE_FORMAT_H
#define WRITE_FORMAT_H

#include <stdio.h>

#include "format.h"
#include "profile_file.h"
#include "profile_write.h"
#include "smp_trace.h"
#include "write_annotate.h"
#include "write_batch.h"
#include "write_check.h"
#include "write_compare.h"
#include "write_doctor.h"
#include "write_explain.h"
#include "write_fix.h"
#include "write_layout.h"
#include "write_prediction.h"
#include "write_probe.h"
#include "write_table.h"
#include "write_verify.h"

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

typedef struct smp_format_row {
    const char *name;
    /* One access on one architecture or on several: SMP_REPORT_FORMATS. */
    void (*report)(FILE *out, const smp_prediction *reports, size_t count, smp_style style);
    /* The accesses of a layout: the same formats. */
    void (*layout)(FILE *out, const smp_layout_prediction *reports, size_t count,
                   const smp_layout_show *show);
    void (*comparison)(FILE *out, const comparison *cases, size_t count);
    void (*table)(FILE *out, const smp_table *table);
    void (*explained)(FILE *out, const ncu_export *counters, smp_style style);
    void (*fix)(FILE *out, const fix_shown *shown);
    void (*check)(FILE *out, const smp_check *check, smp_style style);
    void (*profile)(FILE *out, const smp_profile_view *view, smp_style style);
    bool has_room;   /* a profile's worst lines are not counted: a page, remarks */
    bool is_verdict; /* of a profile: what failed and what did not, also without a gate */
    /* Two profiles: view->before, view->against. */
    void (*against)(FILE *out, const smp_profile_view *view, smp_style style);
    /* The profile itself: what report reads. */
    smp_status (*kept)(FILE *out, const smp_profile *profile, smp_error *error);
    bool (*code)(FILE *out, const smp_fix *fix); /* false: the disk is full */
    void (*measured)(FILE *out, const sweep *all, smp_style style);
    void (*verified)(FILE *out, const smp_verify_shown *shown, smp_style style);
    void (*examined)(FILE *out, const doctor *found, smp_style style);
    const smp_batch_form *batch; /* a stream: a row at a time */
    smp_trace_writer *(*trace)(FILE *out);
    void (*annotated)(FILE *out, const smp_annotate_view *view, smp_style style);
} smp_format_row;

/* document_html.c */
void smp_prediction_html(FILE *out, const smp_prediction *reports, size_t count, smp_style style);
void smp_layout_html(FILE *out, const smp_layout_prediction *reports, size_t count,
                     const smp_layout_show *show);
void smp_check_html(FILE *out, const smp_check *check, smp_style style);
void smp_compare_html(FILE *out, const comparison *cases, size_t count);
void smp_fix_html(FILE *out, const fix_shown *shown);

/* markdown.c */
void smp_prediction_md(FILE *out, const smp_prediction *reports, size_t count, smp_style style);
void smp_layout_md(FILE *out, const smp_layout_prediction *reports, size_t count,
                   const smp_layout_show *show);
void compare_put_md(FILE *out, const comparison *cases, size_t count);
void smp_table_md(FILE *out, const smp_table *table);

const smp_format_row *smp_format_row_of(smp_format format);

#endif
