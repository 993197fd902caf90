/* SPDX-License-Identifier: MIT */
/*
 * regex_text.h: regular expressions (POSIX, extended) of command lines and files. Internal to the
 * analyzer.
 */
#pragma once

#include <regex.h>

#include "smp_model.h"

/* SMP_E_SYNTAX: it is none; nor are references back ("\1"), which POSIX does not have in extended
 * ones and which may match for ever. SMP_E_OVERFLOW: it repeats too much: the C library makes a
 * copy for each + and number in braces of all that they repeat, so x with forty of them takes all
 * memory. *out is to be freed where this is SMP_OK. */
smp_status smp_regex_make(const char *text, regex_t *out);
