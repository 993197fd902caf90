/* SPDX-License-Identifier: MIT */
/*
 * While a program runs for long under `profile`: a line at the foot of the terminal that says how
 * many launches there were, which kernel runs and what wastes most until now. The program's own
 * output scrolls above it.
 */
#pragma once

#include "child.h"

/* Where standard error is a terminal that is ours: tells the program to leave its live pages in
 * `folder`, and shows the line while it runs. Behind child_run: live_line_end. */
void live_line_begin(const char *folder, child_variables *to);
/* Takes the line away. */
void live_line_end(void);
