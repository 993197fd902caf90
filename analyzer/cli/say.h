/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#pragma once

#include <stdio.h>

#include "note.h"
#include "smp_model.h"
#include "text_buffer.h"

/* Prints "smemprobe: message" on stderr and returns the exit status. */
int complain(const smp_error *error);
/* The same for an error made from a status and a printf format. */
int complain_of(smp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for SMP_E_MEMORY. */
int complain_memory(void);
/* Fills a usage error and returns its status. */
#define usage_error(error, ...) smp_error_set(error, SMP_E_USAGE, -1, __VA_ARGS__)
/* Word `index` of a list, and its meaning; NULL after the last. */
typedef const char *word_list(size_t index, const char **summary);
/* Finds `word` ("" if none was given) in the list of words that `command` takes. `what` says what
 * these are, such as "table", for the usage error. */
smp_status word_find(const char *command, const char *what, word_list *list, const char *word,
                     size_t *index, smp_error *error);
/* Prints a line, given without its newline, on standard error, folded for a terminal. Control
 * characters in names of files and kernels are shown as numbers. */
void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a text of several lines; end it with say_close. */
FILE *say_open(void);
void say_close(FILE *out);
/* The exit status of a mistake in an access, an expression or a file: never that of a usage error
 * (SMP_E_USAGE), even if the content is an argument. */
int content_exit(smp_status status);
/* Prints notes in the same way. */
extern const note_sink say_notes;
/* The same, but prints each line only once. */
extern const note_sink say_notes_once;

/* ---- Errors as documents (schema/error.json) if --format asks for JSON: failure.c ---- */

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
