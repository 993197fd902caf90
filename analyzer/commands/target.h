/* SPDX-License-Identifier: MIT */
/*
 * A file in the place of a command: what is done with it.
 */
#pragma once

#include <stdbool.h>

/* Whether the word is a file that something is done with: by its ending, or a program. */
bool target_is(const char *word);
/* Whether the words are "OPTIONS -- PROGRAM ARGS". */
bool target_is_command(int argc, char **argv);
int target_run_command(int argc, char **argv);
/* Does it; argv[1] is the file, options and compiler flags stand behind it. The exit status. */
int target_run(int argc, char **argv);
