/* SPDX-License-Identifier: MIT */
/* Sweeps: accesses to run, one report each. Internal to analyzer/. */
#pragma once

#include "record_file.h"
#include "smp_layout.h"
#include "smp_prediction.h"
#include "stream.h"
#include "witness.h"

enum { SWEEP_LABEL_MAX = 96 };

typedef struct sweep {
    size_t count;
    smp_prediction *reports;         /* access and arch are set; owned, free with sweep_free */
    char (*labels)[SWEEP_LABEL_MAX]; /* origin of each report in a layout, or NULL */
    size_t elsewhere, unseen; /* skipped requests of a layout: to several blocks, which cannot run;
                                 without a counter */
} sweep;

/* All combinations, except those that do not exist (an atomic of one byte), exceed the block's
 * shared memory, or have no counter; error if none remains. */
smp_status sweep_make(const smp_axes *axes, const smp_arch *arch, sweep *out, smp_error *error);
/* Reads a file in the batch format or a trace ("-": standard input). A bad line or row is an error
 * with its position. */
smp_status sweep_read(const char *path, const smp_arch *arch, sweep *out, smp_error *error);
/* Every distinct request of a layout. On failure *line and error->position give the place, as in
 * smp_layout_evaluate. */
smp_status sweep_layout(const smp_layout *layout, const smp_arch *arch, sweep *out, unsigned *line,
                        smp_error *error);
void sweep_free(sweep *all);

/* ---- On the GPU ---- */

/* One GPU, or a list if `probe` is NULL. */
typedef struct sweep_witness {
    smp_probe *probe;
    device_list *devices;
    const witness_choice *choice;
    smp_progress_fn progress;
    void *user;
} sweep_witness;

/* Count and measure the accesses not yet measured. */
size_t sweep_unmeasured(const sweep *all);
smp_status sweep_measure(sweep *all, const sweep_witness *by, smp_error *error);
/* Drops reports without a measurement. */
void sweep_keep_measured(sweep *all);
/* Fills the predictions; returns how many differ from the measurement. */
size_t sweep_predict(sweep *all);

/* ---- As recorded rows: probe_record.c ---- */

/* The key of a row in recorded files: the pattern's options or the batch line. */
void probe_row_name(const smp_prediction *report, char text[SMP_BATCH_TEXT_MAX]);

/* Writes the recorded file, or the partial file of an incomplete run. */
smp_status probe_record(const record_target *to, const smp_device *device, const sweep *all,
                        bool is_complete, smp_error *error);
/* Fills `measured` of reports from an interrupted run of the same command. */
smp_status probe_resume(const record_target *to, const smp_device *device, sweep *all,
                        smp_error *error);
