/* SPDX-License-Identifier: MIT */
/*
 * The words that an option takes, for completion.
 */
#ifndef OPTION_VALUES_H
#define OPTION_VALUES_H

#include "command.h"

enum { OPTION_VALUES_MAX = 8192 };

/* Separated by blanks; "" if they are not a few words. `command` NULL: of an option that means the
 * same in each. */
const char *option_values(const command_row *command, smp_option option,
                          char room[OPTION_VALUES_MAX]);

#endif
