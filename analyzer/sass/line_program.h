/* SPDX-License-Identifier: MIT */
/*
 * Source lines of machine instructions, from a cubin's .debug_line: DWARF's line program (version
 * 2, 6.2) with the two opcodes that NVIDIA's PTX manual and LLVM's NVPTX give inlined calls.
 */
#ifndef SMP_LINE_PROGRAM_H
#define SMP_LINE_PROGRAM_H

#include "cubin.h"

/* Gives the function's instructions their frames, which are the code's own. False: its lines are
 * written in a way that is not read here, and nothing was given. SMP_E_MEMORY by *is_full. */
bool smp_line_program_read(smp_code *code, smp_function *function, bool *is_full);

#endif
