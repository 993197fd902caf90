/* SPDX-License-Identifier: MIT */
/*
 * The part of CUPTI's activity records (CUDA 12.0 and later) that the library uses, declared
 * without the toolkit. sanitizer_check.c compares it with the headers if they are installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { ACTIVITY_CONCURRENT_KERNEL = 10 };

/* The beginning of a kernel's record, unchanged since CUpti_ActivityKernel4; records of other kinds
 * only share the kind. */
typedef struct activity_kernel {
    uint32_t kind;
    uint8_t caches[2];
    uint16_t registers;
    uint32_t partitioned[2];
    uint64_t start, end, completed; /* ns */
    uint32_t device, context, stream;
    int32_t grid[3], block[3], shared[2];
    uint32_t local[2], correlation;
    int64_t grid_id;
    const char *name; /* mangled */
} activity_kernel;

/* name, arguments; all return 0 on success */
#define ACTIVITY_FUNCTION_LIST(X)                                                         \
    X(RegisterCallbacks, (void (*request)(uint8_t **, size_t *, size_t *),                \
                          void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t))) \
    X(Enable, (int kind))                                                                 \
    X(GetNextRecord, (uint8_t * buffer, size_t valid, activity_kernel * *record))         \
    X(GetNumDroppedRecords, (void *context, uint32_t stream, size_t *dropped))            \
    X(FlushAll, (uint32_t flag))

typedef struct activity_face {
#define ACTIVITY_FUNCTION(name, arguments) int(*name) arguments;
    ACTIVITY_FUNCTION_LIST(ACTIVITY_FUNCTION)
#undef ACTIVITY_FUNCTION
} activity_face;
