/* SPDX-License-Identifier: MIT */
/*
 * Integers of a launch, as C++ writes them: decimal, 0x and octal ones, + - * / % << >> ( ).
 */
#pragma once

#include <stdbool.h>

/* Reads the integer at *text, and moves *text behind it and the blanks there. Any signed or
 * unsigned integer of 64 bits fits. `has_x`: x multiplies, too, as in 32x8. NULL: done; else what
 * is wrong where *text then stands. Ends before "->" and ">>>". */
const char *smp_launch_integer(const char **text, bool has_x, __int128 *out);
