/* SPDX-License-Identifier: MIT */
/*
 * Layouts as reports: every access of one layout on one architecture. Internal to the analyzer.
 */
#ifndef SMP_LAYOUT_REPORT_H
#define SMP_LAYOUT_REPORT_H

#include <jansson.h>

#include "report.h"

typedef struct smp_layout_report {
    const char *file; /* NULL: from the command line */
    const smp_layout *layout;
    smp_arch arch; /* a copy, with the bank mode in force */
    size_t count;
    smp_totals *totals; /* one an access */
    smp_probe *probe;   /* measures the worst requests; NULL: only what is recorded is shown */
} smp_layout_report;

/* Evaluates all accesses. `totals` must be freed with smp_layout_report_clear, also after failure;
 * on failure *line and error->position name the place. */
smp_status smp_layout_report_fill(smp_layout_report *report, const char *file,
                                  const smp_layout *layout, const smp_arch *arch, unsigned *line,
                                  smp_error *error);
void smp_layout_report_clear(smp_layout_report *report);

/* The worst request of access `index` as a report of its own. */
void smp_layout_report_worst(const smp_layout_report *report, size_t index, smp_report *out);

/* With `explains`, the whole bank map of each access, and the maps of the arrays. */
void smp_layout_report_text(FILE *out, const smp_layout_report *report, smp_style style,
                            bool explains);
/* A table for each access, one line for architectures that are alike. */
void smp_layout_report_table(FILE *out, const smp_layout_report *reports, size_t count);
void smp_layout_report_csv(FILE *out, const smp_layout_report *reports, size_t count);
/* An object; for several architectures an array of them. */
void smp_layout_report_json(FILE *out, const smp_layout_report *reports, size_t count);
/* One access as an object, for other documents. */
json_t *smp_layout_access_json(const smp_layout_report *report, size_t index);

/* array_map.c: which element lies in which bank, for the shared arrays of a layout. */
void smp_array_map_print(FILE *out, const smp_layout *layout, const smp_arch *arch);

/* text_file.c: reads all of a file ("-": standard input) into *text, which the caller frees, also
 * after failure. */
smp_status smp_text_read(const char *name, char **text, size_t *length, smp_error *error);

#endif
