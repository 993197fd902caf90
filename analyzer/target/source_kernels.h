/* SPDX-License-Identifier: MIT */
/*
 * The kernels of a source: of templates, the instances that its text names.
 */
#pragma once

#include "host_text.h"
#include "smp_model.h"

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
