/* SPDX-License-Identifier: MIT */
/*
 * One kernel of a source and its launch as a layout of the source model.
 */
#pragma once

#include "assumed_launch.h"
#include "host_text.h"
#include "layout_view.h"
#include "smp_model.h"

/* ---- source_data.c: arrays that a launch fills ---- */

enum { SOURCE_DATA_MAX = 4 };

typedef struct source_data {
    int64_t last[SOURCE_DATA_MAX];
    char path[SOURCE_DATA_MAX][4096];
    unsigned count;
} source_data;

/* The file of random:0:`last` (at most 65,535), which is made when it is first asked for. */
smp_status source_data_file(source_data *data, int64_t last, const char **path, smp_error *error);
/* Removes the files. */
void source_data_clear(source_data *data);

/* ---- source_kernels.c: the kernels of a text ---- */

enum { SOURCE_ARGUMENTS_MAX = 8 };

typedef struct source_kernel {
    host_kernel of;                           /* spans of the text */
    char name[256];                           /* "reduce<float, 256>" */
    char parameter[SOURCE_ARGUMENTS_MAX][48]; /* of the template: "T" */
    char argument[SOURCE_ARGUMENTS_MAX][48];  /* "float"; "": nothing says it */
    bool is_assumed[SOURCE_ARGUMENTS_MAX];
    unsigned argument_count;
    bool is_special; /* of a template, with a body of its own */
} source_kernel;

/* Those of `text`, which host_text_make made, in its order. The caller frees *out. SMP_E_MEMORY or
 * SMP_OK. */
smp_status source_kernels_find(const char *text, source_kernel **out, size_t *count,
                               smp_error *error);

/* ---- source_layout.c ---- */

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
