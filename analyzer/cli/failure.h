/* SPDX-License-Identifier: MIT */
/* Errors as documents (schema/error.json) if --format asks for JSON. */
#pragma once

#include <stdio.h>

#include "smp_model.h"

/* Keeps the first error, and "FILE:LINE:COLUMN" or "" in front of it. */
void failure_keep(const char *where, const smp_error *error);
/* Notes that a document was written to standard output: no other follows. */
void failure_is_answered(void);
/* Notes that standard output belongs to another program: nothing is written there. */
void failure_is_beside(void);
/* Writes one error as a document on one line; `text` is its message with its place. */
void failure_write(FILE *out, const char *text, const smp_error *error, int exit_status);
/* Writes the kept error if `status` is a failure, an argument asks for JSON, and nothing else was
 * written. Returns `status`. */
int failure_report(int argc, char **argv, int status);
