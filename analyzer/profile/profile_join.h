/* SPDX-License-Identifier: MIT */
/*
 * Makes a profile from the dump of the library inside a program and the machine code of its
 * modules.
 */
#pragma once

#include "disassembly.h"
#include "instrument_dump.h"
#include "profile.h"

/* Adds one process to *out, which must be sorted afterwards. Without nvdisasm there are neither
 * instructions nor lines: *without (may be NULL) then says why, and has an empty message otherwise.
 * `ops` (may be NULL) receives the operation of each site of the dump; SMP_OP_COUNT for none and
 * for local memory. SMP_E_MEMORY or SMP_OK. */
smp_status smp_profile_join(const smp_instrument_dump *dump, smp_profile *out, smp_op *ops,
                            smp_error *without, smp_error *error);

/* Takes what the machine code tells of a kernel: its full name, its arrays and its first
 * instruction on a barrier in shared memory. False if out of memory. */
bool smp_kernel_take_code(smp_kernel_profile *kernel, const smp_function *code);
/* The same of an instruction: its offset, opcode, operands and source lines. */
bool smp_site_take_instruction(smp_profile_site *site, const smp_instruction *instruction);
