/* SPDX-License-Identifier: MIT */
/*
 * Functions of the driver that kernels call.
 */
#ifndef SMP_SYSTEM_CALL_H
#define SMP_SYSTEM_CALL_H

#include "warp.h"

/* Where they seem to be: no process has memory there. */
#define EMU_SYSTEM_WINDOW 0x0f1000000000ull

/* 0: none of that name. */
uint64_t emu_system_address(const char *name);
/* Calls what the lanes' registers name; false: the launch has ended. */
bool emu_system_call(emu_warp *warp, const uop *u, uint32_t exec);

#endif
