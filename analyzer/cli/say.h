/* SPDX-License-Identifier: MIT */
/*
 * Messages on standard error.
 */
#pragma once

#include <stdio.h>

#include "note.h"
#include "smp_model.h"
#include "text_buffer.h"

/* Prints "smemprobe: message" on stderr and returns the exit status. */
int complain(const smp_error *error);
/* The same of an error that is made of a status and a printf format. */
int complain_of(smp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of SMP_E_MEMORY. */
int complain_memory(void);
/* Fills an error of wrong words on the command line, and returns its status. */
#define usage_error(error, ...) smp_error_set(error, SMP_E_USAGE, -1, __VA_ARGS__)
/* A line on standard error, without its end; broken where a terminal is narrower. What no terminal
 * should act on, in a file's or a kernel's name, is shown by its number. */
void say_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a text of several lines, which ends with say_close. */
FILE *say_open(void);
void say_close(FILE *out);
/* The exit status of a mistake in an access, an expression or a file: never that of wrong words on
 * the command line (SMP_E_USAGE), even where the content is an argument. */
int content_exit(smp_status status);
/* Prints notes in the same way. */
extern const note_sink say_notes;
/* The same, but a line that was said in this way before is not said again. */
extern const note_sink say_notes_once;
