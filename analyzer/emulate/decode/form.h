/* SPDX-License-Identifier: MIT */
/*
 * The form of a machine instruction: opcode, modifiers, and kinds and signs of its operands.
 * Instructions of one form differ only in their values.
 */
#pragma once

#include "disassembly.h"

enum { EMU_FORM_BYTES = 256 };

/* "FADD.FTZ x,-|x|,x": registers of both kinds, numbers and constants are all "x", as all
 * instructions share the code that reads them; predicates are "P"; uniform instructions are not
 * distinguished. Cut off if too long. Returns `out`. */
const char *emu_form_text(const smp_instruction *instruction, char out[EMU_FORM_BYTES]);
/* True if the tests compare results of this form with a GPU's (recorded_forms.txt). */
bool emu_form_is_recorded(const char *form);
