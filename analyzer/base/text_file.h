/* SPDX-License-Identifier: MIT */
/* Whole text files, and the names of files. */
#pragma once

#include <dirent.h>
#include <stdio.h>

#include "smp_model.h"

/* Reads a whole file ("-": standard input) into *text, which the caller frees; NULL after failure.
 * A NUL follows the text, which may contain others. */
smp_status smp_text_read(const char *name, char **text, size_t *length, smp_error *error);
/* The same with the byte order mark that the file may have. */
smp_status smp_text_read_marked(const char *name, char **text, size_t *length, smp_error *error);
/* The same for the rest of an open file. */
smp_status smp_text_read_stream(FILE *in, char **text, size_t *length, smp_error *error);
/* The whole text of an open file, which the caller frees; NULL if it is too large, not text, or
 * memory is out. */
char *smp_plain_text(FILE *in, size_t *length);
/* Length of the byte order mark that some editors write before UTF-8; 0 if there is none. */
size_t smp_text_mark(const char *text, size_t length);
/* Opens a file for reading; NULL with errno, which is EISDIR for a folder (fopen would open it). */
FILE *smp_open_to_read(const char *name);

/* For scandir(): leaves out hidden files, which belong to tools. */
int smp_is_visible(const struct dirent *entry);
/* Whether a file name has this ending ("gemm.cu", ".cu") and something before it. */
bool smp_name_ends(const char *name, const char *ending);
/* The part of a path below the current folder, if it is there, without a leading "./". */
const char *smp_path_from_here(const char *path);
