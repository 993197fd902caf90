/* SPDX-License-Identifier: MIT */
/*
 * From the requests that the library inside a program left, one by one, to a trace.
 */
#ifndef SMP_PROFILE_TRACE_H
#define SMP_PROFILE_TRACE_H

#include "instrument_dump.h"
#include "smp_trace.h"

/* Of one process. */
typedef struct smp_traced {
    uint64_t rows;     /* in the trace */
    uint64_t left_out; /* local memory, and what has no operation */
    uint64_t not_kept; /* of the others: how many more the process made */
    bool is_cut;       /* it ended before its requests were all written */
} smp_traced;

/* Adds the requests of all files of dump->traces. `ops`: of each of its sites, as smp_profile_join
 * tells. *writer is the caller's. SMP_E_READ: no such file, or none of these; SMP_E_WRITE,
 * SMP_E_MEMORY. */
smp_status smp_profile_trace(const smp_instrument_dump *dump, const smp_op *ops,
                             smp_trace_writer *writer, smp_traced *out, smp_error *error);

#endif
