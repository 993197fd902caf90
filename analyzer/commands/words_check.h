/* SPDX-License-Identifier: MIT */
/*
 * The words of profile, before there is a program.
 */
#pragma once

#include <stdbool.h>

/* Whether they are right and want a program to be run. Else *status is the exit status: what is
 * wrong was said, or the help that they ask for was printed. The order of argv changes. */
bool profile_words_check(int argc, char **argv, int *status);
