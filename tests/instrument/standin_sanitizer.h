/* SPDX-License-Identifier: MIT */
/* What the stand-in for the Compute Sanitizer API was told, and how it behaves. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "instrument_table.h"
#include "instrument_trace.h"
#include "sanitizer_face.h"

enum { STANDIN_PC = 0x10000, STANDIN_CODE_BYTES = 0x400 };

typedef struct standin_sanitizer {
    san_callback callback;
    instrument_table *table; /* the last memory that was asked for */
    trace_ring *ring;        /* the same, of the host */
    const void *launch_data;
    uint64_t patched;                       /* bit by instruction number */
    int modules_patched, modules_unpatched; /* so many times */
    int change_moments;                     /* that a change of patches takes, of 20 us */
    volatile int launching;                 /* threads that are between a call's ends */
    volatile int overlaps;                  /* changes of patches meanwhile */
    bool is_busy, has_faulted;
    bool sees_launches, sees_calls, sees_nodes; /* callbacks that are enabled */
    int nodes_seen;                             /* by so many launches of graphs */
    bool is_lazy;                               /* no function is loaded yet */
    bool is_later;                              /* it is one of 13.1 or later */
    const void *own_module; /* the one that has "other", and nothing else; NULL: all have all */
    int not_ready;          /* so many times a stream cannot be waited for */
    pthread_mutex_t driver; /* held by the driver while a kernel is launched */
    volatile int driver_awaited; /* by so many calls at the moment */
    const char *watched;         /* memory whose reads are counted */
    size_t watched_bytes;
    int reads; /* of some of it */
} standin_sanitizer;

extern standin_sanitizer standin_state;
