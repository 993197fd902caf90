/* SPDX-License-Identifier: MIT */
/*
 * Tensor maps in the text of a launch, over an array of their own or of an earlier argument:
 *
 *     tensor(half[8192] = iota, [64][128], [8][32], swizzle64)
 *     tensor($1+64, [64][128], [8][32], [256][1])
 *
 * The sizes of the tensor, of a box, and the strides in elements (default: rows have no gaps) stand
 * in C's order, the outermost first. A swizzle of 32, 64 or 128 bytes may be named. Elements are of
 * the array's type.
 */
#pragma once

#include <stdint.h>

#include "emulation.h"
#include "launch_text.h"
#include "tensor_map.h"

extern const char smp_tensor_form[]; /* for messages */

/* Reads what follows a tensor map's array and its comma; the tensor starts `offset` bytes after the
 * start of the array. Returns NULL, or what is wrong. */
const char *smp_launch_tensor(const char *text, const smp_launch_array *of,
                              const smp_emu_array *array, uint64_t offset,
                              uint8_t out[TENSOR_MAP_BYTES]);
