/* SPDX-License-Identifier: MIT */
/*
 * source_line.h: one line of a source file, to be shown beside a figure.
 */
#ifndef SMP_SOURCE_LINE_H
#define SMP_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Line `line` (from 1) of `file` without indentation and its end, cut to `size`; what a terminal
 * would take as a command becomes a blank. False if it is not there. */
bool smp_source_line_read(const char *file, uint32_t line, char *text, size_t size);

#endif
