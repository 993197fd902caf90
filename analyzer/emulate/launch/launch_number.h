/* SPDX-License-Identifier: MIT */
/*
 * Integers in a launch, in C++ syntax: decimal, hexadecimal and octal, + - * / % << >> ( ).
 */
#pragma once

#include <stdbool.h>

/* Reads the integer at *text and moves *text past it and following blanks. Accepts any signed or
 * unsigned 64-bit integer. `has_x`: x also multiplies, as in 32x8. Returns NULL, or what is wrong
 * at the new *text. Stops before "->" and ">>>". */
const char *smp_launch_integer(const char **text, bool has_x, __int128 *out);
