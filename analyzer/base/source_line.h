/* SPDX-License-Identifier: MIT */
/* Lines of source files, which are shown beside figures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "smp_model.h"

/* Line `line` (from 1) of `file` without its indentation and newline, cut to `size`; control
 * characters become blanks. False if there is no such line. */
bool smp_source_line_read(const char *file, uint32_t line, char *text, size_t size);

/* The path of the file, or of one below the current folder that ends in the same way, with at least
 * one folder in common: a program that was built elsewhere names folders of that machine. The
 * result is part of `file`, or all of it if there is no such file. */
const char *smp_source_path(const char *file);
/* How messages name the file: from the current folder, or else from the folder of smp_source_allow,
 * so that a service that knows only the repository can follow it. */
const char *smp_source_shown(const char *file);
/* Opens `file` for reading. NULL if it does not exist or must not be shown. */
FILE *smp_source_open(const char *file);

/* A profile from elsewhere may name any file of this machine, so only files below the current
 * folder are shown, after following links, and files below the folder of smp_source_allow, which is
 * searched in the same way. SMP_E_READ: there is no such folder. */
smp_status smp_source_allow(const char *folder, smp_error *error);
/* For profiles that are made in this run: any file that they name may be shown. */
void smp_source_allow_all(void);
/* The first file that exists and was not shown to this thread; NULL if none. */
const char *smp_source_withheld(void);
bool smp_source_is_withheld(const char *file);

/* True for names with the ending of a source file (.cu, .h, .py and others). Only such files are
 * shown whole, since a profile from elsewhere may name any file. */
bool smp_source_is_named(const char *file);

/* ---- A place in a text ---- */

/* Writes `text`, or the part of it around `position`, on one line of at most 100 columns and no
 * wider than the terminal, and a caret below the position. */
void smp_caret_print(FILE *out, const char *text, size_t length, int position);
