/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: the patterns of all combinations of strides, widths and operations. Internal to
 * analyzer/.
 */
#ifndef SMP_SWEEP_H
#define SMP_SWEEP_H

#include "smp_layout.h"
#include "smp_report.h"

enum { SWEEP_LABEL_MAX = 96 };

typedef struct sweep {
    size_t count;
    smp_report *reports;             /* access and arch are set; owned, free with sweep_free */
    char (*labels)[SWEEP_LABEL_MAX]; /* what each report stems from in a layout; NULL: none */
    size_t elsewhere, unseen;        /* requests of a layout that are left out: to several blocks,
                                        which can't be run; that no counter sees */
} sweep;

enum { SWEEP_STRIDES_MAX = 4096, SWEEP_WIDTHS_MAX = 8 };

/* All combinations of these; offset and lanes are those of `base`. */
typedef struct sweep_axes {
    smp_pattern base;
    smp_op ops[SMP_OP_COUNT];
    uint64_t widths[SWEEP_WIDTHS_MAX], strides[SWEEP_STRIDES_MAX];
    size_t op_count, width_count, stride_count;
} sweep_axes;

/* A combination that does not exist (an atomic of one byte) or that reaches beyond the block's
 * shared memory is left out; error if none is left. */
smp_status sweep_make(const sweep_axes *axes, const smp_arch *arch, sweep *out, smp_error *error);
/* From the lines of a file in the batch format ("-": standard input). A bad line is an error with
 * its place. */
smp_status sweep_read(const char *path, const smp_arch *arch, sweep *out, smp_error *error);
/* Every distinct request of the accesses of a layout. On failure *line and error->position name the
 * place, as in smp_layout_evaluate. */
smp_status sweep_layout(const smp_layout *layout, const smp_arch *arch, sweep *out, unsigned *line,
                        smp_error *error);
void sweep_free(sweep *all);

#endif
