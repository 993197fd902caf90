/* SPDX-License-Identifier: MIT */
/* What to do with a file given instead of a command. */
#pragma once

#include "command.h"

/* Whether the word is a target: a file with a known extension, or a program. */
bool is_target(const char *word);
/* Whether the word would be a target, or is a path, but no such file exists. */
bool is_target_missing(const char *word);
/* Whether the word is the path of an executable file. */
bool target_is_program(const char *word);
/* Moves a target that follows options to argv[1]. False if there is none. */
bool target_put_first(int argc, char **argv);
/* Whether the arguments are "OPTIONS -- PROGRAM ARGS". */
bool target_is_command(int argc, char **argv);
int target_run_command(int argc, char **argv);
/* Runs the target argv[1], followed by options and compiler flags. Returns the exit status. */
int target_run(int argc, char **argv);

/* ---- cmd_profile.c: its options, before there is a program ---- */

/* Whether an option needs --no-gpu. */
bool profile_needs_cpu(const arguments *args);
/* Whether the options are valid and a program is to be run. Else *status is the exit status, after
 * an error was reported or help was printed. */
bool profile_check(const arguments *args, int *status);
