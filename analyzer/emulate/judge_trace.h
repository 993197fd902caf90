/* SPDX-License-Identifier: MIT */
/*
 * Every request of a launch into a trace, as it is made, beside being judged.
 */
#ifndef SMP_JUDGE_TRACE_H
#define SMP_JUDGE_TRACE_H

#include "judge.h"
#include "smp_trace.h"

/* Shared by all workers. */
typedef struct emu_trace {
    smp_trace_writer *writer;
    void *lock;        /* pthread_mutex_t */
    smp_status status; /* of what was put; after a failure nothing more is */
    smp_error error;
    uint64_t rows, left_out;
} emu_trace;

/* `lanes` of one request: offsets (NULL for global memory) and addresses (NULL for shared and
 * cluster memory). Local memory and operations without a row of their own are counted as left out.
 */
void emu_trace_put(emu_trace *trace, const emu_site *site, uint32_t lanes, const uint32_t *offset,
                   const uint64_t *address);

#endif
