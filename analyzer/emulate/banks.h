/* SPDX-License-Identifier: MIT */
/*
 * Constant banks of a launch.
 */
#ifndef SMP_BANKS_H
#define SMP_BANKS_H

#include "warp.h"

/* Fills program->banks, and adds the module's variables to `memory`. */
smp_status emu_fill_banks(emu_program *program, const smp_launch *launch, uint32_t local_bytes,
                          smp_emu_memory *memory, smp_error *error);
/* Takes what that added of its own out of the memory again. */
void emu_remove_own(smp_emu_memory *memory);

#endif
