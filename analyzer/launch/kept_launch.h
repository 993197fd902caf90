/* SPDX-License-Identifier: MIT */
/*
 * Kept launches (kept_writer.h describes their format): captured, written, read, placed in memory
 * to run again, and compared with the result.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "emulate.h"
#include "kept_writer.h"

/* Copies out of `memory` what a launch can read; if its contents are not known, only the constants,
 * and its other arrays are unread. */
smp_status smp_kept_take(const smp_code *code, const smp_function *function,
                         const smp_launch *launch, const smp_emu_memory *memory, bool is_known,
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

/* ---- Memory that was too large to read: unread_memory.c ---- */

/* As large as it was, filled with zeros or noise; only touched pages take memory. What a kernel
 * does in the same way with both does not depend on the contents. */
/* NULL if there is not enough address space. */
uint8_t *emu_unread_map(uint64_t bytes, bool is_noise);
void emu_unread_unmap(uint8_t *at, uint64_t bytes);

/* ---- A kept launch in memory, ready to run: kept_open.c ---- */

typedef struct kept_open {
    smp_kept_launch kept;
    smp_code *code;
    const smp_function *function;
    smp_emu_memory memory;
    smp_emu_module module;
    uint64_t code_most; /* as `code_bytes` of kept_sample */
} kept_open;

/* `is_noise`: memory that was not read holds noise instead of zeros. *out must be zeroed but
 * for code_most; clear it in any case. */
smp_status kept_open_read(const char *folder, bool is_noise, kept_open *out, smp_error *error);
void kept_open_clear(kept_open *launch);
/* Selects the rules that cost it: those of its code if *arch is NULL. */
smp_status kept_open_arch(const kept_open *launch, const smp_arch **arch, smp_error *error);
smp_launch kept_open_launch(const kept_open *launch, const smp_arch *arch);
