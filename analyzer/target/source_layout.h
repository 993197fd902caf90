/* SPDX-License-Identifier: MIT */
/* Turns one kernel of a source and its launch into a layout of the source model. */
#pragma once

#include "assumed_launch.h"
#include "host_text.h"
#include "layout_view.h"
#include "smp_model.h"

/* ---- source_kernels.c: the kernels of a text ---- */

enum { SOURCE_ARGUMENTS_MAX = 8 };

typedef struct source_kernel {
    host_kernel of;                           /* spans of the text */
    char name[256];                           /* "reduce<float, 256>" */
    char parameter[SOURCE_ARGUMENTS_MAX][48]; /* template parameter: "T" */
    char argument[SOURCE_ARGUMENTS_MAX][48];  /* "float"; "" if unknown */
    bool is_assumed[SOURCE_ARGUMENTS_MAX];
    unsigned argument_count;
    bool is_special; /* a specialization with its own body */
} source_kernel;

/* Finds the kernels of `text` (from host_text_make) in its order. The caller frees *out. Returns
 * SMP_E_MEMORY or SMP_OK. */
smp_status source_kernels_find(const char *text, source_kernel **out, size_t *count,
                               smp_error *error);

/* Names functions that the kernel calls and whose text is not in `text`: "f(), g()". The model
 * does not count what they access. "" if there are none. */
void source_calls_name(const char *text, const source_kernel *kernel, char *out, size_t size);

/* ---- source_layout.c ---- */

typedef struct source_file {
    const char *path;
    const char *text; /* text of the file */
    size_t length;
    const char *const *flags; /* compiler flags; only -D is used */
    size_t flag_count;
} source_file;

typedef struct source_layout {
    smp_layout *layout;
    char *statements; /* the layout points into it */
    size_t used;
    unsigned line; /* line of an error; 0 if none */
} source_layout;

/* `arch` gives __CUDA_ARCH__ its value. With `has_data` the launch's integer arrays
 * have their values; else these are unknown. The caller clears *out also after failure. */
smp_status source_layout_make(const source_file *file, const smp_arch *arch,
                              const source_kernel *kernel, const smp_assumed_launch *launch,
                              bool has_data, source_layout *out, smp_error *error);
void source_layout_clear(source_layout *made);
