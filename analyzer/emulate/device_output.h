/* SPDX-License-Identifier: MIT */
/*
 * device_output.h: what a launch prints: so many bytes at most, as CUDA's own buffer (the CUDA C++
 * Programming Guide, "Formatted Output": 1 MB where nothing else is set), in pieces of 64 KiB. CUDA
 * counts formats and arguments, and loses what is oldest; here text is counted, and the rest lost.
 */
#ifndef SMP_DEVICE_OUTPUT_H
#define SMP_DEVICE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct emu_output;

/* `most`: bytes that are printed; 0: 1 MiB. NULL: no memory. */
struct emu_output *emu_output_new(FILE *to, uint64_t most);
/* A call of printf begins. One that begins behind the end is dropped, one that reaches it is cut.
 */
void emu_output_begin(struct emu_output *out);
/* On a terminal what would steer it is shown by its number. */
void emu_output_put(struct emu_output *out, const char *bytes, size_t size);
/* Prints what is left; how many calls were dropped or cut. Takes NULL. */
uint64_t emu_output_free(struct emu_output *out);

#endif
