/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all: written under another name beside the final one, and
 * renamed when they are complete. No signal that can be caught leaves the other name behind; what
 * SIGKILL leaves, the next run that writes the same file removes.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "smp_model.h"

typedef struct new_file {
    const char *path; /* the caller's */
    FILE *stream;     /* to write to */
    bool overwrites;
    unsigned slot;
} new_file;

/* From now on a signal that ends the program first removes files that are half written, and Ctrl-C
 * prints a line that says so. new_file_open calls this; call it earlier to have that line earlier.
 */
void new_file_guard(void);

/* Flushes the stream. False: a write failed, now or earlier; *cause is the errno, or 0 if unknown.
 */
bool smp_stream_flush(FILE *stream, int *cause);

/* SMP_E_EXISTS if `path` exists and must not be overwritten. Call it before any long work. */
smp_status new_file_check(const char *path, bool overwrites, smp_error *error);
/* The same, and opens the file, which must be closed with new_file_close. */
smp_status new_file_open(new_file *file, const char *path, bool overwrites, smp_error *error);
/* Gives the file its final name, or removes it if `keep` is false. Reports a full disk. */
smp_status new_file_close(new_file *file, bool keep, smp_error *error);
/* Writes a whole file with `write`, which returns false if it fails. */
smp_status new_file_write(const char *path, bool overwrites,
                          bool (*write)(FILE *file, const void *user), const void *user,
                          smp_error *error);
