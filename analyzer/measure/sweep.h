/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: accesses of any source that are to be run, one report each. Internal to analyzer/.
 */
#pragma once

#include "devices.h"
#include "record_file.h"
#include "smp_layout.h"
#include "smp_prediction.h"
#include "stream.h"
#include "witness.h"

enum { SWEEP_LABEL_MAX = 96 };

typedef struct sweep {
    size_t count;
    smp_prediction *reports;         /* access and arch are set; owned, free with sweep_free */
    char (*labels)[SWEEP_LABEL_MAX]; /* what each report stems from in a layout; NULL: none */
    size_t elsewhere, unseen;        /* requests of a layout that are left out: to several blocks,
                                        which can't be run; that no counter sees */
} sweep;

/* All combinations. One that does not exist (an atomic of one byte), that reaches beyond the
 * block's shared memory or that no counter sees is left out; error if none is left. */
smp_status sweep_make(const smp_axes *axes, const smp_arch *arch, sweep *out, smp_error *error);
/* From a file in the batch format or a trace ("-": standard input). A bad line or row is an error
 * with its place. */
smp_status sweep_read(const char *path, const smp_arch *arch, sweep *out, smp_error *error);
/* Every distinct request of the accesses of a layout. On failure *line and error->position name the
 * place, as in smp_layout_evaluate. */
smp_status sweep_layout(const smp_layout *layout, const smp_arch *arch, sweep *out, unsigned *line,
                        smp_error *error);
void sweep_free(sweep *all);

/* ---- On the GPU: sweep_measure.c ---- */

/* One GPU, or those of a list where `probe` is NULL. */
typedef struct sweep_witness {
    smp_probe *probe;
    device_list *devices;
    const witness_choice *choice;
    smp_progress_fn progress;
    void *user; /* of `progress` */
} sweep_witness;

/* Accesses without a measurement of this run, and the measurement of these. */
size_t sweep_unmeasured(const sweep *all);
smp_status sweep_measure(sweep *all, const sweep_witness *by, smp_error *error);
/* Throws away the reports that were not reached. */
void sweep_keep_measured(sweep *all);
/* Fills the predictions; how many differ from what was measured. */
size_t sweep_predict(sweep *all);

/* ---- As recorded rows: probe_record.c ---- */

/* What a row is called in recorded files: the pattern's options, or the batch line. */
void probe_row_name(const smp_prediction *report, char text[SMP_BATCH_TEXT_MAX]);

/* Writes the recorded file, or, if the run is not complete, what there is beside it. */
smp_status probe_record(const record_target *to, const smp_device *device, const sweep *all,
                        bool is_complete, smp_error *error);
/* Fills `measured` of those reports that an interrupted run of the same command has measured. */
smp_status probe_resume(const record_target *to, const smp_device *device, sweep *all,
                        smp_error *error);
