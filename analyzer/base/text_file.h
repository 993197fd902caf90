/* SPDX-License-Identifier: MIT */
/*
 * Whole text files.
 */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdio.h>

#include "smp_model.h"

/* Reads all of a file ("-": standard input) into *text, which the caller frees, also
 * after failure. */
smp_status smp_text_read(const char *name, char **text, size_t *length, smp_error *error);
/* The same of what is left of an open file. */
smp_status smp_text_read_stream(FILE *in, char **text, size_t *length, smp_error *error);
/* Bytes of the mark that some editors put before UTF-8; 0: the text begins with none. */
size_t smp_text_mark(const char *text, size_t length);
/* A file to read, or NULL with errno: a folder, which opens and cannot be read, is EISDIR. */
FILE *smp_open_to_read(const char *name);

#endif
