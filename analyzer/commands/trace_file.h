/* SPDX-License-Identifier: MIT */
/*
 * --trace FILE: a new trace of everything that is emulated.
 */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include "command.h"
#include "instrument_dump.h"
#include "new_file.h"
#include "smp_trace.h"

typedef struct trace_file {
    new_file file;
    smp_trace_writer *writer; /* NULL: none is asked for */
    uint64_t rows, left_out;  /* to be counted by who writes */
} trace_file;

/* Before anything is run: refuses a file that is there without --force, and that of -o. */
smp_status trace_file_check(const arguments *args, smp_error *error);
/* Opens what --trace names, if it names anything. What is opened must be closed. */
smp_status trace_file_open(const arguments *args, trace_file *out, smp_error *error);
/* Adds the rows of another trace; says on stderr what of it cannot be read. */
smp_status trace_file_take(trace_file *file, const char *path, smp_error *error);
/* Adds the requests of a process that a GPU ran; says on stderr what of them is missing. `ops`: as
 * smp_profile_join tells. */
smp_status trace_file_take_process(trace_file *file, const smp_instrument_dump *dump,
                                   const smp_op *ops, smp_error *error);
/* Gives it its name and says on stderr what is in it, or throws it away if `keep` is false. */
smp_status trace_file_close(trace_file *file, bool keep, smp_error *error);

#endif
