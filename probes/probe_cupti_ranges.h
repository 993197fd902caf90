/* SPDX-License-Identifier: MIT */
/*
 * probe_cupti_ranges.h: metrics of many launches in one profiler session. Internal to probes/.
 */
#ifndef SMP_PROBE_CUPTI_RANGES_H
#define SMP_PROBE_CUPTI_RANGES_H

#include "probe_cupti.h"

typedef struct smp_ranges {
    const char *const *metrics;
    size_t metric_count;
    smp_launch_fn launch; /* of range i, once a pass */
    void *user;
    size_t launch_count;
    double *values; /* [launch][metric] */
    bool (*progress)(void *user, size_t done);
    void *progress_user;
} smp_ranges;

/* Opens, runs and always closes a session; *done launches have their values. */
smp_status smp_ranges_run(smp_probe *probe, const smp_ranges *job, size_t *done, smp_error *error);

#endif
