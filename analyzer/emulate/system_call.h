/* SPDX-License-Identifier: MIT */
/*
 * Functions of the driver that kernels call.
 */
#pragma once

#include "warp.h"

/* Where they seem to be: no process has memory there. */
#define EMU_SYSTEM_WINDOW 0x0f1000000000ull

/* 0: none of that name. */
uint64_t emu_system_address(const char *name);
/* Calls what the lanes' registers name; false: the launch has ended. */
bool emu_system_call(emu_warp *warp, const uop *u, uint32_t exec);

/* What a launch prints: so many bytes at most, as CUDA's own buffer (the CUDA C++ Programming
 * Guide, "Formatted Output": 1 MB where nothing else is set), in pieces of 64 KiB. CUDA counts
 * formats and arguments, and loses what is oldest; here text is counted, and the rest lost. */
struct emu_output;

/* `most`: bytes that are printed; 0: 1 MiB. NULL: no memory. */
struct emu_output *emu_output_new(FILE *to, uint64_t most);
/* A call of printf begins. One that begins behind the end is dropped, one that reaches it is cut.
 */
void emu_output_begin(struct emu_output *out);
/* On a terminal what would steer it is shown by its number. */
void emu_output_put(struct emu_output *out, const char *bytes, size_t size);
/* Prints what is left; says how much was printed and how many calls were dropped or cut. Takes
 * NULL. */
void emu_output_free(struct emu_output *out, smp_emulation *done);
