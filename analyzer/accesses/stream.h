/* SPDX-License-Identifier: MIT */
/*
 * stream.h: streams of accesses. Each is a row with one function that shows its accesses, one after
 * the other, so that whoever counts, collects or runs accesses need not know where they come from.
 * Other rooms have rows, too: smp_stream_layout (layout.h), smp_stream_kernel
 * (smp_forecast.h).
 */
#pragma once

#include "smp_accesses.h"

typedef struct smp_stream {
    const char *name; /* "strides" */
    /* Shows all accesses of *from, whose type depends on the row. Fails as `visit` does, or where
     * *from itself is wrong; then *error (never NULL) says where. */
    smp_status (*visit)(const void *from, smp_visit_fn visit, void *user, smp_error *error);
} smp_stream;

enum { SMP_AXIS_STRIDES_MAX = 4096, SMP_AXIS_WIDTHS_MAX = 8 };

/* All combinations of these, operations outermost, strides innermost; offset and lanes are those of
 * `base`. */
typedef struct smp_axes {
    smp_pattern base;
    smp_op ops[SMP_OP_COUNT];
    uint64_t widths[SMP_AXIS_WIDTHS_MAX], strides[SMP_AXIS_STRIDES_MAX];
    size_t op_count, width_count, stride_count;
} smp_axes;

/* pattern.c: from an smp_axes. Fills `pattern`. Shows also what some architecture does not have;
 * leaves out what needs larger offsets than there are, and fails if that is everything. */
extern const smp_stream smp_stream_strides;

/* A text in the batch format or a trace (smp_trace.h): which, its first byte says. */
typedef struct smp_file {
    const char *name; /* as it stands in messages */
    int input;        /* a descriptor, read from where it is */
    /* Called with what is wrong at `column` (from 1; 0: none) of line or row `index` (from 1), or,
     * with index 0, of the file; then the stream goes on. It is also called with the message of a
     * visitor that fails (error->position is a lane), unless the status is SMP_E_MEMORY,
     * SMP_E_WRITE or SMP_E_INTERRUPTED. NULL: the first such failure ends the stream, with the
     * place in front of its message. */
    void (*wrong)(void *user, uint64_t index, int column, const char *what);
    bool (*goes_on)(void *user); /* false: SMP_E_INTERRUPTED at the next block. NULL: always */
    void *user;
    uint64_t *last; /* NULL, or set to the line or row that was read last */
} smp_file;

/* Opens `path` ("-": standard input), which must live as long as *out. SMP_E_READ. */
smp_status smp_file_open(const char *path, smp_file *out, smp_error *error);
/* Leaves standard input open. */
void smp_file_close(const smp_file *file);

/* file_stream.c: from an smp_file. `index` is the line or row, counted from 1. */
extern const smp_stream smp_stream_file;

/* Accesses of smp_random_access_within; `index` counts them. */
typedef struct smp_random_stream {
    smp_random *random; /* whose next numbers are used */
    smp_op op;
    unsigned width_bytes;
    uint32_t limit_bytes;
    uint64_t span_bytes, count;
} smp_random_stream;

/* random_access.c: from an smp_random_stream. */
extern const smp_stream smp_stream_random;
