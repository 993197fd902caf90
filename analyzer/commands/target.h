/* SPDX-License-Identifier: MIT */
/*
 * A file in the place of a command: what is done with it.
 */
#pragma once

#include <stdbool.h>

/* Whether the word is a file that something is done with: by its ending, or a program. */
bool target_is(const char *word);
/* Whether such a file stands behind options; then it is argv[1]. */
bool target_put_first(int argc, char **argv);
/* Whether the words are "OPTIONS -- PROGRAM ARGS". */
bool target_is_command(int argc, char **argv);
int target_run_command(int argc, char **argv);
/* Does it; argv[1] is the file, options and compiler flags stand behind it. The exit status. */
int target_run(int argc, char **argv);

/* ---- cmd_profile.c: the words of profile, before there is a program ---- */

/* Whether they are right and want a program to be run. Else *status is the exit status: what is
 * wrong was said, or the help that they ask for was printed. The order of argv changes. */
bool profile_words_check(int argc, char **argv, int *status);
