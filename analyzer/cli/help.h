/* SPDX-License-Identifier: MIT */
/*
 * The help of the program and of a command, on standard output.
 */
#ifndef SMP_HELP_H
#define SMP_HELP_H

#include "command.h"

/* The program as a whole: its `count` commands and, in the long form, the help of the first. */
void help_print_all(const command_row *const *commands, size_t count, bool is_long);
/* A command, or what it does behind `first` (may be NULL) where that word has help of its own;
 * examples and exit statuses only in the long form. */
void help_print(const command_row *command, const char *first, bool is_long);

#endif
