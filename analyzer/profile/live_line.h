/* SPDX-License-Identifier: MIT */
/*
 * During long runs under `profile`: a line at the bottom of the terminal with the number of
 * launches, the running kernel and the worst line so far. The program's own output scrolls above
 * it.
 */
#pragma once

#include "child.h"

/* If standard error is our terminal: makes the program write its live pages to `folder`, and shows
 * the line while it runs. Call live_line_end after child_run. */
void live_line_begin(const char *folder, child_variables *to);
/* Removes the line. */
void live_line_end(void);
