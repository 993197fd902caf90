/* SPDX-License-Identifier: MIT */
/* Witnesses: counters or clocks. Internal to the analyzer. */
#pragma once

#include "note.h"
#include "smp_prediction.h"

typedef struct witness_choice {
    smp_witness first;
    bool and_clocks; /* "both": counters and clocks */
} witness_choice;

/* Measures by counters and, if `choice` says so, clocks; marks contradictions. Measurements not
 * reached are unchanged; see measured[i]->origin. */
smp_status witness_read(smp_probe *probe, const witness_choice *choice, const smp_access *accesses,
                        size_t count, smp_measured *const *measured, smp_progress_fn progress,
                        void *user, smp_error *error);
/* Adds clocks to the measurement of one access. */
smp_status witness_add_clocks(smp_probe *probe, const smp_access *access, smp_measured *measured,
                              smp_error *error);
/* Notes why clocks were used, if they were: `why` then has a status. */
void witness_explain_why(const smp_error *why, const note_sink *notes);
void witness_explain(const smp_probe *probe, const note_sink *notes);

/* ---- Several GPUs of a host: devices.c ---- */

/* They share the accesses of a sweep, each in its own process, since profiler sessions of one
 * process would wait for each other. */
enum { DEVICES_MAX = 64 };

typedef struct device_list {
    unsigned count;
    int index[DEVICES_MAX];
    smp_device first;     /* all have its compute capability */
    smp_error why_clocks; /* set by devices_read; SMP_OK if the counters were used */
} device_list;

/* The GPUs of this host. */
typedef struct device_table {
    unsigned count;
    smp_device device[DEVICES_MAX];
} device_table;

/* Call before this process uses a GPU: a separate process lists them. */
smp_status devices_find(device_table *out, smp_error *error);
/* Chooses the GPUs with numbers `wanted`; NULL for all. They must exist, be distinct, and have the
 * compute capability of the first. */
smp_status devices_choose(const device_table *found, const uint64_t *wanted, size_t count,
                          device_list *out, smp_error *error);

/* Like witness_read, on all GPUs of the list. The index of an access alone decides which GPU
 * measures it. */
smp_status devices_read(device_list *devices, const witness_choice *choice,
                        const smp_access *accesses, size_t count, smp_measured *const *measured,
                        smp_progress_fn progress, void *user, smp_error *error);
