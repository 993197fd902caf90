/* SPDX-License-Identifier: MIT */
/* The time that removing conflicts saves (model/FINDINGS.md, 13). */
#pragma once

#include <stdint.h>

/* Upper bound of the time saved, as a multiple of the time of the excess wavefronts. */
#define SMP_GAIN_MOST 1.3

/* A GPU, by the driver's name for it. */
typedef struct smp_gpu_rates {
    const char *name;
    uint32_t multiprocessors, clock_khz; /* the highest clock */
} smp_gpu_rates;

/* NULL if it is not one of the GPUs on which the rule of smp_gain_predict was found. */
const smp_gpu_rates *smp_gpu_rates_find(const char *name);

/* Measurements of a kernel: sums over the launches covered by time_us. */
typedef struct smp_gain_ask {
    double time_us;
    double copy_us;            /* of a copy of the bytes it must move; 0 if unknown */
    double wavefronts, excess; /* of shared memory; `excess` is the avoidable part */
    double blocks;             /* per launch; 0 if unknown or many */
    double
        share; /* share of the wavefronts served by one multiprocessor; 0: derive from `blocks` */
    uint32_t multiprocessors, clock_khz; /* the highest clock; if 0 (unknown), all results are 0 */
} smp_gain_ask;

typedef struct smp_gain {
    double stage_us; /* least time that shared memory's data stage is busy */
    double most_us;  /* most time that removing the excess can save */
    double about_us; /* expected saving */
} smp_gain;

smp_gain smp_gain_predict(const smp_gain_ask *ask);
