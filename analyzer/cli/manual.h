/* SPDX-License-Identifier: MIT */
/*
 * What `generate` makes of the rows of commands and options: man pages, in the macros of man(7),
 * with the page of the language, which is written once (docs/reference/language.md), and
 * completions of the command line: a script that the shell reads.
 */
#pragma once

#include <stdio.h>

#include "command.h"

/* smemprobe(1): what it is, its commands, exit statuses, environment. */
void manual_put_program(FILE *out, const command_row *const *commands, size_t count);
/* smemprobe-COMMAND(1). */
void manual_put_command(FILE *out, const command_row *command);
/* smemprobe-language(7), and the same for a terminal. */
void manual_put_language(FILE *out);
void manual_print_language(FILE *out);

/* completion.c */
void completion_put_bash(FILE *out, const command_row *const *commands, size_t count);
void completion_put_zsh(FILE *out, const command_row *const *commands, size_t count);
void completion_put_fish(FILE *out, const command_row *const *commands, size_t count);
