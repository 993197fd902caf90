/* SPDX-License-Identifier: MIT */
/* --trace FILE: a new trace of everything that is emulated. */
#pragma once

#include "instrument_dump.h"
#include "new_file.h"
#include "note.h"
#include "smp_trace.h"

typedef struct trace_file {
    new_file file;
    smp_trace_writer *writer; /* NULL if none is requested */
    uint64_t rows, left_out;  /* counted by the writer */
    const note_sink *notes;
} trace_file;

/* Opens a new file, unless `path` is NULL. An open file must be closed. `notes` receives how many
 * accesses the trace has and how many are missing. */
smp_status trace_file_open(const char *path, bool overwrites, const note_sink *notes,
                           trace_file *out, smp_error *error);
/* Adds the rows of another trace; notes the rows that cannot be read. */
smp_status trace_file_take(trace_file *file, const char *path, smp_error *error);
/* Adds the requests of a process that ran on a GPU, and notes how many are missing. `ops` is from
 * smp_profile_join. */
smp_status trace_file_take_process(trace_file *file, const smp_instrument_dump *dump,
                                   const smp_op *ops, smp_error *error);
/* Renames it and notes its contents, or deletes it if `keep` is false. */
smp_status trace_file_close(trace_file *file, bool keep, smp_error *error);
