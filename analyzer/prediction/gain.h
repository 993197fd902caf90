/* SPDX-License-Identifier: MIT */
/*
 * gain.h: from wavefronts to time: what removing conflicts is worth (model/FINDINGS.md, 13).
 */
#pragma once

#include <stdint.h>

/* Times the time of excess wavefronts: what removing them gained at most. */
#define SMP_GAIN_MOST 1.3

/* A GPU by the name that the driver gives it. */
typedef struct smp_gpu_rates {
    const char *name;
    uint32_t multiprocessors, clock_khz; /* the highest clock */
} smp_gpu_rates;

/* NULL: not one of the GPUs on which the rule of smp_gain_predict was found. */
const smp_gpu_rates *smp_gpu_rates_find(const char *name);

/* A kernel as it was measured: sums over the launches that time_us covers. */
typedef struct smp_gain_ask {
    double time_us;
    double copy_us;            /* of a copy of the bytes that it must move; 0: unknown */
    double wavefronts, excess; /* of shared memory; `excess` of them are avoidable */
    double blocks;             /* of a launch; 0: unknown, many */
    double share; /* of all wavefronts that one multiprocessor serves; 0: derived from `blocks` */
    uint32_t multiprocessors, clock_khz; /* the highest clock; 0: unknown, and all results are 0 */
} smp_gain_ask;

typedef struct smp_gain {
    double stage_us; /* the time that shared memory's data stage is busy, at least */
    double most_us;  /* the most that removing the excess can gain */
    double about_us; /* what it is expected to gain */
} smp_gain;

smp_gain smp_gain_predict(const smp_gain_ask *ask);
