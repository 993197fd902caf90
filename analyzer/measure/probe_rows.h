/* SPDX-License-Identifier: MIT */
/*
 * What the files of the command probe say to each other. Internal to the analyzer.
 */
#ifndef SMP_PROBE_ROWS_H
#define SMP_PROBE_ROWS_H

#include "smp_report.h"
#include "sweep.h"

/* What a row is called in recorded files: the pattern's options, or the batch line. */
void probe_row_name(const smp_report *report, char text[SMP_BATCH_TEXT_MAX]);

/* probe_text.c: all rows, in the format of `out`; nothing if there are none. */
void probe_write_rows(const output *out, const sweep *all);

/* probe_record.c: writes --record, or, if the run is not complete, what there is beside it. */
smp_status probe_record(const arguments *args, const smp_device *device, const sweep *all,
                        bool is_complete, smp_error *error);
/* Fills `measured` of those reports that an interrupted run of the same command has measured. */
smp_status probe_resume(const arguments *args, const smp_device *device, sweep *all,
                        smp_error *error);

#endif
