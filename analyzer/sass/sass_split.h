/* SPDX-License-Identifier: MIT */
/*
 * An instruction's text, cut into predicate, opcode and operands.
 */
#ifndef SMP_SASS_SPLIT_H
#define SMP_SASS_SPLIT_H

#include "disassembly.h"

/* Cuts "@P0 BRA `(.L_x_1) ;" in place; what `out` gets points into it. */
void smp_sass_split(char *text, smp_instruction *out);
/* Blanks and tabs; all white space at the end. */
char *smp_sass_skip_blanks(char *text);
void smp_sass_cut_blanks(char *text);

#endif
