/* SPDX-License-Identifier: MIT */
/*
 * failure.h: what was refused, as a document (schema/error.json), where --format asks for JSON.
 */
#pragma once

#include <stdio.h>

#include "smp_model.h"

/* What is complained of, and "FILE:LINE:COLUMN" or "" as it stands before it; the first stays. */
void failure_keep(const char *where, const smp_error *error);
/* A document was written to standard output: no other follows. */
void failure_is_answered(void);
/* Standard output is another program's: nothing goes there. */
void failure_is_beside(void);
/* The document of one failure, on a line; `text`: its message, behind its place. */
void failure_write(FILE *out, const char *text, const smp_error *error, int exit_status);
/* Writes the document if `status` is of a failure, a word of the command line asks for JSON, and
 * nothing else was written. Returns `status`. */
int failure_tell(int argc, char **argv, int status);
