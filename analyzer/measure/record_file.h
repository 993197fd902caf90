/* SPDX-License-Identifier: MIT */
/*
 * Recorded files, and FILE.partial: the measurements of an incomplete run, which the same command
 * on the same GPU continues. Internal to the analyzer.
 */
#pragma once

#include "note.h"
#include "smp_probes.h"

/* Destination of recorded measurements. */
typedef struct record_target {
    const char *path;  /* NULL: nowhere */
    bool overwrites;   /* replace an existing file */
    char command[512]; /* the measuring command: only its own measurements are reused */
    const note_sink *notes;
} record_target;

/* Adds a recorded file to the built-in ones; messages begin with `prefix`. */
smp_status recorded_read(const char *prefix, const char *path, smp_error *error);

/* Writes the file with `write` and removes the partial one. For an incomplete run, `kept` describes
 * its measurements ("3 measured accesses are"): writes the partial file instead, with a note. */
smp_status record_write(const record_target *to, bool (*write)(FILE *file, const void *user),
                        const void *user, const char *kept, smp_error *error);

/* Adds the partial file, if any, to the recordings. */
smp_status record_read_partial(const record_target *to, bool *found, smp_error *error);
/* True if a recorded row was measured on this GPU by `command`. */
bool record_is_of(const smp_record *record, const smp_device *device, const char *command);
/* Notes how many of the partial file's `things` are reused; it is an error if none is. */
smp_status record_say_taken(const record_target *to, size_t taken, size_t count, const char *things,
                            smp_error *error);
