/* SPDX-License-Identifier: MIT */
/*
 * Launches that were kept (kept_writer.h has their form), to be run again: taken, written, read,
 * placed in memory, and compared with what it becomes.
 */
#pragma once

#include "emulate.h"
#include "kept_writer.h"

/* A launch that owns all it points to. */
void smp_kept_clear(smp_kept_launch *launch);

/* Copies what a launch will read out of `memory`. */
smp_status smp_kept_take(const smp_code *code, const smp_function *function,
                         const smp_launch *launch, const smp_emu_memory *memory,
                         smp_kept_launch *out, smp_error *error);
/* After the launch: copies the arrays that it changed. */
smp_status smp_kept_take_after(const smp_emu_memory *memory, smp_kept_launch *launch,
                               smp_error *error);

/* Writes a new folder; SMP_E_EXISTS, SMP_E_WRITE. */
smp_status smp_kept_write(const smp_kept_launch *launch, const char *folder, smp_error *error);
/* SMP_E_READ, SMP_E_SYNTAX: one line that names the file and what is wrong. */
smp_status smp_kept_read(const char *folder, smp_kept_launch *out, smp_error *error);

/* Arrays as they were before the launch, at their addresses, and the module's variables. The bytes
 * are copies: *memory and the module's lists are the caller's. */
smp_status smp_kept_place(const smp_kept_launch *launch, const smp_code *code,
                          smp_emu_memory *memory, smp_emu_module *module, smp_error *error);
/* Takes all of it away again. */
void smp_kept_unplace(const smp_kept_launch *launch, smp_emu_memory *memory);
/* The first array, and the first byte in it, where memory is not as it was after the kept launch;
 * false: all is equal. */
bool smp_kept_differs(const smp_kept_launch *launch, const smp_emu_memory *memory, uint32_t *array,
                      uint64_t *byte);
