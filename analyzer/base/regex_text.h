/* SPDX-License-Identifier: MIT */
/* Regular expressions (POSIX, extended) of command lines and files. Internal to the analyzer. */
#pragma once

#include <regex.h>

#include "smp_model.h"

/* SMP_E_SYNTAX: not a regular expression, or one with back references ("\1"), which POSIX does not
 * have in extended ones and which may match for ever. SMP_E_OVERFLOW: too many repetitions: the C
 * library copies what each + and each number in braces repeats, so x with forty of them takes all
 * memory. Free *out after SMP_OK. */
smp_status smp_regex_make(const char *text, regex_t *out);
