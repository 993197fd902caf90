/* SPDX-License-Identifier: MIT */
/*
 * source_line.h: lines of a source file, to be shown beside figures.
 */
#ifndef SMP_SOURCE_LINE_H
#define SMP_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "smp_model.h"

/* Line `line` (from 1) of `file` without indentation and its end, cut to `size`; what a terminal
 * would take as a command becomes a blank. False if it is not there. */
bool smp_source_line_read(const char *file, uint32_t line, char *text, size_t size);

/* The file, or else one that ends the same below the current folder, with at least one folder's
 * name in it: a program built elsewhere names the folders of that place. Part of `file`; all of it
 * where there is none. */
const char *smp_source_path(const char *file);
/* The same, to be read. NULL: there is none, or it may not be shown. */
FILE *smp_source_open(const char *file);

/* A profile that somebody else made may name any file of this machine, so only files below the
 * current folder are shown, links followed, and those below the folder of smp_source_allow, which
 * is also looked through as the current one is. SMP_E_READ: there is no such folder. */
smp_status smp_source_allow(const char *folder, smp_error *error);
/* Profiles that are made in this run: all that they name is shown. */
void smp_source_allow_all(void);
/* The first file that was there and was not shown; NULL: none. Valid until the next call. */
const char *smp_source_withheld(void);
bool smp_source_is_withheld(const char *file);

/* True of names that end as sources do (.cu, .h, .py and others). Whole files are only shown then:
 * a profile that somebody else made may name any file. */
bool smp_source_is_named(const char *file);

#endif
