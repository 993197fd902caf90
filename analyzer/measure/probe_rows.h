/* SPDX-License-Identifier: MIT */
/*
 * Sweeps as recorded rows. Internal to the analyzer.
 */
#ifndef SMP_PROBE_ROWS_H
#define SMP_PROBE_ROWS_H

#include "record_file.h"
#include "smp_prediction.h"
#include "sweep.h"

/* What a row is called in recorded files: the pattern's options, or the batch line. */
void probe_row_name(const smp_prediction *report, char text[SMP_BATCH_TEXT_MAX]);

/* Writes the recorded file, or, if the run is not complete, what there is beside it. */
smp_status probe_record(const record_target *to, const smp_device *device, const sweep *all,
                        bool is_complete, smp_error *error);
/* Fills `measured` of those reports that an interrupted run of the same command has measured. */
smp_status probe_resume(const record_target *to, const smp_device *device, sweep *all,
                        smp_error *error);

#endif
