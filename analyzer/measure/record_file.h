/* SPDX-License-Identifier: MIT */
/*
 * record_file.h: the file of --record, and FILE.partial beside it: what a run that did not end has
 * measured, from which the same command on the same GPU goes on. Internal to the command line.
 */
#ifndef SMP_RECORD_FILE_H
#define SMP_RECORD_FILE_H

#include "cli.h"
#include "smp_probes.h"

/* Writes the file of --record by `write`, and removes the partial one. A run that did not end
 * (`kept` says what it has measured, with its verb) writes the partial file instead, and says so.
 */
smp_status record_write(const arguments *args, bool (*write)(FILE *file, const void *user),
                        const void *user, const char *kept, smp_error *error);

/* Adds the partial file, if there is one, to what is recorded. */
smp_status record_read_partial(const arguments *args, bool *found, smp_error *error);
/* Whether a recorded row was measured on this GPU by the command line `command`. */
bool record_is_of(const smp_record *record, const smp_device *device, const char *command);
/* Says how many of the partial file's `things` are taken; none is an error. */
smp_status record_say_taken(const arguments *args, size_t taken, size_t count, const char *things,
                            smp_error *error);

#endif
