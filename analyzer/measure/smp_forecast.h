/* SPDX-License-Identifier: MIT */
/* The model's prediction of the memory traffic of a kernel. */
#pragma once

#include "smp_kernels.h"
#include "stream.h"
#include "tally.h"

SMP_C_BEGIN

enum { SMP_SITES_MAX = 32, SMP_SITE_NAME_MAX = 48 };

/* One access in the source of a kernel, over a whole run. */
typedef struct smp_site {
    char name[SMP_SITE_NAME_MAX]; /* "tile read" */
    smp_op op;
    uint32_t width_bytes;
    smp_tally sum;
} smp_site;

/* Predicted memory traffic of a kernel run. */
typedef struct smp_forecast {
    smp_status status; /* SMP_OK, or SMP_E_NOT_MODELLED with the reason in `why` */
    char why[160];
    smp_traffic traffic;
    smp_tally shared, global; /* over all sites of that memory */
    size_t site_count;
    smp_site sites[SMP_SITES_MAX];
} smp_forecast;

/* A kernel run as a stream of accesses: those of its script, for each class of blocks, or of its
 * trace over the input made by family->fill (`in`, or made here if that is NULL). Sets `site` and
 * `times`; offsets include the lanes' cluster blocks. Host code has no accesses. */
typedef struct smp_kernel_stream {
    const smp_kernel_family *family;
    const smp_kernel_variant *variant;
    const smp_kernel_case *problem;
    const void *in;
} smp_kernel_stream;

extern const smp_stream smp_stream_kernel;

/* Predicts one run of `variant`. Failures are errors of the script. */
smp_status smp_kernel_forecast(const smp_arch *arch, const smp_kernel_family *family,
                               const smp_kernel_variant *variant, const smp_kernel_case *problem,
                               const void *in, smp_forecast *out, smp_error *error);

SMP_C_END
