/* SPDX-License-Identifier: MIT */
/*
 * Whole text files, and the names of files.
 */
#pragma once

#include <stdio.h>

#include "smp_model.h"

/* Reads a whole file ("-": standard input) into *text, which the caller frees; NULL after failure.
 * At least one byte of room is left behind it. */
smp_status smp_text_read(const char *name, char **text, size_t *length, smp_error *error);
/* The same for the rest of an open file. */
smp_status smp_text_read_stream(FILE *in, char **text, size_t *length, smp_error *error);
/* Bytes of the mark that some editors put before UTF-8; 0: the text begins with none. */
size_t smp_text_mark(const char *text, size_t length);
/* Opens a file for reading; NULL with errno, which is EISDIR for a folder (fopen would open it). */
FILE *smp_open_to_read(const char *name);

/* Whether the name of a file ends so ("gemm.cu", ".cu"), and has more than that. */
bool smp_name_ends(const char *name, const char *ending);
/* The part of a path below the current folder, if it lies there, without "./" in front. */
const char *smp_path_from_here(const char *path);
