/* SPDX-License-Identifier: MIT */
/*
 * Streams of accesses. Each is a row with one function that visits its accesses, so that code that
 * counts, collects or runs accesses is independent of their source. Other rooms add
 * smp_stream_layout (layout_view.h) and smp_stream_kernel (smp_forecast.h).
 */
#pragma once

#include "smp_accesses.h"

typedef struct smp_stream {
    const char *name; /* "strides" */
    /* Visits all accesses of *from, whose type depends on the row. Fails if `visit` fails or *from
     * is wrong; then *error (never NULL) gives the place. */
    smp_status (*visit)(const void *from, smp_visit_fn visit, void *user, smp_error *error);
} smp_stream;

enum { SMP_AXIS_STRIDES_MAX = 4096, SMP_AXIS_WIDTHS_MAX = 8 };

/* All combinations, operations outermost, strides innermost; `base` gives offset and lanes. */
typedef struct smp_axes {
    smp_pattern base;
    smp_op ops[SMP_OP_COUNT];
    uint64_t widths[SMP_AXIS_WIDTHS_MAX], strides[SMP_AXIS_STRIDES_MAX];
    size_t op_count, width_count, stride_count;
} smp_axes;

/* pattern.c: from an smp_axes. Sets `pattern`. Includes accesses that an architecture may not have;
 * skips those whose offsets do not fit, and fails if none is left. */
extern const smp_stream smp_stream_strides;

/* A text in the batch format or a trace (smp_trace.h), as its first byte tells. */
typedef struct smp_file {
    const char *name; /* for messages */
    int input;        /* a file descriptor */
    /* Reports an error at `column` (from 1, or 0) of line or row `index` (from 1; 0: the file); the
     * stream continues. Also reports the error of a failing visitor (error->position is a lane),
     * unless its status is SMP_E_MEMORY, SMP_E_WRITE or SMP_E_INTERRUPTED. If NULL, the first such
     * error ends the stream, its message preceded by the place. */
    void (*wrong)(void *user, uint64_t index, int column, const char *what);
    bool (*goes_on)(void *user); /* false: SMP_E_INTERRUPTED at the next block. May be NULL */
    void *user;
    uint64_t *last; /* set to the last line or row read; may be NULL */
} smp_file;

/* Opens `path` ("-": standard input), which must live as long as *out. SMP_E_READ. */
smp_status smp_file_open(const char *path, smp_file *out, smp_error *error);
/* Leaves standard input open. */
void smp_file_close(const smp_file *file);

/* file_stream.c: from an smp_file. `index` is the line or row, counted from 1. */
extern const smp_stream smp_stream_file;

/* Accesses of smp_random_access_within; `index` is their number. */
typedef struct smp_random_stream {
    smp_random *random; /* source of the numbers */
    smp_op op;
    unsigned width_bytes;
    uint32_t limit_bytes;
    uint64_t span_bytes, count;
} smp_random_stream;

/* random_access.c: from an smp_random_stream. */
extern const smp_stream smp_stream_random;
