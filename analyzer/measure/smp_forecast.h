/* SPDX-License-Identifier: MIT */
/*
 * smp_forecast.h: what a run of a kernel asks of memory, by the model.
 */
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

/* What a run of a kernel asks of memory, by the model. */
typedef struct smp_forecast {
    smp_status status; /* SMP_OK; SMP_E_NOT_MODELLED: `why` says what is not known */
    char why[160];
    smp_traffic traffic;
    smp_tally shared, global; /* over all sites of that memory */
    size_t site_count;
    smp_site sites[SMP_SITES_MAX];
} smp_forecast;

/* A run of a kernel as a source of accesses, from an smp_kernel_stream: those of its script, for
 * each class of blocks, or of its trace over the input that family->fill makes (`in`, or made here
 * where that is NULL). `site` and `times` are set; lanes' blocks of a cluster are in their offsets.
 * What runs on the host makes none. */
typedef struct smp_kernel_stream {
    const smp_kernel_family *family;
    const smp_kernel_variant *variant;
    const smp_kernel_case *problem;
    const void *in;
} smp_kernel_stream;

extern const smp_stream smp_stream_kernel;

/* Predicts one run of `variant`, whose accesses are those of an smp_kernel_stream. Failures other
 * than SMP_E_NOT_MODELLED are faults of the script. */
smp_status smp_kernel_forecast(const smp_arch *arch, const smp_kernel_family *family,
                               const smp_kernel_variant *variant, const smp_kernel_case *problem,
                               const void *in, smp_forecast *out, smp_error *error);

SMP_C_END
