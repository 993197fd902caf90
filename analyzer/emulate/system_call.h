/* SPDX-License-Identifier: MIT */
/* Driver functions that kernels call. */
#pragma once

#include "engine.h"

/* Their addresses, where no process has memory. */
#define EMU_SYSTEM_WINDOW 0x0f1000000000ull

/* Returns 0 if there is none of that name. */
uint64_t emu_system_address(const char *name);
/* Calls the function at the address in the lanes' registers; false if the launch has ended. */
bool emu_system_call(emu_warp *warp, const uop *u, uint32_t exec);

/* A launch's output: limited like CUDA's own buffer (CUDA C++ Programming Guide, "Formatted
 * Output": 1 MB by default), in pieces of 64 KiB. CUDA counts formats and arguments and loses the
 * oldest; here text is counted and the rest is lost. */
struct emu_output;

/* `most`: limit in bytes, 0 for 1 MiB. NULL if out of memory. */
struct emu_output *emu_output_new(FILE *to, uint64_t most);
/* Prints what is pending; reports how much was printed and how many calls were dropped or cut.
 * Accepts NULL. */
void emu_output_free(struct emu_output *out, smp_emulation *done);
