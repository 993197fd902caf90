/* SPDX-License-Identifier: MIT */
/*
 * The writers of reports of one access.
 */
#ifndef WRITE_REPORT_H
#define WRITE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "smp_report.h"
#include "style.h"

/* Which bank delivers in which wavefront, as a picture of at most `rows` lines. */
void smp_bankmap_print(FILE *out, const smp_report *report, smp_style style, unsigned rows);

/* One report, or the same access on several architectures. */
void smp_report_text(FILE *out, const smp_report *report, smp_style style);
void smp_report_text_table(FILE *out, const smp_report *reports, size_t count);
void smp_report_json(FILE *out, const smp_report *report);
void smp_report_json_array(FILE *out, const smp_report *reports, size_t count);
void smp_report_csv(FILE *out, const smp_report *reports, size_t count);

/* What was measured, for other documents: an object or null. */
json_t *smp_measured_json(const smp_report *report);

/* The slots of write_format.h; `style` is for text. */
void smp_report_text_any(FILE *out, const smp_report *reports, size_t count, smp_style style);
void smp_report_json_any(FILE *out, const smp_report *reports, size_t count, smp_style style);
void smp_report_csv_any(FILE *out, const smp_report *reports, size_t count, smp_style style);

#endif
