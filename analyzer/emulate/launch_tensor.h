/* SPDX-License-Identifier: MIT */
/*
 * A tensor map in the text of a launch, over an array of its own or of an argument before it:
 *     tensor(half[8192] = iota, [64][128], [8][32], swizzle64)
 *     tensor($1, [64][128], [8][32])
 * The sizes of the tensor and of a box stand in C's order, the outermost first; rows have no gaps.
 * A swizzle of 32, 64 or 128 bytes may be named. Elements are of the array's type.
 */
#ifndef SMP_LAUNCH_TENSOR_H
#define SMP_LAUNCH_TENSOR_H

#include "launch_text.h"
#include "tensor_map.h"

extern const char emu_launch_tensor_form[];
/* The map's bytes; `text` from behind the array's comma on. NULL: done; else what is wrong with it.
 */
const char *emu_launch_tensor(const char *text, const smp_launch_array *of,
                              const smp_emu_array *array, uint8_t out[TENSOR_MAP_BYTES]);

#endif
