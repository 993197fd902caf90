/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all: written under another name beside the final one, and
 * renamed when they are complete. No signal that can be caught leaves the other name behind; what
 * SIGKILL leaves, the next run that writes the same file removes.
 */
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "smp_model.h"

typedef struct new_file {
    const char *path; /* the caller's */
    FILE *stream;     /* to write to */
    bool overwrites;
    unsigned slot;
} new_file;

/* From here on a signal that ends the program first removes what is half written, and Ctrl-C says
 * so. new_file_open calls it; who wants that line sooner calls it himself. */
void new_file_guard(void);

/* Writes what is buffered. False: something could not be written, now or before, and *cause is why
 * (errno; 0: not known). */
bool smp_stream_flush(FILE *stream, int *cause);

/* SMP_E_EXISTS if `path` is there and may not be overwritten: asked before any long work. */
smp_status new_file_check(const char *path, bool overwrites, smp_error *error);
/* The same, and opens it. What is opened must be closed. */
smp_status new_file_open(new_file *file, const char *path, bool overwrites, smp_error *error);
/* Gives it its name, or throws it away if `keep` is false. Reports a full disk. */
smp_status new_file_close(new_file *file, bool keep, smp_error *error);
/* A whole file by `write`, which returns false if it failed. */
smp_status new_file_write(const char *path, bool overwrites,
                          bool (*write)(FILE *file, const void *user), const void *user,
                          smp_error *error);

#endif
