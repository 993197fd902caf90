/* SPDX-License-Identifier: MIT */
/*
 * One kernel of a source and its launch as a layout of the source model.
 */
#pragma once

#include "assumed_launch.h"
#include "layout_view.h"
#include "source_data.h"
#include "source_kernels.h"

typedef struct source_file {
    const char *path;
    const char *text; /* as it is in the file */
    size_t length;
    const char *const *flags; /* of the compiler; of these -D is taken */
    size_t flag_count;
} source_file;

typedef struct source_layout {
    smp_layout *layout;
    char *statements; /* that the layout points into */
    size_t used;
    unsigned line; /* that an error is in; 0: none of the file */
} source_layout;

/* `data`: of the launch's arrays of integers; NULL: what stands in them is not known. Clear *out
 * also after failure. */
smp_status source_layout_make(const source_file *file, const source_kernel *kernel,
                              const smp_assumed_launch *launch, source_data *data,
                              source_layout *out, smp_error *error);
void source_layout_clear(source_layout *made);
