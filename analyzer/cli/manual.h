/* SPDX-License-Identifier: MIT */
/*
 * Man pages, in the macros of man(7), and the page of the language, which is written once
 * (examples/LANGUAGE.md).
 */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdio.h>

#include "command.h"

/* smemprobe(1): what it is, its commands, exit statuses, environment. */
void manual_put_program(FILE *out, const command_row *const *commands, size_t count);
/* smemprobe-COMMAND(1). */
void manual_put_command(FILE *out, const command_row *command);
/* smemprobe-language(7), and the same for a terminal. */
void manual_put_language(FILE *out);
void manual_print_language(FILE *out);

#endif
