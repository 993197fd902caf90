/* SPDX-License-Identifier: MIT */
/*
 * Completions of the command line for shells: a script that the shell reads.
 */
#ifndef SMP_COMPLETION_H
#define SMP_COMPLETION_H

#include <stdio.h>

#include "command.h"

void completion_put_bash(FILE *out, const command_row *const *commands, size_t count);
void completion_put_zsh(FILE *out, const command_row *const *commands, size_t count);
void completion_put_fish(FILE *out, const command_row *const *commands, size_t count);

#endif
