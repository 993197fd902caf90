/* SPDX-License-Identifier: MIT */
/*
 * Several GPUs of one host share the accesses of one sweep, each in a process of its own: profiler
 * sessions of one process would wait for each other. Internal to the analyzer.
 */
#pragma once

#include "smp_prediction.h"
#include "witness.h"

enum { DEVICES_MAX = 64 };

typedef struct device_list {
    unsigned count;
    int index[DEVICES_MAX];
    smp_device first;     /* all are of its compute capability */
    smp_error why_clocks; /* of devices_read; status SMP_OK: the clocks did not take over */
} device_list;

/* Those of this host. */
typedef struct device_table {
    unsigned count;
    smp_device device[DEVICES_MAX];
} device_table;

/* To be called before this process has used a GPU: what there is, is asked in a process of its own.
 */
smp_status devices_find(device_table *out, smp_error *error);
/* Those of the numbers `wanted`; NULL: all that were found. Each must be there, once, and of the
 * first one's compute capability. */
smp_status devices_choose(const device_table *found, const uint64_t *wanted, size_t count,
                          device_list *out, smp_error *error);

/* As witness_read, by all GPUs of the list. Which GPU measures an access depends on its place among
 * the accesses alone. */
smp_status devices_read(device_list *devices, const witness_choice *choice,
                        const smp_access *accesses, size_t count, smp_measured *const *measured,
                        smp_progress_fn progress, void *user, smp_error *error);
