/* SPDX-License-Identifier: MIT */
/*
 * Straight code: most instructions of most kernels are a few operations on whole registers. Those
 * have a second function here, which runs several in a row without coming back to the engine.
 */
#ifndef SMP_FUSED_OPS_H
#define SMP_FUSED_OPS_H

#include "uop.h"

/* After decoding: operations on constants alone become constants; what has a function here gets it,
 * and how many of one kind follow one another. False: out of memory. */
bool emu_plan(emu_program *program);

#endif
