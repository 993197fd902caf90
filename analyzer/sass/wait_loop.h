/* SPDX-License-Identifier: MIT */
/* The loop in which a function waits for what others write. */
#pragma once

#include "disassembly.h"

/* The first load that the function repeats from one address that processors and other GPUs may
 * write (LDG.STRONG.SYS), in a short loop that writes nothing there: it waits there for others.
 * NULL if there is none, or it is not disassembled. */
const smp_instruction *smp_function_poll(const smp_function *function);
