/* SPDX-License-Identifier: MIT */
/*
 * The form of a machine instruction: opcode, modifiers, kinds and signs of its operands. What two
 * instructions of one form do differs only in their values.
 */
#pragma once

#include "disassembly.h"

enum { EMU_FORM_BYTES = 256 };

/* "FADD.FTZ x,-|x|,x": registers of both kinds, numbers and constants are read by code that all
 * instructions share, so that each is "x"; predicates are "P"; uniform instructions are as others.
 * What has no room is cut off. Returns `out`. */
const char *emu_form_text(const smp_instruction *instruction, char out[EMU_FORM_BYTES]);
/* Results of this form are held against a GPU's in the tests (recorded_forms.inc). */
bool emu_form_is_recorded(const char *form);
