/* SPDX-License-Identifier: MIT */
/*
 * record_file.h: recorded files, and FILE.partial beside it: what a run that did not end has
 * measured, from which the same command on the same GPU goes on. Internal to the analyzer.
 */
#pragma once

#include "note.h"
#include "smp_probes.h"

/* Where measurements are recorded. */
typedef struct record_target {
    const char *path;  /* NULL: nowhere */
    bool overwrites;   /* a file that is there */
    char command[512]; /* that measures: only what it has measured itself is taken up again */
    const note_sink *notes;
} record_target;

/* Adds a recorded file to those that are built in; `prefix` stands first in messages. */
smp_status recorded_read(const char *prefix, const char *path, smp_error *error);

/* Writes the file by `write`, and removes the partial one. A run that did not end
 * (`kept` says what it has measured, with its verb) writes the partial file instead, and says so.
 */
smp_status record_write(const record_target *to, bool (*write)(FILE *file, const void *user),
                        const void *user, const char *kept, smp_error *error);

/* Adds the partial file, if there is one, to what is recorded. */
smp_status record_read_partial(const record_target *to, bool *found, smp_error *error);
/* Whether a recorded row was measured on this GPU by the command line `command`. */
bool record_is_of(const smp_record *record, const smp_device *device, const char *command);
/* Says how many of the partial file's `things` are taken; none is an error. */
smp_status record_say_taken(const record_target *to, size_t taken, size_t count, const char *things,
                            smp_error *error);
