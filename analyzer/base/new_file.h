/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all: written under another name beside the final one, and
 * renamed when they are complete.
 */
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include <stdio.h>

#include "smp_model.h"

/* SMP_E_EXISTS if `path` is there and may not be overwritten: asked before any long work. */
smp_status new_file_check(const char *path, bool overwrites, smp_error *error);
/* The same, and an empty file of a free name beside `path`, to be renamed by the caller. */
smp_status new_file_reserve(const char *path, bool overwrites, char *temporary, size_t size,
                            smp_error *error);
/* A whole file by `write`, which returns false if it failed. */
smp_status new_file_write(const char *path, bool overwrites,
                          bool (*write)(FILE *file, const void *user), const void *user,
                          smp_error *error);

#endif
