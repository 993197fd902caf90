/* SPDX-License-Identifier: MIT */
/*
 * The writers of compared kernels.
 */
#ifndef WRITE_COMPARE_H
#define WRITE_COMPARE_H

#include <stdio.h>

#include "compare.h"

void compare_put_text(FILE *out, const comparison *cases, size_t count);
void compare_put_json(FILE *out, const comparison *cases, size_t count);
void compare_put_csv(FILE *out, const comparison *cases, size_t count);

#endif
