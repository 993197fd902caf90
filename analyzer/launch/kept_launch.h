/* SPDX-License-Identifier: MIT */
/*
 * Kept launches (kept_writer.h describes their format): captured, written, read, placed in memory
 * to run again, and compared with the result.
 */
#pragma once

#include "emulate.h"
#include "kept_writer.h"

/* Frees everything that the launch points to. */
void smp_kept_clear(smp_kept_launch *launch);

/* Copies out of `memory` what a launch can read. */
smp_status smp_kept_take(const smp_code *code, const smp_function *function,
                         const smp_launch *launch, const smp_emu_memory *memory,
                         smp_kept_launch *out, smp_error *error);
/* After the launch, copies the arrays that it changed. */
smp_status smp_kept_take_after(const smp_emu_memory *memory, smp_kept_launch *launch,
                               smp_error *error);

/* Writes a new folder. SMP_E_EXISTS, SMP_E_WRITE. */
smp_status smp_kept_write(const smp_kept_launch *launch, const char *folder, smp_error *error);
/* SMP_E_READ or SMP_E_SYNTAX, with one line that names the file and what is wrong. */
smp_status smp_kept_read(const char *folder, smp_kept_launch *out, smp_error *error);

/* Places the arrays with their contents before the launch at their addresses, and the module's
 * variables. The bytes are copies; the caller owns *memory and the module's lists. */
smp_status smp_kept_place(const smp_kept_launch *launch, const smp_code *code,
                          smp_emu_memory *memory, smp_emu_module *module, smp_error *error);
/* Removes them again. */
void smp_kept_unplace(const smp_kept_launch *launch, smp_emu_memory *memory);
/* Finds the first array and byte that differ from the contents after the kept launch; false if all
 * is equal. */
bool smp_kept_differs(const smp_kept_launch *launch, const smp_emu_memory *memory, uint32_t *array,
                      uint64_t *byte);
