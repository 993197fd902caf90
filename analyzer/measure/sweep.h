/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: the patterns of all combinations of strides, widths and operations. Internal to
 * analyzer/.
 */
#ifndef SMP_SWEEP_H
#define SMP_SWEEP_H

#include "cli.h"
#include "smp_report.h"

enum { SWEEP_LABEL_MAX = 96 };

typedef struct sweep {
    size_t count;
    smp_report *reports;             /* access and arch are set; owned, free with sweep_free */
    char (*labels)[SWEEP_LABEL_MAX]; /* what each report stems from in a layout; NULL: none */
} sweep;

/* From --stride, --width, --op, --offset and --lanes. A combination that does not exist (an atomic
 * of one byte) or that reaches beyond the block's shared memory is left out; error if none is left.
 */
smp_status sweep_make(const arguments *args, const smp_arch *arch, sweep *out, smp_error *error);
/* From the lines of a file in the batch format ("-": standard input). A bad line is an error with
 * its place. */
smp_status sweep_read(const char *path, const smp_arch *arch, sweep *out, smp_error *error);
/* Every distinct request of the accesses of a layout, on the command line or in its file. Complains
 * itself and returns the exit status. */
int sweep_layout(const arguments *args, const smp_arch *arch, sweep *out);
/* True if the command line gives a layout. */
bool sweep_is_layout(const arguments *args);
void sweep_free(sweep *all);

enum { WIDTHS_MAX = 8 };

/* The lists of --op and --width, in the order given. */
smp_status ops_parse(const char *text, smp_op out[SMP_OP_COUNT], size_t *count, smp_error *error);
smp_status widths_parse(const char *text, uint64_t out[WIDTHS_MAX], size_t *count,
                        smp_error *error);

#endif
